package grams_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"parley/internal/casefold"
	"parley/internal/search/grams"
)

// prose makes a text of about 1 KB from a vocabulary, every fourth one in Chinese.
func prose(random *rand.Rand, i int) string {
	var b strings.Builder
	for b.Len() < 1000 {
		f := random.Float64()
		if i%4 == 0 {
			b.WriteRune('一' + rune(f*f*f*3000))
		} else {
			fmt.Fprintf(&b, "%s ", strings.ToLower(fmt.Sprintf("%X", int(f*f*f*8000)*7919)))
		}
	}
	return b.String()
}

func proseTexts(n int) []string {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // texts, not secrets
	var texts []string
	for i := range n {
		texts = append(texts, casefold.Key(prose(random, i)))
	}
	return texts
}

func BenchmarkOf(b *testing.B) {
	text := casefold.Key(prose(rand.New(rand.NewPCG(1, 2)), 1)) //nolint:gosec // texts, not secrets
	b.ReportAllocs()
	for b.Loop() {
		grams.Of(text)
	}
}

func BenchmarkBuild(b *testing.B) {
	texts := proseTexts(200)
	b.ReportAllocs()
	for b.Loop() {
		grams.Build(texts)
	}
}

func BenchmarkMerge(b *testing.B) {
	const each, parts = 512, 8
	var all []grams.Part
	size := 0
	for i := range parts {
		part := grams.Part{Pages: grams.Build(proseTexts(each))}
		for place := range each {
			part.Places = append(part.Places, i*each+place)
		}
		all = append(all, part)
	}
	b.ReportAllocs()
	for b.Loop() {
		pages, err := grams.Merge(all, each*parts)
		if err != nil {
			b.Fatal(err)
		}
		size = 0
		for _, page := range pages {
			size += len(page.Data)
		}
	}
	b.ReportMetric(float64(size)/(each*parts), "bytes/text")
}
