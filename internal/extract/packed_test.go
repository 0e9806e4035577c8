package extract

import (
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/odf"
	"parley/internal/extract/prose"
)

func TestODPIsWhatTheSlidesShow(t *testing.T) {
	frame := func(class, text string) string {
		return `<draw:frame presentation:class="` + class + `"><draw:text-box><text:p>` + text +
			`</text:p></draw:text-box></draw:frame>`
	}
	slides := `<draw:page>` + extracttest.Annotation("", "Ada", "Shorter?") +
		frame("title", "One") + frame("outline", "first") + frame("page-number", "7") +
		`<presentation:notes>` + frame("notes", "say it") + frame("header", "no") + `</presentation:notes></draw:page>` +
		`<draw:page>` + frame("title", "") + frame("", "second") +
		`<presentation:notes>` + frame("notes", "") + `</presentation:notes></draw:page>`
	document, err := readEntries(t, extracttest.ODF(odf.ODP+"-template", slides))
	const want = "# One\n\nfirst\n\nNotes:\nsay it\n\nComment by Ada: Shorter?\n\nsecond"
	if err != nil || document.Type != odf.ODP || document.Text != want ||
		document.Anchors.At(strings.Index(document.Text, "second")) != "slide 2" {
		t.Errorf("got %+v, %v", document, err)
	}
}

func TestTheManifestSaysWhatAnOpenDocumentIs(t *testing.T) {
	entries := extracttest.ODF(odf.ODT, `<office:text><text:p>a</text:p></office:text>`)
	delete(entries, "mimetype")
	if _, err := readEntries(t, entries); !extracttest.IsRefusal(err, prose.ErrUnsupported) {
		t.Errorf("without a manifest: got %v", err)
	}
	entries[odf.Manifest] = `<m:manifest xmlns:m="x"><m:file-entry m:full-path="/" m:media-type="` + odf.ODT + `"/>` +
		`<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>`
	if document, err := readEntries(t, entries); err != nil || document.Type != odf.ODT || document.Text != "a" {
		t.Errorf("got %+v, %v", document, err)
	}
}

func readEntries(t *testing.T, entries map[string]string) (prose.Document, error) {
	t.Helper()
	return reader.Read(t.Context(), []byte(extracttest.Zip(t, entries)), "a")
}
