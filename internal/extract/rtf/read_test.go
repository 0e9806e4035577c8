package rtf

import "parley/internal/extract/prose"

// readFile reads a whole file.
func readFile(file []byte) (prose.Document, error) {
	out := &prose.Output{Limit: 1 << 20}
	if err := Read(out, file); err != nil {
		return prose.Document{}, err
	}
	return out.Document(prose.ErrEmpty)
}
