package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"

	"parley/internal/extract"
	"parley/internal/extract/history"
)

// Inline reads documents as a Pool does, but in this process. It is for tests.
type Inline struct {
	Reader extract.Reader
	Index  Indexer
}

// Read does what Pool.Read does.
func (r Inline) Read(ctx context.Context, file File, text, index io.Writer) (Summary, error) {
	content := make([]byte, file.Size)
	if _, err := io.ReadFull(file.Bytes, content); err != nil {
		return Summary{}, fmt.Errorf("read the document: %w", err)
	}
	if file.ContentType != "" {
		return r.readPage(ctx, content, file.ContentType, text)
	}
	reader := r.Reader
	if recognition := file.Recognition; recognition != nil {
		reader.Recognize, reader.MaxScans = recognition.Recognize, recognition.Pages
		reader.ScanPixels = recognition.Pixels
		reader.Progress = func(page, pages int) {
			if recognition.Progress != nil {
				recognition.Progress(Progress{Page: page, Pages: pages})
			}
		}
	}
	document, err := reader.Read(ctx, content, file.Name)
	if err != nil {
		return Summary{}, err
	}
	if _, err := io.WriteString(text, document.Text); err != nil {
		return Summary{}, fmt.Errorf("write the text: %w", err)
	}
	if r.Index != nil {
		made, err := r.Index(document)
		if err != nil {
			return Summary{}, err
		}
		if _, err := index.Write(made); err != nil {
			return Summary{}, fmt.Errorf("write the index: %w", err)
		}
	}
	return Summary{
		Type: document.Type, Anchors: document.Anchors, Notes: document.Notes, Picture: document.Picture,
	}, nil
}

func (r Inline) readPage(ctx context.Context, content []byte, contentType string, text io.Writer) (Summary, error) {
	document, err := r.Reader.ReadPage(ctx, content, contentType)
	if err != nil {
		return Summary{}, err
	}
	if _, err := io.WriteString(text, document.Text); err != nil {
		return Summary{}, fmt.Errorf("write the text: %w", err)
	}
	return Summary{Type: document.Type, Anchors: document.Anchors}, nil
}

// CheckHistory does what Pool.CheckHistory does.
func (Inline) CheckHistory(_ context.Context, file History) error { return file.inline().Check() }

// ReadHistory does what Pool.ReadHistory does.
func (Inline) ReadHistory(_ context.Context, file History, skip int64, do func(history.Entry) error) error {
	return file.inline().Each(skip, func(entry history.Entry) error { return do(entry.Check()) })
}

func (h History) inline() history.File {
	return history.File{Bytes: seekingReader{h.Bytes}, Size: h.Size, MaxUnpacked: h.MaxUnpacked}
}

// seekingReader is an io.ReaderAt for one goroutine.
type seekingReader struct{ io.ReadSeeker }

func (r seekingReader) ReadAt(p []byte, offset int64) (int, error) {
	if _, err := r.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
