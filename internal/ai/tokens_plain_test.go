package ai

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// plainTokens is a simple version of Tokens, one character at a time.
func plainTokens(text string) int {
	hundredths, run, last := 0, 0, none
	for _, r := range text {
		c := plainClass(r)
		if c == last || c == lower && last == upper {
			run++
		} else {
			run = 1
		}
		hundredths += plainCost(c, run, last)
		last = c
	}
	return (hundredths + 99) / 100
}

func plainClass(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r == ' ' || r == '\t':
		return space
	case r == '\n' || r == '\r':
		return newline
	case r < 0x80:
		return mark
	case unicode.Is(unicode.Han, r), 0x3000 <= r && r < 0x3040, 0xFF00 <= r && r < 0xFF66:
		return han
	case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return kana
	case unicode.Is(unicode.Latin, r):
		return lower
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter
	}
	return symbol
}

// plainCost returns the cost of the run-th character of a run.
func plainCost(c class, run int, last class) int {
	switch {
	case c == upper && run > 6:
		return 27
	case c == upper && run > 1:
		return 15
	case (c == lower || c == upper) && run == 1:
		return 95
	case c == lower && run > 6:
		return 12
	case (c == digit || c == mark) && run%3 == 1:
		return 100
	case c == space && run == 2:
		return 90
	case c == newline && run == 1 && last != mark:
		return 80
	case c == han:
		return 74
	case c == kana:
		return 72
	case c == letter && run == 1:
		return 68
	case c == letter:
		return 18
	case c == symbol:
		return 120
	}
	return 0
}

func TestEveryCharacterHasItsClass(t *testing.T) {
	for r := rune(-1); r <= unicode.MaxRune+1; r++ {
		if got, want := classOf(r), plainClass(r); got != want {
			t.Fatalf("%U is of class %d, want %d", r, got, want)
		}
	}
}

func TestTokensAreThoseOfThePlainDefinition(t *testing.T) {
	// Some of each class: long runs and all neighbors must occur.
	piece := rapid.SampledFrom(strings.Split(
		"a|z|é|ſ|A|Z|0|9| |\t|\n|\r|!|\x00|\x7f|字|。|ａ|の|한|ж|ا|\u0301|🚢|’|\xff|\xe5\xad|\xc3", "|"))
	text := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 20).Draw(t, "runs") {
			b.WriteString(strings.Repeat(piece.Draw(t, "piece"), rapid.IntRange(1, 9).Draw(t, "length")))
		}
		return b.String()
	})
	bytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(text, rapid.String(), bytes).Draw(t, "text")
		if got, want := Tokens(text), plainTokens(text); got != want {
			t.Errorf("%d tokens, want %d", got, want)
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	for _, name := range []string{"english", "chinese-news", "go", "json"} {
		data, err := os.ReadFile(filepath.Join("testdata", "tokens", name+".txt"))
		if err != nil {
			b.Fatal(err)
		}
		text := strings.Repeat(string(data), 20)
		for _, way := range []struct {
			name  string
			count func(string) int
		}{{"plain", plainTokens}, {"ours", Tokens}} {
			b.Run(name+"/"+way.name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					way.count(text)
				}
			})
		}
	}
}
