package chat

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley"
	"parley/internal/chat/turn"
	"parley/internal/library"
	"parley/internal/store"
)

const (
	// sweepInterval is how often the sweeper looks for sessions to delete.
	sweepInterval = 20 * time.Second
	// sweepBatch is how many sessions it lists at a time, and sweepPause how long it waits after each.
	sweepBatch = 100
	sweepPause = 10 * time.Millisecond
	// sweepTimeout bounds each operation of the sweeper.
	sweepTimeout = time.Minute
	// sparedInterval is how often it looks again at old sessions that were spared.
	sparedInterval = 24 * time.Hour
)

// SweeperConfig configures a Sweeper.
type SweeperConfig struct {
	Store   *store.Store
	Library *library.Library
	Turns   *turn.Engine
	Log     *slog.Logger
	// Settings returns the current settings. If it is nil, they are the defaults.
	Settings func() parley.Settings
	Now      func() time.Time
}

// Sweeper deletes sessions at the time that they were given, or at the end of the server's retention. Retention spares
// sessions with a favorite or a pin. Every replica has a sweeper. What one has deleted the others don't find.
type Sweeper struct {
	store    *store.Store
	library  *library.Library
	turns    *turn.Engine
	log      *slog.Logger
	settings func() parley.Settings
	now      func() time.Time

	// last is the latest old session that was looked at. Spared ones before it are not looked at again. It is reset once
	// in a while, since they may be spared no longer.
	last  store.AgedSession
	reset time.Time
}

// NewSweeper returns a Sweeper.
func NewSweeper(config SweeperConfig) *Sweeper {
	if config.Settings == nil {
		config.Settings = parley.DefaultSettings
	}
	return &Sweeper{
		store:    config.Store,
		library:  config.Library,
		turns:    config.Turns,
		log:      config.Log,
		settings: config.Settings,
		now:      config.Now,
	}
}

// Run deletes sessions until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("delete sessions whose time has come", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Sweep deletes all sessions that are due, and purges what anybody has deleted since the last sweep.
func (s *Sweeper) Sweep(ctx context.Context) error {
	deleted, err := s.sweepExpired(ctx)
	if err == nil {
		var aged int
		aged, err = s.sweepAged(ctx)
		deleted += aged
	}
	if deleted > 0 {
		s.log.Info("deleted sessions whose time has come", "count", deleted)
		s.library.TriggerCleanup()
	}
	_, purged := timed(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.store.Purge(ctx) })
	return errors.Join(err, purged)
}

// sweepExpired deletes the sessions that have reached their own time and returns their number.
func (s *Sweeper) sweepExpired(ctx context.Context) (deleted int, err error) {
	for {
		found, err := timed(ctx, func(ctx context.Context) ([]store.SessionKey, error) {
			return s.store.ExpiredSessions(ctx, s.now(), sweepBatch)
		})
		if err != nil {
			return deleted, err
		}
		for _, key := range found {
			if err := s.delete(ctx, key, &deleted, s.store.DeleteExpired, s.now()); err != nil {
				return deleted, err
			}
		}
		if len(found) < sweepBatch {
			return deleted, nil
		}
	}
}

// sweepAged deletes the sessions that are older than the retention and returns their number. It rereads the retention
// before each batch, in case an administrator has made it longer.
func (s *Sweeper) sweepAged(ctx context.Context) (deleted int, err error) {
	now := s.now()
	if now.Sub(s.reset) >= sparedInterval {
		s.last, s.reset = store.AgedSession{}, now
	}
	for {
		retention := s.settings().Retention
		if due, err := s.inUse(ctx, retention, now); err != nil || !due {
			return deleted, err
		}
		since := now.Add(-retention)
		found, err := timed(ctx, func(ctx context.Context) ([]store.AgedSession, error) {
			return s.store.AgedSessions(ctx, since, s.last, sweepBatch)
		})
		if err != nil {
			return deleted, err
		}
		for _, aged := range found {
			if err := s.delete(ctx, aged.SessionKey, &deleted, s.store.DeleteAged, since); err != nil {
				return deleted, err
			}
			s.last = aged
		}
		if len(found) < sweepBatch {
			return deleted, nil
		}
	}
}

// inUse reports whether sessions are deleted by a retention: it has been used for parley.RetentionDelay, by this or by
// other servers on the database, also before a restart.
func (s *Sweeper) inUse(ctx context.Context, retention time.Duration, now time.Time) (bool, error) {
	begun := false
	since, err := timed(ctx, func(ctx context.Context) (since time.Time, err error) {
		since, begun, err = s.store.BeginRetention(ctx, retention, now)
		return since, err
	})
	if err != nil || retention == 0 {
		return false, err
	}
	if begun {
		return false, s.announce(ctx, retention, now.Add(parley.RetentionDelay))
	}
	return now.Sub(since) >= parley.RetentionDelay, nil
}

// announce logs what a new retention deletes, from a time on.
func (s *Sweeper) announce(ctx context.Context, retention time.Duration, from time.Time) error {
	aged, err := timed(ctx, func(ctx context.Context) (parley.AgedSessions, error) {
		return s.store.CountAged(ctx, from.Add(-retention))
	})
	if err != nil {
		return err
	}
	s.log.Info("the retention is new and deletes nothing yet", "retention", parley.FormatRetention(retention),
		"from", from.UTC().Format(time.RFC3339), "sessions", aged.Sessions, "users", aged.Users)
	return nil
}

// delete deletes a session if it is still due, counts it, and waits for a moment.
func (s *Sweeper) delete(
	ctx context.Context, key store.SessionKey, deleted *int,
	remove func(context.Context, store.SessionKey, time.Time) (bool, error), at time.Time,
) error {
	endTurns := s.turns.Ending(key.SessionID)
	removed, err := timed(ctx, func(ctx context.Context) (bool, error) { return remove(ctx, key, at) })
	if err != nil {
		return err
	}
	if removed {
		*deleted++
		endTurns()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(sweepPause):
		return nil
	}
}

// timed calls do with the time limit of the sweeper's operations.
func timed[T any](ctx context.Context, do func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	return do(ctx)
}
