package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// allowed returns nil for the errors that a race may cause.
func allowed(err error, may ...error) error {
	if err == nil || slices.ContainsFunc(may, func(e error) bool { return errors.Is(err, e) }) {
		return nil
	}
	return err
}

// bustle runs operations of several clients on the same sessions at once.
type bustle struct {
	*Store
	mu       sync.Mutex
	sessions map[string]int64
	now      time.Time
}

func (b *bustle) time() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(time.Millisecond)
	return b.now
}

func (b *bustle) some(r *rand.Rand) (int64, string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := make([]string, 0, len(b.sessions))
	for session := range b.sessions {
		ids = append(ids, session)
	}
	slices.Sort(ids)
	session := ids[r.IntN(len(ids))]
	return b.sessions[session], session
}

func (b *bustle) turn(ctx context.Context, r *rand.Rand, user int64, session string) error {
	var open Turn
	var err error
	if r.IntN(3) == 0 {
		open, err = b.BeginTurn(ctx, NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
	} else {
		question := NewTurn{
			UserID: user, SessionID: session, QuestionID: id.New(), ReplyID: id.New(),
			Content: "question", Title: "title", Owner: "owner", Now: b.time(),
		}
		if r.IntN(4) == 0 {
			question.Key = fmt.Sprint(r.IntN(3))
		}
		open, err = b.BeginTurn(ctx, question)
	}
	if err != nil {
		return allowed(err, ErrTurnOpen, ErrKeyTaken, parley.ErrNoSuchSession, parley.ErrNothingToRegenerate)
	}
	if r.IntN(3) == 0 {
		err = b.FailTurn(ctx, open, failure, b.time())
	} else {
		err = b.FinishTurn(ctx, open, "reply", parley.Details{})
	}
	return allowed(err, ErrTurnLost)
}

func (b *bustle) favorite(ctx context.Context, r *rand.Rand, user int64, session string) error {
	messages, _, err := b.Messages(ctx, user, session, parley.Page{Number: 1, Size: 5})
	if err != nil || len(messages) == 0 {
		return allowed(err, parley.ErrNoSuchSession)
	}
	message := messages[r.IntN(len(messages))].ID
	if r.IntN(2) == 0 {
		return allowed(b.RemoveFavorite(ctx, user, message), parley.ErrNoSuchFavorite)
	}
	_, err = b.AddFavorite(ctx, user, session, message, id.New(), b.time())
	return allowed(err, parley.ErrNoSuchSession, parley.ErrNotInSession)
}

func (b *bustle) upload(ctx context.Context, user int64, session string) error {
	file := parley.File{FileID: id.New(), Filename: "f", FileType: "text/plain"}
	if err := b.AddFileIntent(ctx, user, file.FileID, b.time()); err != nil {
		return err
	}
	added := NewFile{File: file, UserID: user, SessionID: session, Now: b.time(), UserStorage: 1}
	if err := b.AddFile(ctx, added); err != nil {
		return allowed(err, parley.ErrNoSuchSession)
	}
	return allowed(b.DeleteFile(ctx, user, file.FileID), parley.ErrNoSuchFile)
}

func (b *bustle) replace(ctx context.Context, user int64, session string) error {
	fresh := NewSession{ID: id.New(), UserID: user, Now: b.time()}
	if err := b.CreateSession(ctx, fresh); err != nil {
		return err
	}
	b.mu.Lock()
	delete(b.sessions, session)
	b.sessions[fresh.ID] = user
	b.mu.Unlock()
	return allowed(b.DeleteSession(ctx, user, session), parley.ErrNoSuchSession)
}

// step runs one operation at random.
func (b *bustle) step(ctx context.Context, r *rand.Rand) error {
	user, session := b.some(r)
	switch r.IntN(12) {
	case 0, 1, 2, 3:
		return b.turn(ctx, r, user, session)
	case 4, 5:
		return b.favorite(ctx, r, user, session)
	case 6:
		return b.upload(ctx, user, session)
	case 7:
		change := SessionChange{Title: new(fmt.Sprint("title ", r.IntN(9))), Archived: new(r.IntN(2) == 0)}
		return allowed(b.UpdateSession(ctx, user, session, change), parley.ErrNoSuchSession)
	case 8:
		return allowed(b.ClearSession(ctx, user, session), parley.ErrNoSuchSession)
	case 9:
		return b.replace(ctx, user, session)
	case 10:
		_, _, err := b.FindSessions(ctx, user, Keyword{Key: "e"}, parley.Page{Number: 1, Size: 5})
		return err
	default:
		_, err := b.search.Update(ctx)
		return err
	}
}

func TestManyAtOnceLeaveEverythingExact(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := &bustle{Store: w.Store, sessions: map[string]int64{}, now: w.now}
		users := []int64{w.user(), w.user()}
		for i := range 4 {
			b.sessions[w.session(users[i%2], "")] = users[i%2]
		}
		errs := parallel(8, func(i int) error {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 60 {
				if err := b.step(t.Context(), r); err != nil {
					return err
				}
			}
			return nil
		})
		w.must(errors.Join(errs...))
		audit(t, w.Store)
		w.index()
		if n := number(t, w.Store, `SELECT count(*) FROM search_queue`); n != 0 {
			t.Errorf("%d texts wait in the queue", n)
		}
	})
}

func TestParallelSendsIntoOneSessionKeepOneOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		errs := parallel(20, func(i int) error {
			question := NewTurn{
				UserID: user, SessionID: session, QuestionID: id.New(), ReplyID: id.New(),
				Content: numbered("q", i), Owner: "owner", Now: w.now,
			}
			for {
				open, err := w.BeginTurn(t.Context(), question)
				if errors.Is(err, ErrTurnOpen) {
					continue
				}
				if err != nil {
					return err
				}
				return w.FinishTurn(t.Context(), open, numbered("r", i), parley.Details{})
			}
		})
		w.must(errors.Join(errs...))
		messages, total, err := w.Messages(t.Context(), user, session, parley.Page{Number: 1, Size: 100})
		w.must(err)
		if total != 40 || len(messages) != 40 {
			t.Fatalf("%d messages of %d", len(messages), total)
		}
		for i := 0; i < len(messages); i += 2 {
			if messages[i].Content[1:] != messages[i+1].Content[1:] {
				t.Errorf("the reply to %q is %q", messages[i].Content, messages[i+1].Content)
			}
		}
	})
}

func TestAFavoriteToggledInParallelIsThereOrNot(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		message := w.say(user, session, "q", "r")
		errs := parallel(20, func(i int) error {
			if i%2 == 0 {
				_, err := w.AddFavorite(t.Context(), user, session, message, id.New(), w.now)
				return err
			}
			return allowed(w.RemoveFavorite(t.Context(), user, message), parley.ErrNoSuchFavorite)
		})
		w.must(errors.Join(errs...))
		if _, total := w.favorites(user, parley.Page{Number: 1, Size: 10}); total > 1 {
			t.Errorf("%d favorites", total)
		}
	})
}

func TestAFileCanBeDeletedWithItsSessionAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for range 10 {
			session := w.session(user, "")
			files := []string{w.file(user, session), w.file(user, session)}
			errs := parallel(6, func(i int) error {
				if i == 0 {
					return w.DeleteSession(t.Context(), user, session)
				}
				return allowed(w.DeleteFile(t.Context(), user, files[i%2]), parley.ErrNoSuchFile)
			})
			w.must(errors.Join(errs...))
			for _, fileID := range files {
				if n := number(t, w.Store, `SELECT count(*) FROM file_intents WHERE id = $1`, fileID); n != 1 {
					t.Errorf("one file has %d intents", n)
				}
			}
		}
	})
}

// If an account is deleted while it is in use, it leaves no rows, and all bytes of its files have intents.
func TestDeletingAnAccountInUseLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		var sessions []string
		for range 3 {
			sessions = append(sessions, w.session(user, "title"))
			w.say(user, sessions[len(sessions)-1], "q", "r")
		}
		var mu sync.Mutex
		var uploaded []string
		started := make(chan struct{}, 100)
		errs := parallel(7, func(i int) error {
			session := sessions[i%3]
			if i == 6 {
				for range 6 {
					<-started
				}
				return w.remove(user)
			}
			for n := range 30 {
				if n == 3 {
					started <- struct{}{}
				}
				b := &bustle{Store: w.Store, now: w.now}
				r := rand.New(rand.NewPCG(uint64(i), uint64(n)))
				file := parley.File{FileID: id.New(), Filename: "f", FileType: "text/plain"}
				if err := w.AddFileIntent(t.Context(), user, file.FileID, w.now); err != nil {
					return err
				}
				mu.Lock()
				uploaded = append(uploaded, file.FileID)
				mu.Unlock()
				_, indexErr := w.search.Update(t.Context())
				added := NewFile{File: file, UserID: user, SessionID: session, Now: w.now, UserStorage: 1}
				if err := errors.Join(
					b.turn(t.Context(), r, user, session),
					b.favorite(t.Context(), r, user, session),
					allowed(w.AddFile(t.Context(), added), parley.ErrNoSuchSession),
					allowed(w.ClearSession(t.Context(), user, sessions[n%3]), parley.ErrNoSuchSession),
					indexErr,
				); err != nil {
					return err
				}
			}
			return nil
		})
		w.must(errors.Join(errs...))
		n := number(t, w.Store, `SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM messages)`)
		if n != 0 {
			t.Errorf("%d rows are left", n)
		}
		left := w.stale(w.now.Add(time.Hour))
		slices.Sort(uploaded)
		for _, fileID := range uploaded {
			if _, found := slices.BinarySearch(left, fileID); !found {
				t.Errorf("the bytes of %s are forgotten", fileID)
			}
		}
	})
}

func TestALoginThatMeetsADeletionFindsNoAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range 10 {
			userID := w.user()
			logins := []NewToken{w.login(), w.login(), w.login(), w.login()}
			for i, err := range parallel(len(logins)+1, func(i int) error {
				if i == len(logins) {
					return w.remove(userID)
				}
				return allowed(w.AddToken(t.Context(), userID, usersHash, logins[i]), parley.ErrNoSuchUser)
			}) {
				if err != nil {
					t.Errorf("%d: %v", i, err)
				}
			}
			if err := w.AddToken(t.Context(), userID, usersHash, w.login()); !errors.Is(err, parley.ErrNoSuchUser) {
				t.Errorf("afterwards: %v", err)
			}
		}
	})
}
