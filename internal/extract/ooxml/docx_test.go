package ooxml

import (
	"testing"

	"parley/internal/extract/extracttest"
)

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
		{
			`<w:p><w:r><w:t>5 </w:t><w:sym w:font="Symbol" w:char="F06D"/>` +
				`<w:t>g; t </w:t><w:sym w:font="Symbol" w:char="00B3"/>` +
				`</w:r><w:r><w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr><w:t>&#xF0FC;&#xF06C;</w:t></w:r>` +
				`<w:r><w:t>&#xF0FC;&#xF06D;</w:t><w:sym w:char="x"/></w:r></w:p>`,
			"5 μg; t ≥✓●✓μ",
		},
		{
			`<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r>` +
				`<w:r><w:t>, 106</w:t></w:r></w:p>`,
			"10⁶, 106",
		},
		{
			`<w:p><w:r><w:t>a</w:t><w:drawing><wp:inline xmlns:wp="p">` +
				`<wp:docPr id="1" descr="A ferry at the pier"/></wp:inline></w:drawing></w:r><w:r><w:t>b</w:t></w:r></w:p>`,
			"a A ferry at the pier b",
		},
		{
			`<w:p><w:r><w:ruby><w:rt><w:r><w:t>とう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東</w:t></w:r></w:rubyBase></w:ruby>` +
				`</w:r></w:p>`,
			"東",
		},
		{`<w:p><w:r><w:fldChar/><w:instrText>PAGE</w:instrText><w:t>7</w:t></w:r></w:p>`, "7"},
		{`<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>`, "a\tb"},
		{
			`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc>` +
				`<w:tc><w:p/></w:tc><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
			"a b\t\tc",
		},
		{
			`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>` +
				`<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>` +
				`<w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
			"a\t\tb\n\t\tc",
		},
		{
			`<mc:AlternateContent xmlns:mc="m"><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice>` +
				`<mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>`,
			"box",
		},
	}
	for _, tt := range tests {
		document, err := readEntries(t, extracttest.DOCX(tt.body))
		if err != nil || document.Text != tt.want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.body, document.Text, err, tt.want)
		}
	}
}
