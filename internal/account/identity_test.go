package account

import (
	"strings"
	"testing"
)

// FuzzBearer parses the token in an arbitrary header.
func FuzzBearer(f *testing.F) {
	for _, seed := range []string{"Bearer abc", "bearer abc", "BEARER  abc ", "Basic abc", "Bearer", "", "Bearer a b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		token, ok := bearer([]string{header})
		if ok && (!strings.EqualFold(header[:6], "bearer") || !strings.Contains(header, token)) {
			t.Fatalf("%q gave %q", header, token)
		}
		if _, ok := bearer([]string{header, header}); ok {
			t.Fatal("two headers were taken")
		}
	})
}
