package ai

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTokensAreRightWithin20Percent(t *testing.T) {
	// The counts are those of the o200k_base encoding.
	counts := map[string]int{
		"english.txt":           114,
		"chinese-news.txt":      97,
		"chinese-talk.txt":      88,
		"chinese-technical.txt": 117,
		"chinese-and-code.txt":  65,
		"go.txt":                135,
		"python.txt":            108,
		"json.txt":              77,
	}
	for name, want := range counts {
		text, err := os.ReadFile(filepath.Join("testdata", "tokens", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := Tokens(string(text)); got*100 < want*80 || got*100 > want*120 {
			t.Errorf("%s: %d tokens, want %d within 20 %%", name, got, want)
		}
	}
}

func TestTokensOfNothingAreNone(t *testing.T) {
	if got := Tokens(""); got != 0 {
		t.Errorf("%d tokens", got)
	}
}

func TestTokensGrowWithTheText(t *testing.T) {
	for _, piece := range []string{"word ", "字", "x", "7", "!", "\n", "\t", "é", "ж", "🚢", "\xff"} {
		few, many := Tokens(strings.Repeat(piece, 100)), Tokens(strings.Repeat(piece, 10_000))
		if few < 1 || many < few {
			t.Errorf("%q: %d tokens for 100, %d for 10,000", piece, few, many)
		}
	}
}
