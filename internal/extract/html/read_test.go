package html

import (
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// readWith returns what a decoder reads.
func readWith(read func(out *prose.Output, file []byte) error, file []byte) (prose.Document, error) {
	out := &prose.Output{Limit: 1 << 20}
	if err := read(out, file); err != nil {
		return prose.Document{}, err
	}
	return out.Document(prose.ErrEmpty)
}

func fuzzWith(f *testing.F, read func(out *prose.Output, file []byte) error) {
	f.Fuzz(func(t *testing.T, file []byte) {
		document, err := readWith(read, file)
		extracttest.Check(t, document, err)
	})
}
