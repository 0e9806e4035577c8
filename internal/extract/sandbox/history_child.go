package sandbox

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"runtime/debug"

	"parley"
	"parley/internal/extract/history"
)

// serveHistory reads an export in a child.
func serveHistory(in io.Reader, out io.Writer, req request) error {
	const gcPercent = 100 // it may run for long
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(historyMemory)
	raiseWalls() // the server has warned about missing ones
	w := bufio.NewWriterSize(out, frameSize)
	file := history.File{Bytes: &remoteFile{in: in, out: w}, Size: req.Size, MaxUnpacked: req.MaxUnpacked}
	var err error
	if req.Check {
		err = file.Check()
	} else {
		file.Begin = func() error { return errors.Join(writeFrame(w, frameBegin, nil), w.Flush()) }
		err = file.Each(req.Skip, func(entry history.Entry) error { return writeEntry(w, entry) })
	}
	var refusal *parley.Error
	switch {
	case errors.As(err, &refusal):
		err = writeFrame(w, frameRefused, []byte(refusal.Message))
	case err != nil:
		err = writeFrame(w, frameFailed, []byte(err.Error()))
	default:
		err = writeFrame(w, frameDone, nil)
	}
	return errors.Join(err, w.Flush())
}

func writeEntry(w *bufio.Writer, entry history.Entry) error {
	messages := entry.Messages
	entry.Messages = nil
	made := historyEntry{Conversation: entry.Conversation, Percent: entry.Percent}
	if entry.Skipped != nil {
		made.Reason = entry.Skipped.Message
		return errors.Join(writeEncoded(w, frameSkipped, made), w.Flush())
	}
	if err := writeEncoded(w, frameConversation, made); err != nil {
		return err
	}
	for _, m := range messages {
		if err := writeEncoded(w, frameMessage, m); err != nil {
			return err
		}
	}
	return errors.Join(writeFrame(w, frameEnd, nil), w.Flush())
}

func writeEncoded(w io.Writer, kind byte, content any) error {
	encoded, err := encodeFrame(content)
	if err != nil {
		return err
	}
	return writeFrame(w, kind, encoded)
}

// remoteFile reads a file of the parent. It keeps the bytes that it got last.
type remoteFile struct {
	in     io.Reader
	out    *bufio.Writer
	offset int64
	kept   []byte
	buffer [wantSize]byte
}

// ReadAt implements io.ReaderAt, for one goroutine.
func (f *remoteFile) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		at := offset + int64(n)
		if at < f.offset || at >= f.offset+int64(len(f.kept)) {
			if err := f.fetch(at); err != nil {
				return n, err
			}
			if len(f.kept) == 0 {
				return n, io.EOF
			}
		}
		n += copy(p[n:], f.kept[at-f.offset:])
	}
	return n, nil
}

func (f *remoteFile) fetch(offset int64) error {
	f.kept = nil
	var want [12]byte
	binary.BigEndian.PutUint64(want[:], uint64(offset))
	binary.BigEndian.PutUint32(want[8:], wantSize)
	if err := errors.Join(writeFrame(f.out, frameWant, want[:]), f.out.Flush()); err != nil {
		return err
	}
	kind, content, err := readFrame(f.in, f.buffer[:])
	if err != nil {
		return err
	}
	if kind != frameBytes {
		return errBadFrame
	}
	f.offset, f.kept = offset, content
	return nil
}
