package odf

import (
	"cmp"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadFlat reads an OpenDocument file in a single XML file: a text, a spreadsheet or a presentation.
func ReadFlat(out *prose.Output, file []byte) error {
	out.Symbols = true
	mediaType := ""
	err := zipxml.Visit(file, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		mediaType = cmp.Or(mediaType, e.Attr("mimetype"))
		return e.Name == "document"
	}})
	if err != nil {
		return err
	}
	switch mediaType {
	case ODS:
		s := &odsReader{out: out}
		return cmp.Or(zipxml.Visit(file, inBody(zipxml.Visitor{Start: s.start, End: s.end, Text: s.text})), s.failed)
	case ODP:
		p := &odpReader{bodyReader: bodyReader{out: out, later: true}}
		body := p.visitor()
		return cmp.Or(zipxml.Visit(file, inBody(zipxml.Visitor{Start: p.start, End: p.end, Text: body.Text})), p.failed)
	}
	return readTextBody(out, file, file, nil)
}

// inBody visits the body of a flat file, not the pages that are its masters.
func inBody(v zipxml.Visitor) zipxml.Visitor {
	start := v.Start
	v.Start = func(e zipxml.Element) bool {
		return e.Name != "master-styles" && e.Name != "meta" && start(e)
	}
	return v
}
