package store

import (
	"errors"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// file adds a file to a session and returns its id.
func (w *world) file(userID int64, sessionID string) string {
	w.t.Helper()
	file := parley.File{FileID: id.New(), Filename: "timetable.md", FileSize: 7, FileType: "text/markdown"}
	w.must(w.AddFileIntent(w.t.Context(), userID, file.FileID, w.tick()))
	w.must(w.AddFile(w.t.Context(), NewFile{
		File: file, UserID: userID, SessionID: sessionID, Now: w.now, UserStorage: 1000,
	}))
	return file.FileID
}

// fit adds a file to a session of a user who may store 100 bytes.
func (w *world) fit(userID int64, sessionID string, size int64) (string, error) {
	w.t.Helper()
	file := parley.File{FileID: id.New(), FileSize: size}
	if err := w.AddFileIntent(w.t.Context(), userID, file.FileID, w.now); err != nil {
		return "", err
	}
	return file.FileID, w.AddFile(w.t.Context(), NewFile{
		File: file, UserID: userID, SessionID: sessionID, Now: w.now, UserStorage: 100,
	})
}

// stale returns the intents from before a time.
func (w *world) stale(before time.Time) []string {
	w.t.Helper()
	intents, err := w.StaleFileIntents(w.t.Context(), before, "", 1000)
	w.must(err)
	var ids []string
	for _, intent := range intents {
		ids = append(ids, intent.FileID)
	}
	slices.Sort(ids)
	return ids
}

func TestAnIntentBecomesAFileOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session := w.session(ada, "")
		first, second := w.file(ada, session), w.file(ada, session)
		files, err := w.Files(t.Context(), ada, session)
		w.must(err)
		if len(files) != 2 || files[0].FileID != first || files[1].FileID != second {
			t.Errorf("files are %+v", files)
		}
		want := parley.File{
			FileID: second, Filename: "timetable.md", FileSize: 7, FileType: "text/markdown", UploadTime: w.now.Unix(),
		}
		if file, err := w.File(t.Context(), ada, second); err != nil || !reflect.DeepEqual(file, want) {
			t.Errorf("the file is %+v, %v", file, err)
		}
		if _, err := w.File(t.Context(), bob, second); !errors.Is(err, parley.ErrNoSuchFile) {
			t.Errorf("bob's: %v", err)
		}
		err = w.AddFile(t.Context(), NewFile{File: want, UserID: ada, SessionID: session, Now: w.now})
		if !errors.Is(err, parley.ErrFileNotStored) {
			t.Errorf("a second time: %v", err)
		}
		if left := w.stale(w.now.Add(time.Hour)); len(left) != 0 {
			t.Errorf("intents are left: %v", left)
		}
	})
}

func TestTheNotesOfAFileAreKept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada := w.user()
		session := w.session(ada, "")
		want := parley.File{
			FileID: id.New(), Filename: "a.pptx", FileSize: 7, FileType: "x/y", UploadTime: w.now.Unix(),
			Notes: []string{"slide 2 could not be read", `“第3页” \ "x"`},
		}
		w.must(w.AddFileIntent(t.Context(), ada, want.FileID, w.now))
		w.must(w.AddFile(t.Context(), NewFile{File: want, UserID: ada, SessionID: session, Now: w.now}))
		files, err := w.Files(t.Context(), ada, session)
		w.must(err)
		file, err := w.File(t.Context(), ada, want.FileID)
		w.must(err)
		if !reflect.DeepEqual(file, want) || !reflect.DeepEqual(files, []parley.File{want}) {
			t.Errorf("the file is %+v, the files are %+v", file, files)
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
		w.must(w.DropFileIntent(t.Context(), ada, files[0]))
		w.must(w.DeleteSession(t.Context(), ada, session))
		if got := w.stale(long); !slices.Equal(got, files[1:2]) {
			t.Errorf("after the session: %v", got)
		}
		w.must(w.remove(ada))
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
		add := func(fileID string) error {
			return w.AddFile(t.Context(), NewFile{
				File: parley.File{FileID: fileID}, UserID: user, SessionID: session, Now: w.now,
			})
		}
		w.must(w.AddFileIntent(t.Context(), user, old, w.tick()))
		deadline := w.tick()
		w.must(w.AddFileIntent(t.Context(), user, fresh, w.tick()))
		// It is given up, whether its bytes have been deleted yet or not.
		for range 2 {
			if got := w.stale(deadline); !slices.Equal(got, []string{old}) {
				t.Errorf("stale intents are %v", got)
			}
			if err := add(old); !errors.Is(err, parley.ErrFileNotStored) {
				t.Errorf("the old one: %v", err)
			}
		}
		w.must(add(fresh))
		w.must(w.DropFileIntent(t.Context(), user, old))
		if got := w.stale(w.now.Add(time.Hour)); len(got) != 0 {
			t.Errorf("intents are left: %v", got)
		}
	})
}

func TestARenewedIntentIsNotStale(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, long, given := w.user(), id.New(), id.New()
		w.must(w.AddFileIntent(t.Context(), user, long, w.tick()))
		w.must(w.AddFileIntent(t.Context(), user, given, w.now))
		deadline := w.tick()
		w.must(w.RenewFileIntent(t.Context(), user, long, w.tick()))
		if got := w.stale(deadline); !slices.Equal(got, []string{given}) {
			t.Errorf("stale intents are %v", got)
		}
		for _, fileID := range []string{given, id.New()} {
			if err := w.RenewFileIntent(t.Context(), user, fileID, w.now); !errors.Is(err, parley.ErrFileNotStored) {
				t.Errorf("an intent that was given up or is gone: %v", err)
			}
		}
		if got := w.stale(deadline); !slices.Equal(got, []string{given}) {
			t.Errorf("afterwards, stale intents are %v", got)
		}
	})
}

func TestGivingUpMakesAnIntentUnlessThereIsAFile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		file, lost, fresh := w.file(user, session), id.New(), id.New()
		w.must(w.AddFileIntent(t.Context(), user, fresh, w.tick()))
		for fileID, want := range map[string]bool{file: false, lost: true, fresh: true} {
			for range 2 {
				if given, err := w.GiveUpFileIntent(t.Context(), user, fileID); err != nil || given != want {
					t.Errorf("got %v, %v; want %v", given, err, want)
				}
			}
		}
		want := []string{lost, fresh}
		slices.Sort(want)
		if got := w.stale(time.Unix(1, 0)); !slices.Equal(got, want) {
			t.Errorf("given up are %v, want %v", got, want)
		}
	})
}

// TestGivingUpMeetsAFileThatIsBeingAdded checks that a file and an intent never exist together:
// the bytes of a file would be deleted.
func TestGivingUpMeetsAFileThatIsBeingAdded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		for range 50 {
			file := parley.File{FileID: id.New(), Filename: "f", FileType: "text/plain"}
			w.must(w.AddFileIntent(t.Context(), user, file.FileID, w.tick()))
			var given atomic.Bool
			var added atomic.Bool
			errs := parallel(2, func(i int) error {
				if i == 0 {
					got, err := w.GiveUpFileIntent(t.Context(), user, file.FileID)
					given.Store(got)
					return err
				}
				err := w.AddFile(t.Context(), NewFile{File: file, UserID: user, SessionID: session, Now: w.now})
				added.Store(err == nil)
				return allowed(err, parley.ErrFileNotStored)
			})
			w.must(errors.Join(errs...))
			isFile, isIntent, err := w.FileKnown(t.Context(), file.FileID)
			if err != nil || isFile != added.Load() || isIntent != given.Load() || isFile == isIntent {
				t.Fatalf("file %v, intent %v, added %v, given up %v, %v", isFile, isIntent, added.Load(), given.Load(), err)
			}
		}
	})
}

func TestStaleIntentsComeInBatches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for range 5 {
			w.must(w.AddFileIntent(t.Context(), user, id.New(), w.tick()))
		}
		for _, want := range []int{3, 2, 0} {
			ids, err := w.StaleFileIntents(t.Context(), w.now.Add(time.Hour), "", 3)
			w.must(err)
			if len(ids) != want {
				t.Errorf("%d intents, want %d", len(ids), want)
			}
			for _, intent := range ids {
				w.must(w.DropFileIntent(t.Context(), intent.UserID, intent.FileID))
			}
		}
	})
}

func TestFilesFitTheStorageOfTheirUser(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session, other, bobs := w.session(ada, ""), w.session(ada, ""), w.session(bob, "")
		first, err := w.fit(ada, session, 60)
		w.must(err)
		_, err = w.fit(ada, other, 40)
		w.must(err)
		refused, err := w.fit(ada, session, 1)
		var full *parley.Error
		want := parley.StorageFull(100, 100).Message
		if !errors.As(err, &full) || !errors.Is(err, parley.ErrStorageFull) || full.Message != want {
			t.Errorf("a byte too many: %v", err)
		}
		if got := w.stale(w.now.Add(time.Hour)); !slices.Equal(got, []string{refused}) {
			t.Errorf("the intents are %v, want that of the refused file", got)
		}
		_, err = w.fit(bob, bobs, 100)
		w.must(err) // users have storage of their own

		used := func(want int64) {
			t.Helper()
			if got, err := w.StorageUsed(t.Context(), ada); err != nil || got != want {
				t.Errorf("%d bytes are used, want %d; %v", got, want, err)
			}
		}
		used(100)
		w.must(w.ClearSession(t.Context(), ada, other)) // which keeps its files
		used(100)
		w.must(w.DeleteFile(t.Context(), ada, first))
		used(40)
		w.must(w.DeleteSession(t.Context(), ada, other))
		used(0)
		_, err = w.fit(ada, session, 100)
		w.must(err)
		w.must(w.remove(ada))
		used(0)
	})
}

func TestFilesAddedAtOnceStayWithinTheStorage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		var sessions []string
		for range 4 { // a lock on one session must not help
			sessions = append(sessions, w.session(user, ""))
		}
		var added atomic.Int64
		errs := parallel(16, func(i int) error {
			_, err := w.fit(user, sessions[i%len(sessions)], 30)
			if err == nil {
				added.Add(1)
			}
			return allowed(err, parley.ErrStorageFull)
		})
		w.must(errors.Join(errs...))
		used, err := w.StorageUsed(t.Context(), user)
		w.must(err)
		if added.Load() != 3 || used != 90 {
			t.Errorf("%d files were added, %d of 100 bytes are used", added.Load(), used)
		}
	})
}

func TestTheTextAndTheIndexOfAFileCount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		add := func(text, index int64) error {
			file := parley.File{FileID: id.New(), FileSize: 10}
			w.must(w.AddFileIntent(t.Context(), user, file.FileID, w.now))
			return w.AddFile(t.Context(), NewFile{
				File: file, UserID: user, SessionID: session, Now: w.now, TextSize: text, IndexSize: index, UserStorage: 100,
			})
		}
		w.must(add(20, 30))
		if err := add(20, 11); !errors.Is(err, parley.ErrStorageFull) {
			t.Errorf("a byte too many: %v", err)
		}
		w.must(add(20, 10))
		if used, err := w.StorageUsed(t.Context(), user); err != nil || used != 100 {
			t.Errorf("%d bytes are used, %v", used, err)
		}
	})
}
