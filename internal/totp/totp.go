// Package totp makes and checks one-time codes by RFC 6238: six digits that change every 30 seconds, by HMAC-SHA-1.
// Authenticator apps understand no other parameters reliably.
package totp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"
)

const (
	// Digits is the length of a code.
	Digits = 6
	// Period is how long a code lasts.
	Period = 30 * time.Second

	modulus     = 1_000_000 // 10 to the power of Digits
	secretBytes = 20        // 160 bits, as RFC 4226 recommends
	skew        = 1         // by how many steps the clock of a phone may differ
)

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret returns a random secret of 160 bits in Base32.
func NewSecret() string {
	var secret [secretBytes]byte
	_, _ = rand.Read(secret[:]) // never fails
	return encoding.EncodeToString(secret[:])
}

// Step returns the number of the period at a time.
func Step(at time.Time) int64 { return at.Unix() / int64(Period/time.Second) }

// Code returns the code of a secret at a step.
func Code(secret string, step int64) (string, error) {
	key, err := encoding.DecodeString(secret)
	if err != nil {
		return "", fmt.Errorf("read a secret: %w", err)
	}
	mac := hmac.New(sha1.New, key)
	_, _ = mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step))) // never fails
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	value := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", Digits, value%modulus), nil
}

// Match returns the step of a code: the current one, or the one before or after it. It returns false if none of them
// has this code.
func Match(secret, code string, now time.Time) (step int64, found bool, err error) {
	current := Step(now)
	for at := current - skew; at <= current+skew; at++ {
		want, err := Code(secret, at)
		if err != nil {
			return 0, false, err
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, found = at, true
		}
	}
	return step, found, nil
}

// URI returns the address that authenticator apps read from a QR code.
func URI(issuer, account, secret string) string {
	return fmt.Sprintf("otpauth://totp/%s:%s?secret=%s&issuer=%s&algorithm=SHA1&digits=%d&period=%d",
		url.PathEscape(issuer), url.PathEscape(account), secret, url.QueryEscape(issuer), Digits, int(Period/time.Second))
}
