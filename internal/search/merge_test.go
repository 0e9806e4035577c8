package search

import (
	"slices"
	"testing"
)

func TestBlocksOfASizeAreMerged(t *testing.T) {
	sizes := func(heads []head) (all []int) {
		for _, h := range heads {
			all = append(all, h.size)
		}
		return all
	}
	for name, c := range map[string]struct{ size, gone, pages, want []int }{
		"few":                   {size: []int{2, 2, 2, 2, 2, 2, 2}},
		"many of the least":     {size: []int{2, 1, 2, 7, 2, 2, 2, 2}, want: []int{1, 2, 2, 2, 2, 2, 2, 7}},
		"many of the next size": {size: []int{8, 8, 8, 63, 8, 8, 2, 8, 8}, want: []int{8, 8, 8, 8, 8, 8, 8, 63}},
		"as many as fit":        {size: []int{1600, 1600, 1600, 1600, 1600, 1600, 1600, 1600}, want: []int{1600, 1600}},
		"as many as have few pages": {
			size: []int{3, 3, 3, 3, 3, 3, 3, 4}, pages: []int{512, 300, 300, 300, 300, 300, 300, 1}, want: []int{3, 3},
		},
		"those with many pages stay":  {size: []int{3, 3, 3, 3, 3, 3, 3, 3}, pages: []int{513}},
		"full ones stay":              {size: []int{2049, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096}},
		"one with many that are gone": {size: []int{100, 100}, gone: []int{24, 25}, want: []int{100}},
		"one with none left":          {size: []int{3}, gone: []int{3}, want: []int{3}},
		"an empty one":                {size: []int{0, 3}, want: []int{0}},
		"an empty one at the end":     {size: []int{3, 0}},
	} {
		var heads []head
		for i, size := range c.size {
			h := head{block: int64(i + 1), size: size}
			if i < len(c.gone) {
				h.gone = c.gone[i]
			}
			if i < len(c.pages) {
				h.pages = c.pages[i]
			}
			heads = append(heads, h)
		}
		if got := sizes(mergeable(heads)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
