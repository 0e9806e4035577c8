package prose

import "testing"

func TestNumerals(t *testing.T) {
	tests := []struct {
		format string
		n      int
		want   string
	}{
		{"decimal", 12, "12"},
		{"decimalZero", 7, "07"},
		{"unknown", 3, "3"},
		{"none", 3, ""},
		{"upperRoman", 1994, "MCMXCIV"},
		{"lowerRoman", 4, "iv"},
		{"upperRoman", 0, "0"},
		{"upperRoman", 1 << 40, "1099511627776"},
		{"upperLetter", 26, "Z"},
		{"lowerLetter", 28, "bb"},
		{"lowerLetter", -1, "-1"},
		{"ordinal", 22, "22nd"},
		{"ordinal", 11, "11th"},
		{"chineseCounting", 10, "十"},
		{"chineseCounting", 21, "二十一"},
		{"chineseCountingThousand", 1005, "一千零五"},
		{"chineseCountingThousand", 110, "一百一十"},
		{"chineseLegalSimplified", 12, "壹拾贰"},
		{"chineseCounting", 10_000, "10000"},
		{"ideographTraditional", 2, "乙"},
		{"ideographZodiac", 12, "亥"},
		{"ideographTraditional", 11, "11"},
		{"decimalEnclosedCircle", 3, "③"},
	}
	for _, tt := range tests {
		if got := numeral(tt.format, tt.n); got != tt.want {
			t.Errorf("%s of %d: got %q, want %q", tt.format, tt.n, got, tt.want)
		}
	}
}
