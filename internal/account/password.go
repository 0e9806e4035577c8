package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"

	"parley"
	"parley/internal/limit"
)

// The cost of a password hash: about 40 ms and 19 MiB, as OWASP recommends for argon2id.
const (
	hashTime    = 2
	hashMemory  = 19 * 1024 // KiB, the default of Config
	hashThreads = 1
	hashLength  = 32
	saltLength  = 16
)

// maxWaitersPerSlot bounds the wait for a slot to a few seconds.
const maxWaitersPerSlot = 128

// minCollect is how many hashes are computed at least before their garbage is collected. With four, the collections
// take a twentieth of the time of the hashes.
const minCollect = 4

// hasher hashes passwords, one per processor at a time: many logins at once must leave memory and processor time for
// other requests. Networks take turns.
type hasher struct {
	memory       uint32 // of a hash, in KiB
	turns        *limit.Fair[netip.Addr]
	collectEvery int64
	hashes       atomic.Int64
}

// newHasher returns a hasher that computes the given number of hashes at a time, each with so many KiB.
func newHasher(slots int, memory uint32) *hasher {
	return &hasher{
		memory:       memory,
		turns:        limit.NewFair[netip.Addr](limit.FairConfig{Slots: slots, Queue: slots * maxWaitersPerSlot}),
		collectEvery: int64(max(slots, minCollect)) * hashMemory / int64(memory),
	}
}

// acquire waits for a slot to check a password, which must be returned with release. If too many are waiting it returns
// parley.ErrOverloaded.
func (h *hasher) acquire(ctx context.Context, network netip.Addr) error {
	if err := h.turns.Acquire(ctx, network); err != nil {
		return fmt.Errorf("wait to hash a password: %w", err)
	}
	return nil
}

// acquireLow waits for a slot for a registration. Those who have an account come first.
func (h *hasher) acquireLow(ctx context.Context, network netip.Addr) error {
	if err := h.turns.AcquireLow(ctx, network); err != nil {
		return fmt.Errorf("wait to hash a password: %w", err)
	}
	return nil
}

// release returns a slot. A hash leaves 19 MiB of garbage, which the collector would let grow to several times the
// memory in use. So it is collected here.
func (h *hasher) release(network netip.Addr) {
	if h.hashes.Add(1)%h.collectEvery == 0 {
		runtime.GC()
	}
	h.turns.Release(network)
}

// hash waits for a slot and returns the stored form of a password.
func (h *hasher) hash(ctx context.Context, password string, network netip.Addr) (string, error) {
	if err := h.acquire(ctx, network); err != nil {
		return "", err
	}
	defer h.release(network)
	return hashPassword(password, h.memory)
}

// check waits for a slot and returns parley.ErrWrongPassword unless a password matches its stored form.
func (h *hasher) check(ctx context.Context, password, stored string, network netip.Addr) error {
	if err := h.acquire(ctx, network); err != nil {
		return err
	}
	defer h.release(network)
	ok, err := verifyPassword(password, stored)
	if err == nil && !ok {
		return parley.ErrWrongPassword
	}
	return err
}

// hashPassword returns the stored form of a password. The caller must hold a slot.
func hashPassword(password string, memory uint32) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	key := argon2.IDKey([]byte(password), salt, hashTime, memory, hashThreads, hashLength)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, hashTime, hashThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// verifyPassword reports whether a password matches its stored form. No password matches that of an account without
// one. The caller must hold a slot.
func verifyPassword(password, stored string) (bool, error) {
	if stored == "" {
		return false, nil
	}
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
