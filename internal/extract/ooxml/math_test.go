package ooxml

import (
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// mathRun returns a run of a formula.
func mathRun(text string) string {
	return `<m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>` + text + `</m:t></m:r>`
}

// mathForm returns a form of a formula. Parts are pairs of a name and the content.
func mathForm(form string, parts ...string) string {
	var b strings.Builder
	b.WriteString(`<m:` + form + `>`)
	for i := 0; i+1 < len(parts); i += 2 {
		b.WriteString(`<m:` + parts[i] + `>` + parts[i+1] + `</m:` + parts[i] + `>`)
	}
	return b.String() + `</m:` + form + `>`
}

func TestFormulasAreLinearText(t *testing.T) {
	a, b, two := mathRun("a"), mathRun("b"), mathRun("2")
	sum := mathRun("a+b")
	chr := func(name, value string) string { return `<m:` + name + ` m:val="` + value + `"/>` }
	for formula, want := range map[string]string{
		sum + mathRun("=2"):                                                                           "a+b=2",
		mathForm("f", "num", sum, "den", two):                                                         "(a+b)/2",
		mathForm("f", "num", two, "den", mathRun("2a")):                                               "2/(2a)",
		mathForm("sSup", "e", a, "sup", mathRun("10")):                                                "a^10",
		mathForm("sSup", "e", sum, "sup", sum):                                                        "(a+b)^(a+b)",
		mathForm("sSub", "e", a, "sub", b):                                                            "a_b",
		mathForm("sSubSup", "e", a, "sub", b, "sup", two):                                             "a_b^2",
		mathForm("sPre", "sub", two, "sup", b, "e", a):                                                "_2^ba",
		mathForm("rad", "deg", "", "e", sum):                                                          "√(a+b)",
		mathForm("rad", "deg", mathRun("3"), "e", a):                                                  "√[3](a)",
		mathForm("nary", "sub", a, "sup", b, "e", two):                                                "∫_a^b 2",
		mathForm("func", "fName", mathRun("sin"), "e", a):                                             "sin a",
		mathForm("limLow", "e", mathRun("lim"), "lim", sum):                                           "lim_(a+b)",
		mathForm("limUpp", "e", a, "lim", b):                                                          "a^b",
		mathForm("eqArr", "e", a, "e", b):                                                             "a; b",
		mathForm("m", "mr", mathForm("x", "e", a, "e", b), "mr", mathForm("x", "e", two)):             "[a, b; 2]",
		mathForm("acc", "accPr", chr("chr", "\u0303"), "e", a):                                        "a\u0303",
		mathForm("bar", "e", a):                                                                       "a\u0305",
		mathForm("box", "e", a):                                                                       "a",
		mathForm("d", "e", a, "e", b):                                                                 "(a|b)",
		mathForm("sSup", "e", mathForm("d", "e", sum), "sup", two):                                    "(a+b)^2",
		mathForm("f", "num", mathForm("d", "e", a)+mathForm("d", "e", b), "den", two):                 "((a)(b))/2",
		mathForm("nary", "naryPr", chr("chr", "∑"), "sub", mathRun("i=1"), "sup", a, "e", b):          "∑_(i=1)^a b",
		mathForm("d", "dPr", chr("begChr", "[")+chr("endChr", "")+chr("sepChr", ";"), "e", a, "e", b): "[a;b",
	} {
		body := `<w:p><w:r><w:t>See </w:t></w:r><m:oMath xmlns:m="m">` + formula + `</m:oMath><w:r><w:t>.</w:t></w:r></w:p>`
		document, err := readEntries(t, extracttest.DOCX(body))
		if err != nil || document.Text != "See "+want+"." {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", formula, document.Text, err, want)
		}
		slide := `<p:sp><a:p><a:r><a:t>See </a:t></a:r><x:m xmlns:x="x"><m:oMath xmlns:m="m">` + formula +
			`</m:oMath></x:m></a:p></p:sp>`
		document, err = readEntries(t, pptx(slide))
		if err != nil || document.Text != "See "+want {
			t.Errorf("on a slide: got %q, %v, want %q", document.Text, err, want)
		}
	}
}

func TestADeepFormulaIsRead(t *testing.T) {
	for depth := maxMathDepth; depth < 100_000; depth = depth*10 + 1 {
		formula := strings.Repeat(`<m:f><m:num>`, depth) + mathRun("a") + strings.Repeat(`</m:num></m:f>`, depth)
		out := &prose.Output{Limit: 1 << 20}
		err := zipxml.Visit([]byte(`<w:p><m:oMath>`+formula+`</m:oMath></w:p>`), (&wordReader{out: out}).visitor())
		got := out.String()
		if err != nil || !strings.Contains(got, "a") || len(got) > 10*maxMathDepth {
			t.Errorf("depth %d: got %.200q, %v", depth, got, err)
		}
	}
}
