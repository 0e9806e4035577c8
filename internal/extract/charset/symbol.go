package charset

import (
	"strings"
	"unicode/utf8"
)

// Symbol returns the character that a font of symbols shows for a code. If the font is not known, the code is taken for
// one of Symbol's, unless it is one that documents use almost only in Wingdings.
func Symbol(font string, code byte) rune {
	font = strings.ReplaceAll(strings.ToLower(font), " ", "")
	switch {
	case strings.Contains(font, "wingdings2"), strings.Contains(font, "wingdings3"), strings.Contains(font, "webdings"):
		return bullet // all are pictures
	case strings.Contains(font, "wingdings"):
		return wingding(code)
	case strings.Contains(font, "symbol"):
		return inSymbol(code)
	case strings.IndexByte(oftenWingdings, code) >= 0:
		return wingding(code)
	}
	return inSymbol(code)
}

// Symbols replaces the characters for private use by which documents name what a font of symbols shows.
func Symbols(font, text string) string {
	if !strings.ContainsFunc(text, IsSymbol) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if IsSymbol(r) {
			return Symbol(font, byte(r))
		}
		return r
	}, text)
}

// IsSymbol reports whether a character for private use stands for a code of a font of symbols.
func IsSymbol(r rune) bool { return 0xF020 <= r && r <= 0xF0FF }

// bullet stands for a picture that has no character: most are marks of list items.
const bullet = '•'

// oftenWingdings are arrows, boxes, ticks, crosses and stars.
const oftenWingdings = "\x76\xA7\xA8\xAB\xD8\xE0\xE8\xF0\xFB\xFC\xFD\xFE"

// inSymbol returns a character of Symbol, or of fonts with its codes.
func inSymbol(code byte) rune {
	switch {
	case 0x20 <= code && code < 0x7F:
		return nth(symbols20, code-0x20)
	case 0xA0 <= code:
		return nth(symbolsA0, code-0xA0)
	}
	return bullet
}

// wingding returns a character of Wingdings. Pictures of which a text says nothing are bullets.
func wingding(code byte) rune {
	switch {
	case 0x20 <= code && code < 0x7F:
		return nth(wingdings20, code-0x20)
	case 0x80 <= code && code <= 0x8A:
		return nth("⓪①②③④⑤⑥⑦⑧⑨⑩", code-0x80)
	case 0x8B <= code && code <= 0x95:
		return nth("⓿❶❷❸❹❺❻❼❽❾❿", code-0x8B)
	case 0xA0 <= code:
		return nth(wingdingsA0, code-0xA0)
	}
	return bullet
}

// nth returns a character of a table.
func nth(table string, n byte) rune {
	for range n {
		_, size := utf8.DecodeRuneInString(table)
		table = table[size:]
	}
	r, _ := utf8.DecodeRuneInString(table)
	return r
}

// The characters of Symbol from 0x20 and from 0xA0 on.
const (
	symbols20 = " !∀#∃%&∋()∗+,−./0123456789:;<=>?" +
		"≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_" +
		"‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
	symbolsA0 = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|─↵" +
		"ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓" +
		"◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪•〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭•"
)

// The characters of Wingdings from 0x20 and from 0xA0 on.
const (
	wingdings20 = " ✎✂✁••••☎✆✉•••••••••••⌛⌨••••••✇✍" +
		"•✌•••☜☞☝☟•☺•☹•☠••✈☼•❄•✞•✠✡☪☯ॐ☸♈♉" +
		"♊♋♌♍♎♏♐♑♒♓&&●❍■□□❑❒⬧⧫◆❖⬥☒⮹⌘••❝❞"
	wingdingsA0 = "▪○••◉◎•▪☐•✦★✶✴✹✵••⟡••✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘" +
		"🕙🕚🕛••••••••••••••••••⌫⌦•➢•••➲••←" +
		"→↑↓↖↗↙↘•➔••••••⇦⇨⇧⇩⬄⇳⬀⬁⬃⬂▭▫✗✓☒☑•"
)
