package charset

import (
	"bytes"
	"testing"
)

func BenchmarkLikeliest(b *testing.B) {
	sample := bytes.Repeat([]byte("\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0 caf\xe9\n"), 1000)[:sampleSize]
	for b.Loop() {
		likeliest(sample)
	}
}
