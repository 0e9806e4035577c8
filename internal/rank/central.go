package rank

import (
	"cmp"
	"math"
	"slices"
)

// Central returns the indexes of the n texts that have most in common with the others, in
// ascending order.
func Central(texts []string, n int) []int {
	queries := make([]Query, len(texts))
	frequency := make(map[term]int) // number of texts with a term
	for i, text := range texts {
		queries[i] = NewQuery(text)
		for _, t := range queries[i].terms {
			frequency[t.term]++
		}
	}
	order := make([]int, len(texts))
	scores := make([]float64, len(texts))
	for i, q := range queries {
		order[i] = i
		for _, t := range q.terms {
			scores[i] += math.Log(float64(frequency[t.term]))
		}
		scores[i] /= math.Sqrt(float64(len(q.terms) + 1))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	return order
}
