package extracttest

import (
	"testing"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// Decode reads the document in an archive into out.
type Decode func(out *prose.Output, a *zipxml.Archive) error

// Read decodes the document that has these entries.
func Read(t testing.TB, entries map[string]string, decode Decode) (prose.Document, error) {
	t.Helper()
	a, err := zipxml.Open([]byte(Zip(t, entries)), 8<<20)
	if err != nil {
		return prose.Document{}, err
	}
	out := &prose.Output{Limit: 1 << 20}
	if err := decode(out, a); err != nil {
		return prose.Document{}, err
	}
	return out.Document(prose.ErrEmpty)
}

// FuzzPart decodes documents that entries makes of one part.
func FuzzPart(f *testing.F, decode Decode, entries func(part string) map[string]string) {
	f.Fuzz(func(t *testing.T, part []byte) {
		document, err := Read(t, entries(string(part)), decode)
		Check(t, document, err)
	})
}
