package account

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

const (
	// keyUsePrecision is how much later a use of a key must be than the stored one to be stored.
	keyUsePrecision = 10 * time.Minute
	// sightingPrecision is the same for the use of an account.
	sightingPrecision = time.Hour
	// useInterval is how often uses are stored.
	useInterval = time.Minute
	// maxUses bounds how many uses wait to be stored. Further ones are stored when the same is used again.
	maxUses = 10_000
	// lastUsesTimeout bounds how long storing uses may delay the end of the server.
	lastUsesTimeout = time.Second
)

// userKey names a key.
type userKey struct {
	userID int64
	keyID  string
}

// lastUses holds when keys or accounts were last used until this is stored. No request waits for it.
type lastUses[K comparable] struct {
	precision time.Duration

	mu   sync.Mutex
	uses map[K]time.Time
}

func newLastUses[K comparable](precision time.Duration) *lastUses[K] {
	return &lastUses[K]{precision: precision, uses: map[K]time.Time{}}
}

// add notes a use, unless one shortly before is known. stored is the last use in the database, in Unix seconds.
func (l *lastUses[K]) add(name K, stored int64, now time.Time) {
	if now.Sub(time.Unix(stored, 0)) < l.precision {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	used, known := l.uses[name]
	if known && now.Sub(used) < l.precision || !known && len(l.uses) >= maxUses {
		return
	}
	l.uses[name] = now
}

// last returns the last use, in Unix seconds, or 0 if none waits to be stored.
func (l *lastUses[K]) last(name K) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if used, known := l.uses[name]; known {
		return used.Unix()
	}
	return 0
}

// save stores the waiting uses. If a key was used again meanwhile, the later use keeps waiting.
func (l *lastUses[K]) save(store func(name K, used time.Time) error) error {
	for name, used := range l.waiting() {
		if err := store(name, used); err != nil {
			return err
		}
		l.stored(name, used)
	}
	return nil
}

func (l *lastUses[K]) waiting() map[K]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.uses)
}

func (l *lastUses[K]) stored(name K, used time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.uses[name].Equal(used) {
		delete(l.uses, name)
	}
}

// saveUses stores when keys and accounts were last used.
func (s *Service) saveUses(ctx context.Context) error {
	keys := s.keyUses.save(func(key userKey, used time.Time) error {
		return s.store.SetAPIKeyUsed(ctx, key.userID, key.keyID, used)
	})
	users := s.sightings.save(func(userID int64, seen time.Time) error {
		return s.store.SetSeen(ctx, userID, seen)
	})
	return errors.Join(keys, users)
}

// saveLastUses stores the last uses when the server stops, if that takes no longer than a moment.
func (s *Service) saveLastUses(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastUsesTimeout)
	defer cancel()
	s.logFailure(ctx, "save when keys and accounts were used", s.saveUses(ctx))
}
