package odf

import (
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readEntries reads the OpenDocument file that has these parts.
func readEntries(t *testing.T, entries map[string]string) (prose.Document, error) {
	t.Helper()
	a, err := zipxml.Open([]byte(extracttest.Zip(t, entries)), 8<<20)
	if err != nil {
		return prose.Document{}, err
	}
	out := &prose.Output{Limit: 1 << 20}
	switch mediaType := entries["mimetype"]; mediaType {
	case ODT:
		err = ReadODT(out, a)
	case ODS:
		err = ReadODS(out, a)
	case ODP:
		err = ReadODP(out, a)
	default:
		t.Fatalf("no OpenDocument file, but %q", mediaType)
	}
	if err != nil {
		return prose.Document{}, err
	}
	return out.Document(prose.ErrEmpty)
}

func fuzzPart(f *testing.F, entries func(part string) map[string]string) {
	f.Fuzz(func(t *testing.T, part []byte) {
		document, err := readEntries(t, entries(string(part)))
		extracttest.Check(t, document, err)
	})
}
