package sandbox

import (
	"errors"
	"io"
)

// errReader records the error of a reader. So read errors can be told from write errors after io.Copy.
type errReader struct {
	reader io.Reader
	// err is the error of reader, if it is not io.EOF.
	err error
}

// Read implements io.Reader.
func (r *errReader) Read(p []byte) (int, error) {
	n, err := r.reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
