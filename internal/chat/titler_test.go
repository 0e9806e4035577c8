package chat

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// modelFunc is a model.
type modelFunc func(ctx context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error

func (m modelFunc) Reply(ctx context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error {
	return m(ctx, prompt, emit)
}

func saying(text string) modelFunc {
	return func(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
		emit(ai.Chunk{Text: text})
		return nil
	}
}

// titled is a session with a first turn, on SQLite.
type titled struct {
	*testing.T
	store     *store.Store
	userID    int64
	sessionID string
	first     store.Turn
}

func newTitled(t *testing.T) *titled { return newTitledIn(t, store.NewSession{}) }

func newTitledIn(t *testing.T, session store.NewSession) *titled {
	t.Helper()
	database := storetest.Open(t, t.TempDir(), "")
	s := &titled{T: t, store: database, userID: storetest.User(t, database, time.Now()), sessionID: id.New()}
	session.ID, session.UserID, session.Now = s.sessionID, s.userID, time.Now()
	s.must(database.CreateSession(t.Context(), session))
	s.first = s.turn("")
	return s
}

func (s *titled) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// turn stores a turn with its reply. It may replace an earlier question.
func (s *titled) turn(replaces string) store.Turn {
	s.Helper()
	open, err := s.store.BeginTurn(s.Context(), store.NewTurn{
		UserID: s.userID, SessionID: s.sessionID, QuestionID: id.New(), ReplyID: id.New(), Replaces: replaces,
		Content: "which ferry goes to capri", Title: "which ferry goes to capri", Owner: "owner", Now: time.Now(),
	})
	s.must(err)
	s.must(s.store.FinishTurn(s.Context(), open, "The fast one.", parley.Details{}))
	return open
}

// offer returns a function that returns a model.
func offer(model ai.Offer) func() (ai.Offer, bool) {
	return func() (ai.Offer, bool) { return model, true }
}

// name lets a model name the session, and returns its title afterwards.
func (s *titled) name(model ai.Model, turn store.Turn) (string, error) {
	s.Helper()
	titler := NewTitler(TitlerConfig{
		Store: s.store, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Model: offer(ai.Offer{Name: "titles", Model: model}),
	})
	err := titler.tryName(s.Context(), titleJob{turn: turn, reply: "The fast one."})
	return s.title(), err
}

func (s *titled) title() string {
	s.Helper()
	head, err := s.store.Session(s.Context(), s.userID, s.sessionID)
	if errors.Is(err, parley.ErrNoSuchSession) {
		return "none"
	}
	s.must(err)
	return head.Title
}

const textTitle = "which ferry goes to capri"

func TestAModelNamesASession(t *testing.T) {
	s := newTitled(t)
	if got, err := s.name(saying("\"Ferries to Capri.\""), s.first); got != "Ferries to Capri" || err != nil {
		t.Errorf("the title is %q, %v", got, err)
	}
	if got, err := s.name(saying("Another"), s.first); got != "Ferries to Capri" || err != nil {
		t.Errorf("it was named again: %q, %v", got, err)
	}
}

func TestNoModelIsAskedForTheTitleOfATemporarySession(t *testing.T) {
	s := newTitledIn(t, store.NewSession{Temporary: true, ExpiresAt: time.Now().Add(time.Hour)})
	asked := modelFunc(func(context.Context, *ai.Prompt, func(ai.Chunk)) error {
		t.Error("a model was asked")
		return nil
	})
	if got, err := s.name(asked, s.first); got != textTitle || err != nil {
		t.Errorf("the title is %q, %v", got, err)
	}
}

// TestThinkingIsNoTitle has a model that shows with the last chunk that its first text was thinking.
func TestThinkingIsNoTitle(t *testing.T) {
	s := newTitled(t)
	model := modelFunc(func(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
		emit(ai.Chunk{Text: "Let me see. "})
		emit(ai.Chunk{WasThinking: true, Text: "Ferries"})
		return nil
	})
	if got, err := s.name(model, s.first); got != "Ferries" || err != nil {
		t.Errorf("the title is %q, %v", got, err)
	}
}

func TestAModelThatHasNoTitleChangesNothing(t *testing.T) {
	s := newTitled(t)
	failure := errors.New("the model failed")
	for name, model := range map[string]modelFunc{
		"failing": func(context.Context, *ai.Prompt, func(ai.Chunk)) error { return failure },
		"failing in the middle": func(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
			emit(ai.Chunk{Text: "Half a"})
			return failure
		},
		"blank":         saying(" \n"),
		"only markup":   saying("***"),
		"only thinking": saying("<think>A title"),
		"babbling": func(ctx context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
			for ctx.Err() == nil {
				emit(ai.Chunk{Text: "and so on "})
			}
			return ctx.Err()
		},
		"thinking forever": func(ctx context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
			for ctx.Err() == nil {
				emit(ai.Chunk{Thinking: "hm "})
			}
			return ctx.Err()
		},
	} {
		got, err := s.name(model, s.first)
		if got != textTitle || strings.HasPrefix(name, "failing") != errors.Is(err, failure) {
			t.Errorf("%s: the title is %q, %v", name, got, err)
		}
	}
}

func TestATitleIsWhatABabblingModelSaysFirst(t *testing.T) {
	s := newTitled(t)
	got, err := s.name(modelFunc(func(ctx context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
		for emit(ai.Chunk{Text: "Ferries to Capri\n"}); ctx.Err() == nil; {
			emit(ai.Chunk{Text: "I have chosen this title because "})
		}
		return ctx.Err()
	}), s.first)
	if got != "Ferries to Capri" || err != nil {
		t.Errorf("the title is %q, %v", got, err)
	}
}

// TestASlowModelIsNotWaitedFor has a model that never says anything.
func TestASlowModelIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		titler := NewTitler(TitlerConfig{
			Log: slog.New(slog.DiscardHandler), Now: time.Now,
			Model: offer(ai.Offer{Model: modelFunc(func(ctx context.Context, _ *ai.Prompt, _ func(ai.Chunk)) error {
				<-ctx.Done()
				return ctx.Err()
			})}),
		})
		ctx, cancel := context.WithTimeout(t.Context(), titleTime)
		defer cancel()
		model, _ := titler.model()
		if _, err := titler.ask(ctx, model, titleJob{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// TestATitleComesTooLate changes the session while the model is asked.
func TestATitleComesTooLate(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *titled)
		want   string
	}{
		"renamed": {func(s *titled) {
			s.must(s.store.UpdateSession(s.Context(), s.userID, s.sessionID, store.SessionChange{Title: new("Mine")}))
		}, "Mine"},
		"renamed to the same": {func(s *titled) {
			s.must(s.store.UpdateSession(s.Context(), s.userID, s.sessionID, store.SessionChange{Title: new(textTitle)}))
		}, textTitle},
		"cleared": {func(s *titled) { s.must(s.store.ClearSession(s.Context(), s.userID, s.sessionID)) }, textTitle},
		"cleared and asked again": {func(s *titled) {
			s.must(s.store.ClearSession(s.Context(), s.userID, s.sessionID))
			s.turn("")
		}, textTitle},
		"edited":    {func(s *titled) { s.turn(s.first.QuestionID) }, textTitle},
		"deleted":   {func(s *titled) { s.must(s.store.DeleteSession(s.Context(), s.userID, s.sessionID)) }, "none"},
		"continued": {func(s *titled) { s.turn("") }, "The model's"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTitled(t)
			got, err := s.name(modelFunc(func(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
				c.change(s)
				emit(ai.Chunk{Text: "The model's"})
				return nil
			}), s.first)
			if got != c.want || err != nil {
				t.Errorf("the title is %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestASessionThatAPersonNamedIsNotAskedFor checks that the model is not even asked.
func TestASessionThatAPersonNamedIsNotAskedFor(t *testing.T) {
	s := newTitled(t)
	s.must(s.store.UpdateSession(t.Context(), s.userID, s.sessionID, store.SessionChange{Title: new("Mine")}))
	got, err := s.name(modelFunc(func(context.Context, *ai.Prompt, func(ai.Chunk)) error {
		t.Error("the model was asked")
		return nil
	}), s.first)
	if got != "Mine" || err != nil {
		t.Errorf("the title is %q, %v", got, err)
	}
}

func TestTitlesThatDoNotFitTheQueueAreLeftOut(t *testing.T) {
	titler := NewTitler(TitlerConfig{Now: time.Now})
	for range 2 * titleQueue {
		titler.Finished(&store.Turn{Number: 2}, strings.Repeat("long ", 10_000))
	}
	titler.Finished(&store.Turn{Number: 4}, "")
	if len(titler.queue) != titleQueue {
		t.Errorf("%d wait, want %d", len(titler.queue), titleQueue)
	}
	if job := <-titler.queue; len(job.reply) > titleExcerpt {
		t.Errorf("a reply of %d bytes is kept", len(job.reply))
	}
}

// TestTheTitlerStops ends it while it asks the model.
func TestTheTitlerStops(t *testing.T) {
	s := newTitled(t)
	asked := make(chan struct{})
	titler := NewTitler(TitlerConfig{
		Store: s.store, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Model: offer(ai.Offer{Model: modelFunc(func(ctx context.Context, _ *ai.Prompt, _ func(ai.Chunk)) error {
			close(asked)
			<-ctx.Done()
			return ctx.Err()
		})}),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		titler.Run(ctx)
		close(done)
	}()
	titler.Finished(&s.first, "The fast one.")
	<-asked
	cancel()
	<-done
	if got := s.title(); got != textTitle {
		t.Errorf("the title is %q", got)
	}
}
