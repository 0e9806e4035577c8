package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"parley/internal/store"
)

// tokenBytes is a token's randomness: 256 bits.
const tokenBytes = 32

// newSecret makes a token.
func newSecret() string {
	var secret [tokenBytes]byte
	_, _ = rand.Read(secret[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

// hashToken is what is kept of a token. It reports whether the token has the form of
// one: anything else can't exist, and need not be looked for.
func hashToken(token string) (store.TokenHash, bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return store.TokenHash{}, false
	}
	return sha256.Sum256([]byte(token)), true
}
