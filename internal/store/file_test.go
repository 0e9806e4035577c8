package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// file adds a file to a session and returns its id.
func (w *world) file(userID int64, sessionID string) string {
	w.t.Helper()
	file := parley.File{FileID: id.New(), Filename: "timetable.md", FileSize: 7, FileType: "text/markdown"}
	w.must(w.AddFileIntent(w.t.Context(), file.FileID, w.tick()))
	w.must(w.AddFile(w.t.Context(), userID, sessionID, file, w.now))
	return file.FileID
}

// stale lists the intents from before a moment.
func (w *world) stale(before time.Time) []string {
	w.t.Helper()
	ids, err := w.StaleFileIntents(w.t.Context(), before, 1000)
	w.must(err)
	slices.Sort(ids)
	return ids
}

func TestAnIntentBecomesAFileOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session := w.session(ada, "")
		first, second := w.file(ada, session), w.file(ada, session)
		files, err := w.Files(t.Context(), session)
		w.must(err)
		if len(files) != 2 || files[0].FileID != first || files[1].FileID != second {
			t.Errorf("files are %+v", files)
		}
		want := parley.File{FileID: second, Filename: "timetable.md", FileSize: 7, FileType: "text/markdown", UploadTime: w.now.Unix()}
		if file, err := w.File(t.Context(), ada, second); err != nil || file != want {
			t.Errorf("the file is %+v, %v", file, err)
		}
		if _, err := w.File(t.Context(), bob, second); !errors.Is(err, parley.ErrNoSuchFile) {
			t.Errorf("bob's: %v", err)
		}
		if err := w.AddFile(t.Context(), ada, session, want, w.now); !errors.Is(err, parley.ErrFileNotStored) {
			t.Errorf("a second time: %v", err)
		}
		if left := w.stale(w.now.Add(time.Hour)); len(left) != 0 {
			t.Errorf("intents are left: %v", left)
		}
	})
}

func TestTheBytesOfADeletedFileAreLeftToTheJanitor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session, other := w.session(ada, ""), w.session(ada, "")
		files := []string{w.file(ada, session), w.file(ada, session), w.file(ada, other)}
		if err := w.DeleteFile(t.Context(), bob, files[0]); !errors.Is(err, parley.ErrNoSuchFile) {
			t.Errorf("bob deletes it: %v", err)
		}
		long := time.Unix(1, 0)
		w.must(w.DeleteFile(t.Context(), ada, files[0]))
		if err := w.DeleteFile(t.Context(), ada, files[0]); !errors.Is(err, parley.ErrNoSuchFile) {
			t.Errorf("a second time: %v", err)
		}
		if got := w.stale(long); !slices.Equal(got, files[:1]) {
			t.Errorf("after the file: %v", got)
		}
		w.must(w.DropFileIntent(t.Context(), files[0]))
		w.must(w.DeleteSession(t.Context(), ada, session))
		if got := w.stale(long); !slices.Equal(got, files[1:2]) {
			t.Errorf("after the session: %v", got)
		}
		w.must(w.DeleteUser(t.Context(), ada))
		if got := w.stale(long); !slices.Equal(got, files[1:]) {
			t.Errorf("after the account: %v", got)
		}
	})
}

func TestAnIntentGivenUpCanNotBecomeAFile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		old, fresh := id.New(), id.New()
		w.must(w.AddFileIntent(t.Context(), old, w.tick()))
		deadline := w.tick()
		w.must(w.AddFileIntent(t.Context(), fresh, w.tick()))
		// The janitor has it, whether it has removed the bytes yet or not.
		for range 2 {
			if got := w.stale(deadline); !slices.Equal(got, []string{old}) {
				t.Errorf("stale intents are %v", got)
			}
			if err := w.AddFile(t.Context(), user, session, parley.File{FileID: old}, w.now); !errors.Is(err, parley.ErrFileNotStored) {
				t.Errorf("the old one: %v", err)
			}
		}
		w.must(w.AddFile(t.Context(), user, session, parley.File{FileID: fresh}, w.now))
		w.must(w.DropFileIntent(t.Context(), old))
		if got := w.stale(w.now.Add(time.Hour)); len(got) != 0 {
			t.Errorf("intents are left: %v", got)
		}
	})
}

func TestStaleIntentsComeInBatches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range 5 {
			w.must(w.AddFileIntent(t.Context(), id.New(), w.tick()))
		}
		for _, want := range []int{3, 2, 0} {
			ids, err := w.StaleFileIntents(t.Context(), w.now.Add(time.Hour), 3)
			w.must(err)
			if len(ids) != want {
				t.Errorf("%d intents, want %d", len(ids), want)
			}
			for _, fileID := range ids {
				w.must(w.DropFileIntent(t.Context(), fileID))
			}
		}
	})
}
