// Package errreader distinguishes read errors from write errors after io.Copy.
package errreader

import (
	"errors"
	"io"
)

// Reader wraps a reader and records its error.
type Reader struct {
	Reader io.Reader
	// Err is the error of Reader, if it is not io.EOF.
	Err error
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.Err = err
	}
	return n, err
}
