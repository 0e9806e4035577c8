package account

import (
	"context"
	"maps"
	"sync"
	"time"

	"parley"
)

const (
	// keyUsePrecision is how much later a use of a key must be than the stored one to be stored.
	keyUsePrecision = 10 * time.Minute
	// keyUseInterval is how often uses are stored.
	keyUseInterval = time.Minute
	// maxKeyUses bounds how many uses wait to be stored. Further ones are stored when their key is used again.
	maxKeyUses = 10_000
	// lastKeyUsesTimeout bounds how long storing uses may delay the end of the server.
	lastKeyUsesTimeout = time.Second
)

// userKey names a key.
type userKey struct {
	userID int64
	keyID  string
}

// keyUses holds when keys were last used until it is stored, so that no request has to wait for it.
type keyUses struct {
	mu   sync.Mutex
	uses map[userKey]time.Time
}

func newKeyUses() *keyUses { return &keyUses{uses: map[userKey]time.Time{}} }

// add notes that a key is used, unless a use shortly before is known.
func (k *keyUses) add(userID int64, key parley.Key, now time.Time) {
	if now.Sub(time.Unix(key.LastUsed, 0)) < keyUsePrecision {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	name := userKey{userID, key.KeyID}
	used, known := k.uses[name]
	if known && now.Sub(used) < keyUsePrecision || !known && len(k.uses) >= maxKeyUses {
		return
	}
	k.uses[name] = now
}

// last returns when a key was last used, in Unix seconds, or 0 if no use waits to be stored.
func (k *keyUses) last(userID int64, keyID string) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if used, known := k.uses[userKey{userID, keyID}]; known {
		return used.Unix()
	}
	return 0
}

// waiting returns the uses that wait to be stored.
func (k *keyUses) waiting() map[userKey]time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.uses)
}

// stored removes a use that was stored. A later one stays.
func (k *keyUses) stored(name userKey, used time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.uses[name].Equal(used) {
		delete(k.uses, name)
	}
}

// saveKeyUses stores when keys were last used.
func (s *Service) saveKeyUses(ctx context.Context) error {
	for name, used := range s.keyUses.waiting() {
		if err := s.store.SetAPIKeyUsed(ctx, name.userID, name.keyID, used); err != nil {
			return err
		}
		s.keyUses.stored(name, used)
	}
	return nil
}

// saveLastKeyUses stores the last uses when the server stops, if that takes no longer than a moment.
func (s *Service) saveLastKeyUses(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastKeyUsesTimeout)
	defer cancel()
	s.logFailure(ctx, "save when keys were used", s.saveKeyUses(ctx))
}
