package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

// Signal notifies other replicas of a change. The change itself is in the database.
type Signal struct {
	Kind SignalKind `json:"k"`
	ID   string     `json:"i"`
}

// SignalKind is the kind of a change.
type SignalKind string

// The kinds of changes.
const (
	TurnChanged SignalKind = "turn"    // the reply with this id has progressed or ended
	TurnStopped SignalKind = "stop"    // stop the reply, or the session's turn, with this id
	SessionFree SignalKind = "session" // the session with this id no longer has an open turn
	LoginEnded  SignalKind = "login"   // a login of the user with this id has ended
	// AdminsChanged means that there may be a first administrator now, or no administrator any more.
	AdminsChanged SignalKind = "admins"
	// SettingsChanged means that the stored settings have changed.
	SettingsChanged SignalKind = "settings"
	// Missed means that signals may have been lost: anything may have changed.
	Missed SignalKind = "missed"
)

// maxSignals keeps a payload below PostgreSQL's limit of 8,000 bytes.
const maxSignals = 100

// Signal sends signals to all replicas. A replica may miss them.
func (s *Store) Signal(ctx context.Context, signals []Signal) error {
	for len(signals) > 0 {
		some := signals[:min(len(signals), maxSignals)]
		signals = signals[len(some):]
		payload, err := json.Marshal(some)
		if err != nil {
			return fmt.Errorf("signal: %w", err)
		}
		if err := s.db.Notify(ctx, string(payload)); err != nil {
			return fmt.Errorf("signal: %w", err)
		}
	}
	return nil
}

// Listener receives the signals of all replicas, including this one's.
type Listener struct {
	store  *Store
	log    *slog.Logger
	handle func(Signal)
}

// Listener returns a listener that calls handle for each signal.
func (s *Store) Listener(log *slog.Logger, handle func(Signal)) *Listener {
	return &Listener{store: s, log: log, handle: handle}
}

// Run listens until ctx ends. If the connection is lost it connects again.
func (l *Listener) Run(ctx context.Context) {
	const pause = time.Second
	missed := func() { l.handle(Signal{Kind: Missed}) }
	for ctx.Err() == nil {
		err := l.store.db.Listen(ctx, missed, l.notified)
		if ctx.Err() != nil {
			return
		}
		l.log.Warn("lost touch with other replicas", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (l *Listener) notified(payload string) {
	var signals []Signal
	if err := json.Unmarshal([]byte(payload), &signals); err != nil {
		l.log.Warn("decode signals", "error", err)
	}
	for _, signal := range signals {
		l.handle(signal)
	}
}
