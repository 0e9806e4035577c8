package pdf

import (
	"testing"

	"parley/internal/extract/extracttest"
)

func FuzzPDF(f *testing.F) {
	f.Add(extracttest.Sample(f, "scanned.pdf"))
	f.Add(extracttest.Sample(f, "libreoffice.pdf"))
	// Compiling the engine takes longer than one input may.
	if _, err := readFile(f, extracttest.Sample(f, "libreoffice.pdf")); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		document, err := readFile(t, file)
		extracttest.Check(t, document, err)
	})
}
