// Package errreader tells a reader's errors from those of the writer it is copied to.
package errreader

import (
	"errors"
	"io"
)

// Reader passes on another reader and remembers its error.
type Reader struct {
	Reader io.Reader
	// Err is the reader's error, if any. io.EOF is none.
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
