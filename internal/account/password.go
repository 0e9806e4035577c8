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

// The cost of a password hash: about 40 ms and 19 MiB, as OWASP recommends for argon2id.
const (
	hashTime    = 2
	hashMemory  = 19 * 1024 // KiB
	hashThreads = 1
	hashLength  = 32
	saltLength  = 16
)

// maxWaitersPerSlot bounds the wait for a slot to a few seconds.
const maxWaitersPerSlot = 128

// hasher hashes passwords, one per processor at a time, so that many logins at once leave
// memory and processor time for other requests.
type hasher struct {
	slots   chan struct{}
	waiting atomic.Int64
}

func newHasher() *hasher {
	return &hasher{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// acquire waits for a slot. If too many are waiting it returns parley.ErrOverloaded.
func (h *hasher) acquire(ctx context.Context) error {
	if h.waiting.Add(1) > int64(cap(h.slots))*maxWaitersPerSlot {
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

func (h *hasher) release() { <-h.slots }

// hash waits for a slot and returns the stored form of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.acquire(ctx); err != nil {
		return "", fmt.Errorf("wait to hash a password: %w", err)
	}
	defer h.release()
	return hashPassword(password)
}

// hashPassword returns the stored form of a password. The caller must hold a slot.
func hashPassword(password string) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	key := argon2.IDKey([]byte(password), salt, hashTime, hashMemory, hashThreads, hashLength)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashTime, hashThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// verifyPassword reports whether a password matches its stored form. The caller must hold a slot.
func verifyPassword(password, stored string) (bool, error) {
	var version int
	var memory, time uint32
	var threads uint8
	var rest string
	_, err := fmt.Sscanf(stored, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &memory, &time, &threads, &rest)
	if err != nil {
		return false, fmt.Errorf("read a password hash: %w", err)
	}
	encodedSalt, encodedKey, _ := strings.Cut(rest, "$")
	salt, saltErr := base64.RawStdEncoding.DecodeString(encodedSalt)
	want, keyErr := base64.RawStdEncoding.DecodeString(encodedKey)
	if err := errors.Join(saltErr, keyErr); err != nil {
		return false, fmt.Errorf("read a password hash: %w", err)
	}
	if len(want) == 0 {
		return false, errors.New("read a password hash: it is empty")
	}
	got := argon2.IDKey([]byte(password), salt, time, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
