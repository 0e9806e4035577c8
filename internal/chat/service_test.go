package chat

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/prompt"
	"parley/internal/chat/turn"
	"parley/internal/library"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// says is a model that always gives the same reply.
type says string

func (s says) Reply(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
	emit(ai.Chunk{Text: string(s)})
	return nil
}

// newService returns a service on SQLite and a user. It starts no background loops.
func newService(t testing.TB) (*Service, int64) {
	t.Helper()
	return newServiceOn(t, storetest.Open(t, t.TempDir(), ""), says("Well."))
}

// newServiceOn is newService on another database, with another model.
func newServiceOn(t testing.TB, database *store.Store, model ai.Model) (*Service, int64) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	books := library.New(library.Config{Store: database, Log: log, Now: time.Now})
	models := ai.Offers{{Name: "default", Model: model, ContextTokens: 32000}}
	prompts := prompt.New(prompt.Config{
		Store: database, Library: books, Models: models.Fixed, RequestTimeout: 10 * time.Second, Now: time.Now,
	})
	turns := turn.New(turn.Config{Store: database, Log: log, Prepare: prompts.Prepare, Now: time.Now})
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		turns.Drain(ctx)
	})
	service := New(Config{Store: database, Library: books, Turns: turns, Models: models.Fixed, Now: time.Now})
	return service, storetest.User(t, database, time.Now())
}

func TestAnExportIsWhole(t *testing.T) {
	s, userID := newService(t)
	session, err := s.CreateSession(t.Context(), userID, parley.CreateSessionInput{})
	if err != nil {
		t.Fatal(err)
	}
	const turns = maxMessages/2 + 1
	var want []string
	for range turns {
		sent, err := s.Send(t.Context(), userID, parley.SendInput{SessionID: session.SessionID, Content: "Is it?"}, "")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, sent.UserMessageID, sent.AIResponse.ID)
	}
	_, list, err := s.Export(t.Context(), userID, session.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		for _, m := range list.Batch {
			got = append(got, m.ID)
		}
		if !list.More() {
			break
		}
		if err := list.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d messages, want %d in their order", len(got), len(want))
	}
}
