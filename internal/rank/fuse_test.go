package rank

import (
	"slices"
	"testing"
)

func TestFuse(t *testing.T) {
	list := func(parts ...int) (hits []Hit) {
		for _, part := range parts {
			hits = append(hits, Hit{Part: part, Span: Span{part, part + 1}, Score: float64(1000 - part)})
		}
		return hits
	}
	for _, c := range []struct {
		name  string
		n     int
		lists [][]Hit
		want  []int
	}{
		{"one list keeps its order", 9, [][]Hit{list(3, 1, 2)}, []int{3, 1, 2}},
		{"a hit of both comes first", 9, [][]Hit{list(1, 2), list(3, 2)}, []int{2, 1, 3}},
		{"a better place decides", 9, [][]Hit{list(1, 2, 3), list(2, 1, 4)}, []int{1, 2, 3, 4}},
		{"at most n", 2, [][]Hit{list(1, 2), list(3, 2)}, []int{2, 1}},
		{"an empty list", 9, [][]Hit{nil, list(5)}, []int{5}},
		{"nothing", 9, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []int
			for _, hit := range Fuse(c.n, c.lists...) {
				if hit.Span != (Span{hit.Part, hit.Part + 1}) {
					t.Errorf("the span of %d is %v", hit.Part, hit.Span)
				}
				got = append(got, hit.Part)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestFuseTellsIndexesApart(t *testing.T) {
	if got := Fuse(9, []Hit{{Index: 0, Part: 1}}, []Hit{{Index: 1, Part: 1}}); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestSpan(t *testing.T) {
	text := "one two three"
	x := NewIndex(text, []Span{{0, 3}, {4, 7}})
	if span, err := x.Span(1); err != nil || span.Of(text) != "two" {
		t.Errorf("got %v, %v", span, err)
	}
	for _, part := range []int{-1, 2} {
		if _, err := x.Span(part); err == nil {
			t.Errorf("part %d has a span", part)
		}
	}
}
