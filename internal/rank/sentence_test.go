package rank

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func pieces(text string, spans []Span) []string {
	var all []string
	for _, s := range spans {
		all = append(all, s.Of(text))
	}
	return all
}

func TestSentences(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", " \n\n ", nil},
		{
			"english", "The ferry leaves at nine. Is it late? No!  Good.",
			[]string{"The ferry leaves at nine.", "Is it late?", "No!", "Good."},
		},
		{
			"decimals", "Pi is 3.14. The fare is 23.50 euros (v1.2.3).",
			[]string{"Pi is 3.14.", "The fare is 23.50 euros (v1.2.3)."},
		},
		{
			"abbreviations", "Dr. Smith sells snacks, e.g. Pizza, at pier No. 5, i.e. Here. See Fig. 2.",
			[]string{"Dr. Smith sells snacks, e.g. Pizza, at pier No. 5, i.e. Here.", "See Fig. 2."},
		},
		{
			"hours", "It leaves at 9 a.m. from pier 5. It returns at 7 p.m. Then it rests.",
			[]string{"It leaves at 9 a.m. from pier 5.", "It returns at 7 p.m.", "Then it rests."},
		},
		{"initials", "J. R. Smith wrote it. He left.", []string{"J. R. Smith wrote it.", "He left."}},
		{
			"quotes", `He said "Go." Then he left. (He did.) Really?!`,
			[]string{`He said "Go."`, "Then he left.", "(He did.)", "Really?!"},
		},
		{
			"addresses", "See https://example.com/a.b?c=d!e for more. Bye.",
			[]string{"See https://example.com/a.b?c=d!e for more.", "Bye."},
		},
		{"chinese", "渡轮九点出发。真的吗？是的！“好。”他说。", []string{"渡轮九点出发。", "真的吗？", "是的！", "“好。”", "他说。"}},
		{"chinese with narrow marks", "票价是3.5元。真的?是的!好", []string{"票价是3.5元。", "真的?", "是的!", "好"}},
		{"japanese", "「行く。」と言った。そうか。", []string{"「行く。」", "と言った。", "そうか。"}},
		{
			"headings and lists", "# Ferries\nIntro line\n- one. Two\n- three\n1. first\n2. second",
			[]string{"# Ferries", "Intro line", "- one.", "Two", "- three", "1. first", "2. second"},
		},
		{
			"wrapped lines", "The first ferry to the island of Capri leaves\nNaples at nine. It returns\nlate.",
			[]string{"The first ferry to the island of Capri leaves\nNaples at nine.", "It returns", "late."},
		},
		{
			"tables", "| Island | Hour | and a very long header of a table |\n|---|---|\n| Capri | 9 |",
			[]string{"| Island | Hour | and a very long header of a table |", "|---|---|", "| Capri | 9 |"},
		},
		{
			"rows", "Capri,9:00,a row with quite a long comment in it\nIschia,10:00,x",
			[]string{"Capri,9:00,a row with quite a long comment in it", "Ischia,10:00,x"},
		},
		{"ellipsis", "Wait… what? Yes... no.", []string{"Wait…", "what?", "Yes... no."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pieces(tt.text, Sentences(tt.text)); !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestPassagesEndWhereParagraphsDo(t *testing.T) {
	text := "# Ferries\n\nThe first leaves at nine.\n\nThe last leaves at seven.\n\n" +
		"## Fares\n\nA ticket costs 23 euros. Children pay half.\nBicycles are free.\n"
	tests := []struct {
		size int
		want []string
	}{
		{1000, []string{strings.TrimSpace(text)}},
		{75, []string{
			"# Ferries\n\nThe first leaves at nine.\n\nThe last leaves at seven.",
			"## Fares\n\nA ticket costs 23 euros. Children pay half.\nBicycles are free.",
		}},
		{40, []string{
			"# Ferries\n\nThe first leaves at nine.",
			"The last leaves at seven.",
			"## Fares\n\nA ticket costs 23 euros.",
			"Children pay half.\nBicycles are free.",
		}},
		{12, []string{
			"# Ferries", "The first", "leaves at", "nine.", "The last", "leaves at", "seven.", "## Fares", "A ticket",
			"costs 23", "euros.", "Children pay", "half.", "Bicycles are", "free.",
		}},
	}
	for _, tt := range tests {
		if got := pieces(text, Passages(text, tt.size)); !slices.Equal(got, tt.want) {
			t.Errorf("%d: got %q\nwant %q", tt.size, got, tt.want)
		}
	}
}

func TestPassagesOfOneEndlessSentenceTakeLinearTime(t *testing.T) {
	text := strings.Repeat("渡轮", 1<<20)
	spans := Passages(text, 1000)
	if want := (2<<20 + 499) / 500; len(spans) != want {
		t.Errorf("%d passages, want %d", len(spans), want)
	}
}

func FuzzSplitting(f *testing.F) {
	f.Add("# Ferries\n\nThe first leaves at 9 a.m. from pier No. 5.\n\n## Fares\n- 23.50 euros!", 20)
	f.Add("渡轮九点出发。票价是3.5元。\r\n\n真的?是的!", 5)
	f.Add(". ! ? … \xff.\xff a.", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		covers(t, text, Sentences(text))
		passages := Passages(text, size)
		covers(t, text, passages)
		for _, s := range passages {
			if n := len([]rune(s.Of(text))); n > max(1, size) {
				t.Errorf("a passage of %d characters, more than %d", n, size)
			}
		}
	})
}

// covers checks that the spans are in order, not empty, and omit only space.
func covers(t *testing.T, text string, spans []Span) {
	t.Helper()
	end := 0
	for _, s := range append(spans, Span{len(text), len(text)}) {
		if s.Start < end || s.End < s.Start {
			t.Fatalf("%v after %d", s, end)
		}
		if left := strings.TrimFunc(text[end:s.Start], unicode.IsSpace); left != "" {
			t.Fatalf("left out %q", left)
		}
		end = s.End
	}
}
