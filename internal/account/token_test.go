package account

import (
	"encoding/base64"
	"testing"
)

func TestATokenIs256RandomBits(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := newSecret()
		secret, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil || len(secret) != 32 || seen[token] {
			t.Fatalf("the token is %q, %v", token, err)
		}
		seen[token] = true
		if _, ok := hashToken(token); !ok {
			t.Errorf("%q is no token", token)
		}
	}
}

func FuzzToken(f *testing.F) {
	f.Add(newSecret(), newSecret())
	f.Add("", "0123456789012345678901234567890123456789012")
	f.Fuzz(func(t *testing.T, a, b string) {
		hashA, okA := hashToken(a)
		hashB, okB := hashToken(b)
		if okA != (len(a) == 43) {
			t.Errorf("%q: %v", a, okA)
		}
		if okA && okB && (hashA == hashB) != (a == b) {
			t.Errorf("%q and %q have the hashes %x and %x", a, b, hashA, hashB)
		}
	})
}
