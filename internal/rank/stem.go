package rank

import (
	"iter"
	"strings"
)

// stemLetters is the number of letters that words of one stem share, such as "kündigen" and "Kündigung".
const stemLetters = 5

// englishWords are frequent words of English that are rare in other languages.
var englishWords = set(`the of and to is are that with for it this have has had by from be been not they you your which
	would should there were their when what`)

// englishShare is the least share of englishWords in an English text. Most texts have twice as many.
const englishShare = 0.1

// allTerms yields the terms of a text, and the stems of its words unless it is English. English has few endings: with
// stems its passages were found less well.
func allTerms(text string) iter.Seq[term] {
	return func(yield func(term) bool) {
		for t := range terms(text) {
			if !yield(t) {
				return
			}
		}
		if isEnglish(text) {
			return
		}
		for run := range runs(text) {
			if run.dense {
				continue
			}
			if t, ok := stemTerm(normalize(run.text)); ok && !yield(t) {
				return
			}
		}
	}
}

// stemTerm returns the term of the stem of a normalized word. Short words have none.
func stemTerm(normal string) (term, bool) {
	letters := 0
	for i := range normal {
		if letters == stemLetters {
			normal = normal[:i]
			break
		}
		letters++
	}
	// The hyphen tells a stem from a word of five letters.
	return wordTerm(normal + "-"), letters == stemLetters
}

// isEnglish reports whether a text is in English, as far as it has words.
func isEnglish(text string) bool {
	const longest = len("should")
	words, english := 0, 0
	for run := range runs(text) {
		if run.dense {
			continue
		}
		words++
		if len(run.text) <= longest && englishWords[strings.ToLower(run.text)] {
			english++
		}
	}
	return float64(english) >= englishShare*float64(words)
}
