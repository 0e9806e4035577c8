package grams

// Words stand behind all characters: they are higher than any gram whose first character
// exists.
const (
	firstWord  = Gram(noRune) << (2 * runeBits)
	wordReach  = 13              // as many letters as fit: 27^13 is less than what is left
	wordLength = letterReach + 1 // shorter ones are found without
)

// word is letters as a gram. Of a long word the beginning stands for it.
func word(letters []rune) Gram { return firstWord + spell(letters, wordReach) }

func appendWord(all []Gram, letters []rune) []Gram {
	if len(letters) < wordLength {
		return all
	}
	return append(all, word(letters))
}

// wordsFrom is the range of the words that begin with a keyword, where it is letters.
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
