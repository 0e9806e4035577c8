package rank

import (
	"cmp"
	"slices"
)

// fuseConstant is the usual constant of reciprocal rank fusion. With it, being found by several searches counts for
// more than being first in one of them.
const fuseConstant = 60

// Fuse returns the n best hits of several searches in the same indexes, best first, by the sum of their reciprocal
// ranks. The scores of different searches don't compare, but their orders do.
func Fuse(n int, lists ...[]Hit) []Hit {
	type part struct{ index, part int }
	var all []Hit
	known := make(map[part]int) // positions in all
	for _, hits := range lists {
		for rank, hit := range hits {
			at, ok := known[part{hit.Index, hit.Part}]
			if !ok {
				at = len(all)
				known[part{hit.Index, hit.Part}] = at
				hit.Score = 0
				all = append(all, hit)
			}
			all[at].Score += 1 / float64(fuseConstant+rank+1)
		}
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(n, len(all))]
}
