package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// fork forks a session at a message and returns the new session.
func (w *world) fork(userID int64, sessionID, messageID string) string {
	w.t.Helper()
	fork := NewFork{
		ID: id.New(), UserID: userID, SessionID: sessionID, MessageID: messageID, NewID: id.New, Now: w.tick(),
	}
	w.must(w.Fork(w.t.Context(), fork))
	return fork.ID
}

// fileIDs returns the ids of a session's files.
func (w *world) fileIDs(userID int64, sessionID string) (ids []string) {
	w.t.Helper()
	files, err := w.Files(w.t.Context(), userID, sessionID)
	w.must(err)
	for _, file := range files {
		ids = append(ids, file.FileID)
	}
	return ids
}

// shown returns the messages of a session.
func (w *world) shown(userID int64, sessionID string) []Message {
	w.t.Helper()
	messages, _, err := w.Messages(w.t.Context(), userID, sessionID, parley.Page{Number: 1, Size: 100})
	w.must(err)
	return messages
}

func (w *world) wantConsistent() {
	w.t.Helper()
	findings, err := w.Audit(w.t.Context())
	w.must(err)
	if len(findings) > 0 {
		w.t.Errorf("the audit finds %+v", findings)
	}
}

func TestFilesOfAForkAreCountedOnceAndStayWithTheLastSession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, ada := t.Context(), w.user()
		first := w.session(ada, "First")
		reply := w.say(ada, first, "question", "reply")
		file, other := w.file(ada, first), w.file(ada, first)
		used, err := w.StorageUsed(ctx, ada)
		w.must(err)
		second := w.fork(ada, first, reply)
		third := w.fork(ada, second, w.shown(ada, second)[1].ID)
		own := w.file(ada, third)
		more, err := w.StorageUsed(ctx, ada)
		w.must(err)
		if want := used * 3 / 2; more != want {
			t.Errorf("the files take %d bytes, want %d", more, want)
		}
		if head, err := w.Session(ctx, ada, second); err != nil || !head.HasFiles {
			t.Errorf("the fork is %+v, %v", head, err)
		}
		w.must(w.DeleteFileOf(ctx, ada, second, other))
		if err := w.DeleteFileOf(ctx, ada, second, own); !errors.Is(err, parley.ErrNoSuchFile) {
			t.Errorf("a file of another session: %v", err)
		}
		for session, want := range map[string][]string{first: {file, other}, second: {file}, third: {file, other, own}} {
			if got := w.fileIDs(ada, session); !slices.Equal(got, want) {
				t.Errorf("the files are %v, want %v", got, want)
			}
		}
		w.must(w.DeleteSession(ctx, ada, first))
		w.wantConsistent()
		if got := w.fileIDs(ada, third); !slices.Equal(got, []string{file, other, own}) {
			t.Errorf("after the first session was deleted the third has %v", got)
		}
		w.must(w.DeleteFileOf(ctx, ada, third, file))
		w.must(w.DeleteFile(ctx, ada, other))
		if got := w.fileIDs(ada, second); !slices.Equal(got, []string{file}) {
			t.Errorf("the second has %v", got)
		}
		w.must(w.DeleteSession(ctx, ada, second))
		w.must(w.DeleteSession(ctx, ada, third))
		stale := w.stale(w.now.Add(time.Hour))
		slices.Sort(stale)
		if want := []string{file, other, own}; !slices.Equal(stale, want) {
			t.Errorf("the bytes to delete are those of %v, want %v", stale, want)
		}
	})
}

func TestAForkHasTheVisibleVersions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, ada := t.Context(), w.user()
		session := w.session(ada, "Ferries")
		w.say(ada, session, "first", "one")
		edit := w.question(ada, session, "second")
		edit.Replaces = w.shown(ada, session)[0].ID
		edited, err := w.BeginTurn(ctx, edit)
		w.must(err)
		w.must(w.FinishTurn(ctx, edited, "two", parley.Details{}))
		w.say(ada, session, "third", "three")
		open := w.begin(ada, session, "open")

		before := w.shown(ada, session)
		fork := w.fork(ada, session, edit.QuestionID)
		var texts []string
		for n, m := range w.shown(ada, fork) {
			texts = append(texts, m.Content)
			if m.ID == before[n].ID || m.Timestamp != before[n].Timestamp || m.Versions != 0 {
				t.Errorf("message %d is %+v", n, m.Message)
			}
		}
		if want := []string{"second", "two"}; !slices.Equal(texts, want) {
			t.Errorf("the fork has %v, want %v", texts, want)
		}
		if titles, total := w.titles(ada, parley.Page{Number: 1, Size: 1}); total != 2 || titles[0] != "Ferries" {
			t.Errorf("the first of %d is %v", total, titles)
		}
		refused := NewFork{ID: id.New(), UserID: ada, SessionID: session, NewID: id.New, Now: w.tick()}
		for message, want := range map[string]error{
			open.ReplyID: parley.ErrForkOpen, id.New(): parley.ErrNoSuchMessage,
			w.shown(ada, fork)[0].ID: parley.ErrNoSuchMessage,
		} {
			refused.MessageID = message
			if err := w.Fork(ctx, refused); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		if err := w.FailTurn(ctx, open, failure, w.tick()); err != nil {
			t.Errorf("end the open turn: %v", err)
		}
		w.index()
		w.wantConsistent()
	})
}
