package extracttest

import (
	"archive/zip"
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Zip returns a zip file of these entries.
func Zip(t testing.TB, entries map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(entries[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Noise returns random bytes, always the same.
func Noise(size int) string {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return string(b)
}
