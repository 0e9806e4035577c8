// Package source tells the errors of a reader from those of whatever it is copied to.
package source

import (
	"errors"
	"io"
)

// Watched passes a reader on and remembers its error.
type Watched struct {
	Reader io.Reader
	// Err is how the reader failed; its end is no failure.
	Err error
}

// Read is the reader's.
func (w *Watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.Err = err
	}
	return n, err
}
