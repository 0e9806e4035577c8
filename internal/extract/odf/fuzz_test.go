package odf

import (
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
)

func FuzzODT(f *testing.F) {
	f.Add([]byte(`<text:h>a</text:h><text:p>b<text:note><text:note-body><text:p>c</text:p></text:note-body></text:note>` +
		`</text:p><table:table-row><table:table-cell/></table:table-row>`))
	extracttest.FuzzPart(f, decode, func(part string) map[string]string {
		body := `<office:document xmlns:office="o" xmlns:text="t" xmlns:table="b">` + part + `</office:document>`
		return map[string]string{
			"mimetype":    ODT,
			"content.xml": body,
			"styles.xml":  strings.ReplaceAll(body, "text:h", "style:header"),
		}
	})
}

func FuzzODS(f *testing.F) {
	f.Add([]byte(`<table:table table:name="a"><table:table-row table:number-rows-repeated="3">` +
		`<table:table-cell table:number-columns-repeated="2"><text:p>b</text:p></table:table-cell>` +
		`</table:table-row></table:table>`))
	extracttest.FuzzPart(f, decode, func(part string) map[string]string { return extracttest.ODF(ODS, part) })
}

func FuzzODP(f *testing.F) {
	f.Add([]byte(`<draw:page><draw:frame presentation:class="title"><text:p>a</text:p></draw:frame>` +
		`<presentation:notes><text:p>b</text:p></presentation:notes></draw:page>`))
	extracttest.FuzzPart(f, decode, func(part string) map[string]string { return extracttest.ODF(ODP, part) })
}
