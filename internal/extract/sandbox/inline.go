package sandbox

import (
	"context"
	"fmt"
	"io"

	"parley/internal/extract"
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
	document, err := r.Reader.Read(ctx, content, file.Name)
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
	return Summary{Type: document.Type, Anchors: document.Anchors}, nil
}
