package rtf

import (
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

func TestRTF(t *testing.T) {
	for document, want := range map[string]string{
		`{\rtf1\ansi One\par Two\line Three}`:                                              "One\n\nTwo\nThree",
		`{\rtf1\ansi caf\'e9 \u28193?\u-28818? \u-10179?\u-8638? end}`:                     "café 渡轮 🙂 end",
		`{\rtf1\ansi\uc2 a\u28193 xyb}`:                                                    "a渡b",
		`{\rtf1\ansi\uc1 a\u28193\'3fb}`:                                                   "a渡b",
		`{\rtf1\ansi\ansicpg936 \'b6\'c9\'c2\'d6}`:                                         "渡轮",
		`{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f1\fcharset134 SimSun;}}\f0 a {\f1\'b6\'c9} b}`: "a 渡 b",
		`{\rtf1{\fonttbl{\f0\fcharset128 Mincho;}}\f0 \'83e\'83\'58}`:                      "テス",
		`{\rtf1{\fonttbl{\f0 Arial;}{\f1\froman\fcharset2{\*\panose 05}Symbol;}{\f2\fcharset2 Wingdings;}}` +
			`5 {\f1 m}g, 3{\f1\'b3}2 {\f1\u-3987 ?} {\f2\'fc\u-3844 ?} {\f0\u-3844 ?m}`: "5 μg, 3≥2 μ ✓✓ ✓m",
		`{\rtf1 10{\super 6} m\super 2\nosupersub , 1{\super st}}`:                   "10⁶ m², 1st",
		`{\rtf1{\info{\author Nobody}}{\*\generator Writer;}{\pict 89504e47}text}`:   "text",
		`{\rtf1 a{\v hidden}b\v hidden\v0 c}`:                                        "abc",
		`{\rtf1 \{\\\}\~x\_y\emdash\ldblquote q\rdblquote}`:                          `{\} x-y—“q”`,
		`{\rtf1{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}} after}`:             "link after",
		`{\rtf1\trowd\intbl a\cell b\cell\row\trowd\intbl\cell d\cell\row\pard end}`: "a\tb\n\td\n\nend",
		`{\rtf1 a\bin3 {{{b}`: "ab",
		`{\rtf1 {\pntext\'b7\tab}one\par{\pntext\'b7\tab}two\par}`:    "- one\n- two",
		`{\rtf1\outlinelevel1{\listtext 4.2\tab}Title\par\pard text}`: "## 4.2 Title\n\ntext",
		`{\rtf1{\pntext 1.\tab}\par\pard text}`:                       "text",
		`{\rtf1 a{\footnote {\super x} note}.\par b}`:                 "a[1].\n\n[1] x note\n\nb",
		`{\rtf1 a \*\nonsense b {\*\nonsense c}\* d}`:                 "a b d",
		`{\rtf1 cut \'e`: "cut",
		`{\rtf1 cut \u`:  "cut",
		`}}}{\rtf1 a}}b`: "ab",
	} {
		out := &prose.Output{Limit: 1000}
		if err := Read(out, []byte(document)); err != nil || out.String() != want {
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
		if got := readText(t, body); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", body, got, want)
		}
	}
}

func TestRTFListsHaveTheirLabels(t *testing.T) {
	const document = `{\rtf1 {\listtext 1.\tab}one\par{\listtext (a)\tab}\pard\ilvl1 two\par` +
		`{\listtext o\tab}\pard\ilvl0 three}`
	out := &prose.Output{Limit: 1000}
	err := Read(out, []byte(document))
	if got := out.String(); err != nil || got != "1. one\n  (a) two\n- three" {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzRTF(f *testing.F) {
	f.Add([]byte(`{\rtf1\ansi caf\'e9 \u28193?{\*\x y}\trowd\intbl a\cell\row{\footnote n}\par}`))
	f.Add(extracttest.Sample(f, "pandoc.rtf"))
	f.Fuzz(func(t *testing.T, file []byte) {
		document, err := readFile(file)
		extracttest.Check(t, document, err)
	})
}
