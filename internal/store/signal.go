package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

// Signal tells other replicas that something has changed. It carries no more than
// what: whoever hears it looks in the database.
type Signal struct {
	Kind SignalKind `json:"k"`
	ID   string     `json:"i"`
}

// SignalKind says what a signal is about.
type SignalKind string

// What replicas tell each other.
const (
	TurnChanged SignalKind = "turn"    // the reply of this id has come further, or has ended
	TurnStopped SignalKind = "stop"    // the reply, or the session's turn, of this id is to end: whoever makes it looks
	SessionFree SignalKind = "session" // the session of this id has no open turn any more
	LoginEnded  SignalKind = "login"   // a login of the user of this id has ended
	// Missed says that signals may have been lost: look at everything.
	Missed SignalKind = "missed"
)

// maxSignals keeps a payload below PostgreSQL's limit of 8,000 bytes.
const maxSignals = 100

// Signal tells the other replicas. What they miss they find out a little later.
func (s *Store) Signal(ctx context.Context, signals []Signal) error {
	for len(signals) > 0 {
		some := signals[:min(len(signals), maxSignals)]
		signals = signals[len(some):]
		payload, err := json.Marshal(some)
		if err != nil {
			return fmt.Errorf("signal: %w", err)
		}
		if err := s.signal(ctx, string(payload)); err != nil {
			return fmt.Errorf("signal: %w", err)
		}
	}
	return nil
}

// Listen hears the signals of all replicas, this one's included, until ctx ends.
func (s *Store) Listen(ctx context.Context, log *slog.Logger, heard func(Signal)) {
	const pause = time.Second
	for ctx.Err() == nil {
		began := func() { heard(Signal{Kind: Missed}) }
		err := s.listen(ctx, began, func(payload string) {
			var signals []Signal
			if err := json.Unmarshal([]byte(payload), &signals); err != nil {
				log.Warn("a signal that can't be read", "error", err)
			}
			for _, signal := range signals {
				heard(signal)
			}
		})
		if ctx.Err() != nil {
			return
		}
		log.Warn("lost touch with other replicas", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
