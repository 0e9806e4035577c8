package chat

import (
	"context"
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/turn"
	"parley/internal/store/storetest"
)

// heldBack is a model that replies after it is closed, unless its call was canceled by then.
type heldBack chan struct{}

func (h heldBack) Reply(ctx context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
	select {
	case <-h:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	emit(ai.Chunk{Text: "Well."})
	return nil
}

// TestASendAfterAClearGoesOn sends a question right after a session was cleared, before the clear has returned.
func TestASendAfterAClearGoesOn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, databaseURL string) {
		stored, database := storetest.OpenHooked(t, t.TempDir(), databaseURL)
		model := make(heldBack)
		s, userID := newServiceOn(t, stored, model)
		session, err := s.CreateSession(t.Context(), userID, parley.CreateSessionInput{})
		if err != nil {
			t.Fatal(err)
		}
		var reply *turn.Follower
		database.Next(func(ctx context.Context, clear func(context.Context) error) error {
			if err := clear(ctx); err != nil {
				return err
			}
			var err error
			reply, err = s.Stream(ctx, userID, parley.StreamInput{SessionID: session.SessionID, Content: "Is it?"}, "")
			return err
		})
		if err := s.ClearSession(t.Context(), userID, session.SessionID); err != nil {
			t.Fatal(err)
		}
		close(model)
		if out, err := reply.Wait(t.Context()); err != nil || out.AIResponse.Content != "Well." {
			t.Errorf("got %+v, %v", out, err)
		}
	})
}
