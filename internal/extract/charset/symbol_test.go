package charset

import (
	"testing"
	"unicode/utf8"
)

func TestSymbolsAreCharacters(t *testing.T) {
	for _, tt := range []struct{ font, text, want string }{
		{"Symbol", "\uf061\uf06d\uf0b3\uf0fe\uf0b7", "αμ≥⎭•"},
		{"ABCDEF+SymbolMT", "\uf044", "Δ"},
		{"Wingdings", "\uf04a\uf06c\uf081\uf095\uf0e0\uf0fc\uf0ff", "☺●①❿→✓•"},
		{"wingdings 2", "\uf050", "•"},
		{"", "\uf06d\uf0a7\uf0e0\uf0fc", "μ▪→✓"},
		{"Arial", "plain \ue000", "plain \ue000"},
	} {
		if got := Symbols(tt.font, tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.font, got, tt.want)
		}
	}
	for table, want := range map[string]int{symbols20: 95, wingdings20: 95, symbolsA0: 96, wingdingsA0: 96} {
		if got := utf8.RuneCountInString(table); got != want || !utf8.ValidString(table) {
			t.Errorf("the table of %.10s has %d characters, want %d", table, got, want)
		}
	}
}
