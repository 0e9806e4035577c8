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

func TestRTF(t *testing.T) {
	for document, want := range map[string]string{
		`{\rtf1\ansi One\par Two\line Three}`:                                              "One\n\nTwo\nThree",
		`{\rtf1\ansi caf\'e9 \u28193?\u-28818? \u-10179?\u-8638? end}`:                     "café 渡轮 🙂 end",
		`{\rtf1\ansi\uc2 a\u28193 xyb}`:                                                    "a渡b",
		`{\rtf1\ansi\uc1 a\u28193\'3fb}`:                                                   "a渡b",
		`{\rtf1\ansi\ansicpg936 \'b6\'c9\'c2\'d6}`:                                         "渡轮",
		`{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f1\fcharset134 SimSun;}}\f0 a {\f1\'b6\'c9} b}`: "a 渡 b",
		`{\rtf1{\fonttbl{\f0\fcharset128 Mincho;}}\f0 \'83e\'83\'58}`:                      "テス",
		`{\rtf1{\info{\author Nobody}}{\*\generator Writer;}{\pict 89504e47}text}`:         "text",
		`{\rtf1 a{\v hidden}b\v hidden\v0 c}`:                                              "abc",
		`{\rtf1 \{\\\}\~x\_y\emdash\ldblquote q\rdblquote}`:                                `{\} x-y—“q”`,
		`{\rtf1{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}} after}`:                   "link after",
		`{\rtf1\trowd\intbl a\cell b\cell\row\trowd\intbl\cell d\cell\row\pard end}`:       "a\tb\n\td\n\nend",
		`{\rtf1 a\bin3 {{{b}`:                                                              "ab",
		`{\rtf1 {\pntext\'b7\tab}one\par{\pntext\'b7\tab}two\par}`:                         "- one\n- two",
		`{\rtf1\outlinelevel1{\listtext 4.2\tab}Title\par\pard text}`:                      "## 4.2 Title\n\ntext",
		`{\rtf1{\pntext 1.\tab}\par\pard text}`:                                            "text",
		`{\rtf1 a{\footnote {\super x} note}.\par b}`:                                      "a[1].\n\n[1] x note\n\nb",
		`{\rtf1 a \*\nonsense b {\*\nonsense c}\* d}`:                                      "a b d",
		`{\rtf1 cut \'e`: "cut",
		`{\rtf1 cut \u`:  "cut",
		`}}}{\rtf1 a}}b`: "ab",
	} {
		out := &prose.Output{Limit: 1000}
		if err := readRTF(out, []byte(document)); err != nil || out.String() != want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", document, out.String(), err, want)
		}
	}
}

func TestRTFHasItsComments(t *testing.T) {
	comment := func(author, more, text string) string {
		return `{\*\atnid AB}{\*\atnauthor ` + author + `}\chatn {\*\annotation{\*\atndate 1735617476}` + more +
			`\pard\plain ` + text + `\par}`
	}
	ada, bob := comment("Ada", "", "Too high."), comment(`B\'f6b`, `{\*\atnparent 1}`, `Why?\par Really?`)
	for body, want := range map[string]string{
		`The fee` + ada + bob + ` is 3.\par Next.`: "The fee is 3.||Comment by Ada: Too high.|" +
			"Reply by Böb: Why? Really?||Next.",
		ada + `The fee.`:                  "The fee.||Comment by Ada: Too high.",
		`a{\footnote n` + ada + `} b\par`: "a[1] b||[1] n",
		`\trowd\intbl a` + ada + `\cell b\cell\row\trowd\intbl c\cell d\cell\row\pard end\par`: "a\tb|c\td||end||" +
			"Comment by Ada: Too high.",
	} {
		if got := readRTFText(t, body); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", body, got, want)
		}
	}
}

func TestRTFListsHaveTheirLabels(t *testing.T) {
	const document = `{\rtf1 {\listtext 1.\tab}one\par{\listtext (a)\tab}\pard\ilvl1 two\par` +
		`{\listtext o\tab}\pard\ilvl0 three}`
	out := &prose.Output{Limit: 1000}
	err := readRTF(out, []byte(document))
	if got := out.String(); err != nil || got != "1. one\n  (a) two\n- three" {
		t.Errorf("got %q, %v", got, err)
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

func TestDOCXIsWhatTheReaderSees(t *testing.T) {
	tests := []struct{ body, want string }{
		{
			`<w:p><w:r><w:t>a</w:t></w:r><w:r><w:t xml:space="preserve"> b</w:t><w:br/><w:t>c</w:t></w:r></w:p>`,
			"a b\nc",
		},
		{
			`<w:p><w:r><w:t>a</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>` +
				`<w:ins><w:r><w:t>b</w:t></w:r></w:ins></w:p>`,
			"ab",
		},
		{`<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:t>seen</w:t></w:r></w:p>`, "seen"},
		{`<w:p><w:r><w:fldChar/><w:instrText>PAGE</w:instrText><w:t>7</w:t></w:r></w:p>`, "7"},
		{`<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>`, "a\tb"},
		{
			`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc>` +
				`<w:tc><w:p/></w:tc><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
			"a b\t\tc",
		},
		{
			`<mc:AlternateContent xmlns:mc="m"><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice>` +
				`<mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>`,
			"box",
		},
	}
	for _, tt := range tests {
		document, err := reader.Read(t.Context(), []byte(extracttest.Zip(t, extracttest.DOCX(tt.body))), "a")
		if err != nil || document.Text != tt.want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.body, document.Text, err, tt.want)
		}
	}
}

func TestACellInTheLastRowIsJustACell(t *testing.T) {
	rows := `<row r="1"><c r="A1"><v>1</v></c></row>` +
		`<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>last</t></is></c></row>`
	document, err := reader.Read(t.Context(), []byte(extracttest.Zip(t, extracttest.XLSX(rows))), "a.xlsx")
	text := document.Text
	if err != nil || !strings.HasPrefix(text, "1\n") || !strings.HasSuffix(text, "last") || len(text) > 200 {
		t.Errorf("got %.200q, %v", text, err)
	}
}

func TestTheNameOfASheetIsTamed(t *testing.T) {
	entries := extracttest.XLSX(`<row r="1"><c r="A1"><v>1</v></c></row>`)
	entries["xl/workbook.xml"] = strings.Replace(entries["xl/workbook.xml"], "Far", "a&#10;b", 1)
	document, err := reader.Read(t.Context(), []byte(extracttest.Zip(t, entries)), "a.xlsx")
	if err != nil || len(document.Anchors) != 1 || document.Anchors[0].Name != "sheet ab" {
		t.Errorf("got %v, %v", document.Anchors, err)
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

func FuzzRTF(f *testing.F) {
	f.Add([]byte(`{\rtf1\ansi caf\'e9 \u28193?{\*\x y}\trowd\intbl a\cell\row{\footnote n}\par}`))
	f.Add(extracttest.Sample(f, "pandoc.rtf"))
	fuzz(f, "a.rtf")
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

// FuzzDOCX and the fuzz tests of other packed formats change the part that holds the
// text: a zip file with changed bytes is usually just broken.
func FuzzDOCX(f *testing.F) {
	f.Add([]byte(`<w:p><w:r><w:t>a</w:t><w:tab/><w:footnoteReference w:id="1"/></w:r></w:p>` +
		`<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`))
	fuzzPart(f, func(part string) map[string]string { return extracttest.DOCX(part) })
}

func FuzzPPTX(f *testing.F) {
	f.Add([]byte(`<p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>a</a:t></a:r></a:p></p:sp>` +
		`<a:tbl><a:tr><a:tc/></a:tr></a:tbl>`))
	relation := func(kind, target string) string {
		return `<Relationships><Relationship Id="r1" Type="x/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	fuzzPart(f, func(part string) map[string]string {
		return map[string]string{
			extracttest.ContentTypes: extracttest.MainPartType("/ppt/p.xml", extracttest.MainPPTX),
			"ppt/p.xml": `<p:presentation xmlns:p="p" xmlns:r="r">` +
				`<p:sldId id="1" r:id="r1"/></p:presentation>`,
			"ppt/_rels/p.xml.rels":        relation("slide", "slides/s.xml"),
			"ppt/slides/_rels/s.xml.rels": relation("notesSlide", "../n.xml"),
			"ppt/slides/s.xml":            `<p:sld xmlns:p="p" xmlns:a="a">` + part + `</p:sld>`,
			"ppt/n.xml":                   `<p:notes xmlns:p="p" xmlns:a="a">` + part + `</p:notes>`,
		}
	})
}

func FuzzODT(f *testing.F) {
	f.Add([]byte(`<text:h>a</text:h><text:p>b<text:note><text:note-body><text:p>c</text:p></text:note-body></text:note>` +
		`</text:p><table:table-row><table:table-cell/></table:table-row>`))
	fuzzPart(f, func(part string) map[string]string {
		body := `<office:document xmlns:office="o" xmlns:text="t" xmlns:table="b">` + part + `</office:document>`
		return map[string]string{
			"mimetype":    typeODT,
			"content.xml": body,
			"styles.xml":  strings.ReplaceAll(body, "text:h", "style:header"),
		}
	})
}

func FuzzODS(f *testing.F) {
	f.Add([]byte(`<table:table table:name="a"><table:table-row table:number-rows-repeated="3">` +
		`<table:table-cell table:number-columns-repeated="2"><text:p>b</text:p></table:table-cell>` +
		`</table:table-row></table:table>`))
	fuzzPart(f, func(part string) map[string]string { return extracttest.ODF(typeODS, part) })
}

func FuzzODP(f *testing.F) {
	f.Add([]byte(`<draw:page><draw:frame presentation:class="title"><text:p>a</text:p></draw:frame>` +
		`<presentation:notes><text:p>b</text:p></presentation:notes></draw:page>`))
	fuzzPart(f, func(part string) map[string]string { return extracttest.ODF(typeODP, part) })
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

func FuzzXLSX(f *testing.F) {
	f.Add([]byte(`<row r="1"><c r="A1"><v>1</v></c><c r="C1" t="inlineStr"><is><t>last</t></is></c></row>`))
	fuzzPart(f, func(part string) map[string]string { return extracttest.XLSX(part) })
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
