package cells

import (
	"strings"
	"unicode/utf8"
)

// shown is what a number format shows.
type shown struct {
	date, clock   bool
	elapsed       bool // hours, which may be more than a day has
	percent       bool
	before, after string // what stands beside the number, such as a unit
}

// parse reads the part of a number format for positive numbers.
func parse(pattern string) shown {
	p := patternReader{rest: pattern}
	for p.rest != "" {
		p.next()
	}
	s := shown{percent: p.percent, before: p.beside[0].String(), after: p.beside[1].String()}
	if p.digits || strings.Contains(strings.ToLower(pattern), "general") {
		return s
	}
	s.clock = strings.ContainsAny(p.letters, "hs") || p.elapsed
	s.elapsed = p.elapsed
	s.date = strings.ContainsAny(p.letters, "yd") || strings.Contains(p.letters, "m") && !s.clock
	return s
}

// patternReader reads a number format character by character.
type patternReader struct {
	rest    string
	letters string // those for parts of a date
	digits  bool
	percent bool
	elapsed bool
	beside  [2]strings.Builder // literal text before and after the number
}

func (p *patternReader) next() {
	r, size := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[size:]
	switch r {
	case '"':
		text, rest, _ := strings.Cut(p.rest, `"`)
		p.rest = rest
		p.literal(text)
	case '[': // a color, a condition, or a currency such as [$€-407]
		text, rest, _ := strings.Cut(p.rest, "]")
		p.rest = rest
		if currency, ok := strings.CutPrefix(text, "$"); ok {
			currency, _, _ = strings.Cut(currency, "-")
			p.literal(currency)
		} else if text != "" && strings.Trim(strings.ToLower(text), "hms") == "" {
			p.letters += strings.ToLower(text)
			p.elapsed = true
		}
	case '\\', '_', '*': // the next character is literal, a space of its width, or fills the cell
		next, size := utf8.DecodeRuneInString(p.rest)
		p.rest = p.rest[size:]
		if r == '\\' && size > 0 {
			p.literal(string(next))
		}
	case '0', '#', '?':
		p.digits = true
	case '%':
		p.percent = true
	case ' ', '$', '€', '£', '¥', '￥':
		p.literal(string(r))
	case 'y', 'm', 'd', 'h', 's', 'Y', 'M', 'D', 'H', 'S':
		p.letters += strings.ToLower(string(r))
	case 'G', 'g', '@':
		p.digits = p.digits || r == '@' || strings.HasPrefix(strings.ToLower(p.rest), "eneral")
	}
}

// literal adds text that stands before or after the number.
func (p *patternReader) literal(text string) {
	if p.digits {
		p.beside[1].WriteString(text)
	} else {
		p.beside[0].WriteString(text)
	}
}
