package extract

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

func TestHTMLIsWhatThePageShows(t *testing.T) {
	tests := []struct{ page, want string }{
		{
			"<html><head><title>Ferries</title><style>p{}</style><script>alert(1)</script></head>" +
				"<body><p>One</p><p>Two</p></body></html>",
			"# Ferries\n\nOne\n\nTwo",
		},
		{"<body>a<b>b</b> c <i>d</i>\n e<br>f</body>", "ab c d e\nf"},
		{"<body><p hidden>no</p><div style='display: none'>no</div><template>no</template>yes", "yes"},
		{"<body><noscript>no</noscript><iframe>no</iframe><svg><style>no</style></svg>yes", "yes"},
		{
			"<body>a<svg><title>Map</title><g><text x=1>The <tspan>harbor</tspan></text><path d='M0'/></g></svg>b",
			"a\n\nMap\nThe harbor\n\nb",
		},
		{
			"<body>Let <math><mi>x</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>.",
			"Let x = (a + b)/2.",
		},
		{
			"<body><math><msup><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>f</mi><mo>(</mo><mi>b</mi><mo>)</mo><mo>)</mo></mrow>" +
				"<mn>2</mn></msup></math>",
			"(a + f(b))^2",
		},
		{
			"<body><math><semantics><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>" +
				"<annotation>x</annotation></semantics></math>",
			"x_1^2",
		},
		{"<body><math><msqrt><mi>n</mi><mo>-</mo><mn>1</mn></msqrt><mo>&#x2062;</mo><mi>π</mi></math>", "√(n - 1)π"},
		{"<body><ul><li>one<li>two<ul><li>three</ul></ul>end", "- one\n- two\n- three\n\nend"},
		{"<body><table><tr><th>a<th>b<tr><td>c<p>d</p><td></table>end", "a\tb\nc d\n\nend"},
		{"<body><pre>func main() {\n\tprint()\n}</pre>x", "func main() {\n    print()\n}\n\nx"},
		{"<body>&lt;b&gt; &amp; caf&eacute; &nbsp; x &#x6E21;&#36718;", "<b> & café x 渡轮"},
		{"<body><h2>Two</h2>text<h3></h3><p>after", "## Two\n\ntext\n\nafter"},
		{
			"<body>23 euros<sup><a href='#fn1'>1</a></sup>, or 9<a href=#fn2><sup> 2 </sup></a>more" +
				"<p><a href='#a'>1</a>Children and <a href='#b'>[2]</a>, <a href='/7'>7</a>",
			"23 euros[1], or 9[2]more\n\n[1]Children and [2], 7",
		},
		{
			"<body><img alt='A ferry'><textarea>two  words</textarea><select><option>a<option>b</select><hr>z",
			"A ferry\n\ntwo  words\n\na\nb\n\nz",
		},
	}
	for _, tt := range tests {
		out := &prose.Output{Limit: 1000}
		if err := readHTML(out, []byte(tt.page)); err != nil || out.String() != tt.want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.page, out.String(), err, tt.want)
		}
	}
}

func TestNULsDoNotMakeAnRTFBinary(t *testing.T) {
	for _, content := range []string{"{\\rtf1 The ferry}\x00", "{\\rtf1 The\x00 ferry}\r\n\x00\x00"} {
		document, err := reader.Read(t.Context(), []byte(content), "a.rtf")
		if err != nil || document.Type != typeRTF || document.Text != "The ferry" {
			t.Errorf("%q: got %+v, %v", content, document, err)
		}
	}
}

func TestTextOverTheLimitIsRefused(t *testing.T) {
	small := reader
	small.MaxText = 100
	for _, name := range []string{
		"pandoc.docx", "pandoc.odt", "pandoc.epub", "pandoc.rtf", "pandoc.html", "pandoc.pptx", "libreoffice.pdf", "guide.md",
	} {
		_, err := small.Read(t.Context(), extracttest.Sample(t, name), name)
		if !extracttest.IsRefusal(err, prose.ErrTooLong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"The ferry leaves at nine.\r\n", "渡轮", "\xc4\xe3\xba\xc3", "\xff\xfeh\x00i\x00", "\xfe\xff\xd8\x00", "\xef\xbb\xbfhi",
		"caf\xe9", "\x83\x65\x83\x58", "a\x00b", extracttest.Noise(200), "MZ\x90\x00",
		"<?xml version='1.0' encoding='big5'?><a>\xa4\xa4</a>",
	} {
		f.Add([]byte(seed))
	}
	fuzz(f, "a.md")
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<!DOCTYPE html><p>The ferry<table><td>leaves<pre>at\n nine</pre>"))
	f.Add(extracttest.Sample(f, "libreoffice.html"))
	fuzz(f, "a.html")
}

func FuzzPDF(f *testing.F) {
	f.Add(extracttest.Sample(f, "scanned.pdf"))
	f.Add(extracttest.Sample(f, "libreoffice.pdf"))
	// Compiling the engine takes longer than one input may.
	if _, err := reader.Read(f.Context(), extracttest.Sample(f, "libreoffice.pdf"), "a.pdf"); err != nil {
		f.Fatal(err)
	}
	fuzz(f, "a.pdf")
}

func FuzzEPUB(f *testing.F) {
	f.Add([]byte(`<item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/><itemref idref="a"/>`))
	fuzzPart(f, func(part string) map[string]string {
		return map[string]string{
			"mimetype":               typeEPUB,
			"META-INF/container.xml": `<container><rootfile full-path="book/b.opf"/></container>`,
			"book/b.opf":             `<package>` + part + `</package>`,
			"book/a b.xhtml":         `<p>ferry</p>`,
		}
	})
}

func FuzzArchive(f *testing.F) {
	f.Add([]byte(extracttest.Zip(f, extracttest.DOCX(`<w:p><w:r><w:t>a</w:t></w:r></w:p>`))))
	f.Add(extracttest.Sample(f, "pandoc.epub"))
	fuzz(f, "a.docx")
}

func fuzzPart(f *testing.F, document func(part string) map[string]string) {
	f.Fuzz(func(t *testing.T, part []byte) {
		check(t, []byte(extracttest.Zip(t, document(string(part)))), "a")
	})
}

func fuzz(f *testing.F, name string) {
	f.Fuzz(func(t *testing.T, file []byte) { check(t, file, name) })
}

// check fails the test unless a file is read or refused.
func check(t *testing.T, file []byte, name string) {
	t.Helper()
	limited := Reader{MaxText: 1 << 20, MaxUnpacked: 8 << 20, Cache: reader.Cache}
	document, err := limited.Read(t.Context(), file, name)
	switch {
	case err == nil:
		checkDocument(t, document)
	case !extracttest.IsKnownRefusal(err):
		t.Errorf("got %v", err)
	case strings.Contains(fmt.Sprint(err), "panic"):
		t.Errorf("got %v", err)
	}
}
