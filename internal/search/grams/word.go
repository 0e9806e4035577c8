package grams

// Grams of words are above all grams of characters.
const (
	firstWord  = Gram(noRune) << (2 * runeBits)
	wordReach  = 13              // the most letters that fit into a gram
	wordLength = letterReach + 1 // shorter words are grams anyway
)

// word returns the gram of a word. Of a long word only the beginning is used.
func word(letters []rune) Gram { return firstWord + spell(letters, wordReach) }

func appendWord(all []Gram, letters []rune) []Gram {
	if len(letters) < wordLength {
		return all
	}
	return append(all, word(letters))
}

// wordsFrom returns the range of the words that begin with a keyword. It is empty if the
// keyword is not a word.
func wordsFrom(key string) Range {
	letters := []rune(key)
	if len(letters) < wordLength || len(letters) > wordReach {
		return Range{First: 1, Last: 0}
	}
	for _, r := range letters {
		if !letter(r) {
			return Range{First: 1, Last: 0}
		}
	}
	first := word(letters)
	return Range{first, first + spellings(wordReach-len(letters)) - 1}
}

// Empty reports whether there is no gram in the range.
func (r Range) Empty() bool { return r.First > r.Last }
