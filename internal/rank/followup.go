package rank

import "strings"

// With returns q with the terms of other that it does not have. They count by the given weight, and not toward a
// share of the question.
func (q Query) With(other Query, weight float64) Query {
	known := make(map[term]bool, len(q.terms))
	for _, t := range q.terms {
		known[t.term] = true
	}
	q.terms = q.terms[:len(q.terms):len(q.terms)]
	for _, t := range other.terms {
		if len(q.terms) == maxTerms {
			break
		}
		if !known[t.term] {
			q.terms = append(q.terms, queryTerm{term: t.term, weight: weight * t.weight})
		}
	}
	return q
}

// RefersBack reports whether a question has a word that stands for something said before, such as "it" or "那".
func RefersBack(question string) bool {
	for run := range runs(question) {
		if run.dense {
			if strings.ContainsAny(run.text, backCharacters) {
				return true
			}
			continue
		}
		if backWords[strings.ToLower(run.text)] {
			return true
		}
	}
	return false
}

var backWords = wordSet(`
he him his she her hers it its they them their theirs that this those these there then so such one ones else instead
again same other another and but or
`)

// backCharacters are pronouns of Chinese, and what ends a question such as "价格呢".
const backCharacters = "他她它这這那其该該此呢还還"

func wordSet(words string) map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
