package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"

	"parley"
)

// Cost of a password hash: about 40 ms and 19 MiB, as OWASP advises for argon2id.
const (
	hashTime    = 2
	hashMemory  = 19 * 1024 // KiB
	hashThreads = 1
	hashLength  = 32
	saltLength  = 16
)

// maxHashWaits is how many may wait for each slot: some seconds.
const maxHashWaits = 128

// hasher hashes passwords, few at a time: a flood of logins must not take all the
// memory, nor the other requests their turn.
type hasher struct {
	slots   chan struct{}
	waiting atomic.Int64
}

func newHasher() *hasher {
	return &hasher{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// enter waits for a slot; where too many do so it is parley.ErrOverloaded.
func (h *hasher) enter(ctx context.Context) error {
	if h.waiting.Add(1) > int64(cap(h.slots))*maxHashWaits {
		h.waiting.Add(-1)
		return parley.ErrOverloaded
	}
	defer h.waiting.Add(-1)
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *hasher) leave() { <-h.slots }

// hash waits for its turn and returns the stored form of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", fmt.Errorf("wait to hash a password: %w", err)
	}
	defer h.leave()
	return hashed(password)
}

// hashed returns the stored form of a password. It is costly: enter first.
func hashed(password string) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	key := argon2.IDKey([]byte(password), salt, hashTime, hashMemory, hashThreads, hashLength)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashTime, hashThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// matches compares a password with its stored form. It is as costly as hashed: enter first.
func matches(password, stored string) (bool, error) {
	var version int
	var memory, time uint32
	var threads uint8
	var rest string
	if _, err := fmt.Sscanf(stored, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &memory, &time, &threads, &rest); err != nil {
		return false, fmt.Errorf("read a password hash: %w", err)
	}
	encodedSalt, encodedKey, _ := strings.Cut(rest, "$")
	salt, saltErr := base64.RawStdEncoding.DecodeString(encodedSalt)
	want, keyErr := base64.RawStdEncoding.DecodeString(encodedKey)
	if err := errors.Join(saltErr, keyErr); err != nil || len(want) == 0 {
		return false, fmt.Errorf("read a password hash: %w", err)
	}
	got := argon2.IDKey([]byte(password), salt, time, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
