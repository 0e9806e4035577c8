package library

import (
	"bytes"
	"context"
	"io"
	"unicode"
	"unicode/utf8"

	"parley/internal/extract/sandbox"
	"parley/internal/limit"
)

const (
	// smallText is the size of a small plain text, in bytes. It is read in milliseconds.
	smallText = 64 << 10
	// maxWaiting is how many documents may wait for a reader. There are fewer uploads at once.
	maxWaiting = 4096
)

// newTurns returns a limiter that shares readers among users. One user never has all of them,
// unless there is only one.
func newTurns(readers int) *limit.Fair[int64] {
	if readers == 0 {
		return nil
	}
	return limit.NewFair[int64](limit.FairConfig{
		Slots:       readers,
		SlotsPerKey: max(1, readers-1),
		Queue:       maxWaiting,
	})
}

// awaitTurn waits until the document may be read. The caller must call release.
func (d *Draft) awaitTurn(ctx context.Context, file *sandbox.File) (release func(), err error) {
	turns := d.library.readers
	switch {
	case d.scans:
		turns = d.library.scanners
	case file.Size <= smallText:
		small, err := readSmall(file)
		if err != nil {
			return nil, err
		}
		if small { // it need not wait for other documents, which may take long
			turns = d.library.smallReaders
		}
	}
	if err := turns.Acquire(ctx, d.userID); err != nil {
		return nil, err
	}
	release = func() { turns.Release(d.userID) }
	if err := d.renew(ctx); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// readSmall reads the bytes of a small file into memory, and reports whether they are plain text.
func readSmall(file *sandbox.File) (bool, error) {
	content := make([]byte, file.Size)
	if _, err := io.ReadFull(file.Bytes, content); err != nil {
		return false, err
	}
	file.Bytes = bytes.NewReader(content)
	return isPlain(content), nil
}

// isPlain reports whether the content is text in UTF-8 and no PDF. Packed documents have control
// characters. The format is detected by the reader; this only tells what is quick to read.
func isPlain(content []byte) bool {
	return utf8.Valid(content) && !bytes.Contains(content, []byte("%PDF-")) &&
		!bytes.ContainsFunc(content, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}
