package odf

import (
	"fmt"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readEntries reads the OpenDocument file that has these parts.
func readEntries(t *testing.T, entries map[string]string) (prose.Document, error) {
	t.Helper()
	return extracttest.Read(t, entries, decode)
}

func decode(out *prose.Output, a *zipxml.Archive) error {
	mediaType, err := a.Read("mimetype")
	if err != nil {
		return err
	}
	switch string(mediaType) {
	case ODT:
		return ReadODT(out, a)
	case ODS:
		return ReadODS(out, a)
	case ODP:
		return ReadODP(out, a)
	default:
		return fmt.Errorf("no OpenDocument file, but %q", mediaType)
	}
}
