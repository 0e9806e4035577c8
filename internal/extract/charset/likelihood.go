package charset

import (
	"math"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/saintfish/chardet"
	"golang.org/x/text/encoding"
)

// Logarithms of probabilities that are the same in all languages. They are rough: what counts is that a
// wrong encoding has many improbable characters.
const (
	mark        = -4.5  // a mark such as a quotation mark or a dash
	strange     = -9.0  // a letter of another language
	symbol      = -10.0 // a symbol that few texts have
	impossible  = -14.0 // no character at all, or a control character
	inWord      = -4.0  // a symbol within a word
	capital     = -1.6  // a capital at the start of a word
	camel       = -3.5  // a capital after a small letter
	afterBeyond = -2.3  // in a Latin text, a letter beyond ASCII after another
	mixed       = -4.5  // in another text, a letter beyond ASCII next to one in ASCII
	rareHan     = -9.5
	rareKana    = -6.0
	rareHangul  = -9.3
	wideMark    = -5.0
)

// closeCall is the greatest difference at which the detector's opinion decides.
const closeCall = 4.0

// languageModels returns the probabilities of characters by language.
var languageModels = sync.OnceValue(newModels)

// models are the probabilities of the characters beyond ASCII, as logarithms.
type models struct {
	byLanguage map[string]map[rune]float64
}

func newModels() models {
	m := models{make(map[string]map[rune]float64)}
	for _, c := range charsets() {
		for _, a := range c.alphabets {
			m.byLanguage[a.language] = ranked(a.letters, 0.9, 1)
		}
		if c.common != "" {
			m.byLanguage[c.name] = ranked(c.common, 0.8, 20)
		}
	}
	return m
}

// ranked gives characters probabilities by their rank, which sum up to share. The frequencies of the
// first ones are the less different, the larger flat is.
func ranked(characters string, share, flat float64) map[rune]float64 {
	p := make(map[rune]float64)
	sum := 0.0
	for _, r := range characters {
		if _, ok := p[r]; !ok {
			p[r] = 1 / (flat + float64(len(p)+1))
			sum += p[r]
		}
	}
	for r := range p {
		p[r] = math.Log(p[r] / sum * share)
	}
	return p
}

// isCommon reports whether a character is frequent in any language.
func (m models) isCommon(r rune) bool {
	if isMark(r) || isWideMark(r) {
		return true
	}
	for _, p := range m.byLanguage {
		if _, ok := p[unicode.ToLower(r)]; ok {
			return true
		}
	}
	return false
}

// likeliest returns the encoding that makes a sample the most likely text. If several are about as likely, the detector
// decides between them.
func likeliest(sample []byte) encoding.Encoding {
	models := languageModels()
	all := charsets()
	scores := make([]float64, len(all))
	best := 0
	runs, pairs := runsOf(sample), pairsOf(bytesOf(sample))
	for i, c := range all {
		scores[i] = math.Inf(-1)
		if !runs.allow(c) {
			continue
		}
		scores[i] = c.prior + models.score(c, sample, pairs)
		if scores[i] > scores[best] {
			best = i
		}
	}
	confidence := detectorConfidence(sample)
	for i, c := range all {
		if scores[best]-scores[i] < closeCall && confidence[c.name] > confidence[all[best].name] {
			best = i
		}
	}
	return all[best].charset
}

// looksLikeUTF8 reports whether valid UTF-8 is meant to be that. A few Chinese characters in GBK, such as
// 目录, are also valid UTF-8, of letters that no language has together.
func looksLikeUTF8(file []byte) bool {
	if len(file) > maxDoubtful {
		return true
	}
	for _, r := range string(file) {
		if utf8.RuneLen(r) > 2 {
			return true
		}
	}
	models := languageModels()
	pairs := pairsOf([]rune(string(file)))
	asUTF8 := math.Inf(-1)
	for _, c := range charsets() {
		for _, a := range c.alphabets {
			asUTF8 = max(asUTF8, pairs.score(models.byLanguage[a.language], a.latin, nil))
		}
	}
	return asUTF8 >= models.score(charsets()[0], file, nil)
}

// maxDoubtful is the size of the texts that looksLikeUTF8 doubts, in bytes.
const maxDoubtful = 64

// detectorConfidence returns how sure the detector is of each encoding, by name.
func detectorConfidence(sample []byte) map[string]int {
	confidence := make(map[string]int)
	guesses, err := chardet.NewTextDetector().DetectAll(sample)
	if err != nil {
		return confidence
	}
	for _, guess := range guesses {
		confidence[guess.Charset] = max(confidence[guess.Charset], guess.Confidence)
	}
	return confidence
}

// runs counts the runs of bytes beyond ASCII. In an encoding with two bytes per character, all have an
// even length; in one with a single byte, about half have.
type runs struct{ odd, all int }

// enoughRuns is the number of runs that decide.
const enoughRuns = 12

func runsOf(sample []byte) runs {
	var r runs
	length := 0
	for i := range len(sample) + 1 {
		switch {
		case i < len(sample) && sample[i] >= utf8.RuneSelf:
			length++
		case length > 0:
			r.all++
			r.odd += length % 2
			length = 0
		}
	}
	return r
}

func (r runs) allow(c charset) bool {
	switch {
	case r.all < enoughRuns:
		return true
	case r.odd == 0:
		return c.common != ""
	case r.odd*100 >= r.all*22:
		return !c.even
	}
	return true
}

// score returns how likely a sample is in the charset's most likely language.
func (m models) score(c charset, sample []byte, pairs pairs) float64 {
	if c.common != "" {
		decoded, err := c.charset.NewDecoder().Bytes(sample)
		if err != nil {
			return math.Inf(-1)
		}
		return m.scoreWide(c, string(decoded))
	}
	best := math.Inf(-1)
	table := tableOf(c.charset)
	for _, a := range c.alphabets {
		best = max(best, pairs.score(m.byLanguage[a.language], a.latin, table))
	}
	return best
}

func (m models) scoreWide(c charset, text string) float64 {
	p := m.byLanguage[c.name]
	total := 0.0
	for _, r := range text {
		if r < utf8.RuneSelf {
			continue
		}
		known, ok := p[r]
		switch {
		case ok:
			total += known
		case isWideMark(r):
			total += wideMark
		case unicode.Is(unicode.Hangul, r) && c.hangul:
			total += rareHangul
		case unicode.In(r, unicode.Hiragana, unicode.Katakana) && r < 0xFF00 && c.kana:
			total += rareKana
		case 0x4E00 <= r && r <= 0x9FFF && !c.hangul:
			total += rareHan
		default:
			total += impossible
		}
	}
	return total
}
