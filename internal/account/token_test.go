package account

import (
	"encoding/base64"
	"math"
	"testing"
)

func TestATokenIs256RandomBits(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		text := newSecret()
		secret, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(secret) != 32 || seen[text] {
			t.Fatalf("the secret is %q, %v", text, err)
		}
		seen[text] = true
	}
}

func TestATokenNamesItsUser(t *testing.T) {
	for _, userID := range []int64{1, 35, 36, 123_456_789, math.MaxInt64} {
		secret := newSecret()
		token := tokenOf(userID, secret)
		named, hash, ok := parseToken(token)
		if !ok || named != userID || hash != hashSecret(secret) {
			t.Errorf("%q is parsed as %d, %v", token, named, ok)
		}
	}
}

func TestATokenHasOneSpelling(t *testing.T) {
	secret := newSecret()
	for _, token := range []string{
		"", ".", secret, "." + secret, "01." + secret, "+1." + secret, "A." + secret, "1_0." + secret, "1." + secret + "x",
		"1." + secret[1:], "1", "1.", " 1." + secret, "zzzzzzzzzzzzzzzz." + secret,
	} {
		if userID, _, ok := parseToken(token); ok {
			t.Errorf("%q is taken for a token of user %d", token, userID)
		}
	}
}

func FuzzToken(f *testing.F) {
	f.Add(tokenOf(1, newSecret()), tokenOf(math.MaxInt64, newSecret()))
	f.Add("", "a.0123456789012345678901234567890123456789012")
	f.Fuzz(func(t *testing.T, a, b string) {
		userA, hashA, okA := parseToken(a)
		userB, hashB, okB := parseToken(b)
		if okA && okB && (userA == userB && hashA == hashB) != (a == b) {
			t.Errorf("%q and %q are of the users %d and %d and have the hashes %x and %x", a, b, userA, userB, hashA, hashB)
		}
	})
}
