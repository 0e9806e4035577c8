package html

import (
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<!DOCTYPE html><p>The ferry<table><td>leaves<pre>at\n nine</pre>"))
	f.Add(extracttest.Sample(f, "libreoffice.html"))
	fuzzWith(f, Read)
}

func FuzzEPUB(f *testing.F) {
	f.Add([]byte(`<item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/><itemref idref="a"/>`))
	f.Fuzz(func(t *testing.T, part []byte) {
		file := extracttest.Zip(t, map[string]string{
			"mimetype":               "application/epub+zip",
			"META-INF/container.xml": `<container><rootfile full-path="book/b.opf"/></container>`,
			"book/b.opf":             `<package>` + string(part) + `</package>`,
			"book/a b.xhtml":         `<p>ferry</p>`,
		})
		document, err := readWith(func(out *prose.Output, file []byte) error {
			a, err := zipxml.Open(file, 8<<20)
			if err != nil {
				return err
			}
			return ReadEPUB(out, a)
		}, []byte(file))
		extracttest.Check(t, document, err)
	})
}

func FuzzSVG(f *testing.F) {
	f.Add([]byte(`<svg><title>Map</title><text>a<tspan>b</tspan></text><foreignObject><p>x</p></foreignObject></svg>`))
	f.Add([]byte(`<!DOCTYPE html><math><mfrac><mi>x</mi><msub><mn>2</mn></msub></mfrac></math>`))
	fuzzWith(f, ReadSVG)
}
