package backup

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/id"
	"parley/internal/library"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is the time of all tests.
var noon = time.Unix(1_767_225_600, 0)

func clock() time.Time { return noon }

func silent(string) {}

// world is a data folder that a server is using, with a user who has a session.
type world struct {
	t       testing.TB
	data    string
	store   *store.Store
	blobs   *blob.Dir
	user    int64
	session string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	kept := storetest.Open(t, data, "")
	user := storetest.User(t, kept, noon)
	w := &world{t: t, data: data, store: kept, user: user, session: storetest.Session(t, kept, user, noon)}
	var err error
	w.blobs, err = blob.OpenDir(filepath.Join(data, filesDir))
	w.must(err)
	t.Cleanup(func() { w.must(w.blobs.Close()) })
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// document stores a document. All its blobs have the text.
func (w *world) document(text string) string {
	w.t.Helper()
	fileID := id.New()
	for _, key := range library.Keys(parley.File{FileID: fileID}) {
		_, err := w.blobs.Put(w.t.Context(), key, strings.NewReader(text))
		w.must(err)
	}
	storetest.File(w.t, w.store, w.user, w.session, fileID, len(text), noon)
	return fileID
}

// picture stores a picture. All its blobs have the text.
func (w *world) picture(text string) parley.File {
	w.t.Helper()
	file := parley.File{FileID: id.New(), Filename: "a.png", FileSize: int64(len(text)), FileType: "image/png"}
	for _, key := range library.Keys(file) {
		_, err := w.blobs.Put(w.t.Context(), key, strings.NewReader(text))
		w.must(err)
	}
	w.must(w.store.AddFileIntent(w.t.Context(), w.user, file.FileID, noon))
	w.must(w.store.AddFile(w.t.Context(), store.NewFile{File: file, UserID: w.user, SessionID: w.session, Now: noon}))
	return file
}

// archive writes an archive of the data folder.
func (w *world) archive() string {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "backup.tar")
	_, err := w.create(file, false)
	w.must(err)
	return file
}

func (w *world) create(file string, force bool) (Report, error) {
	return Create(w.t.Context(), CreateConfig{
		Data: w.data, File: file, Force: force, Version: "test", Progress: silent, Now: clock,
	})
}

func restoreInto(t testing.TB, data, file string, force bool) (Report, error) {
	return Restore(t.Context(), RestoreConfig{Data: data, File: file, Force: force, Progress: silent, Now: clock})
}

// documents returns the texts of the user's documents in a data folder, by id.
func documents(t testing.TB, w *world, data string) map[string]string {
	t.Helper()
	kept, err := store.Open(t.Context(), data, "")
	w.must(err)
	defer kept.Close()
	blobs, err := blob.OpenDir(filepath.Join(data, filesDir))
	w.must(err)
	defer blobs.Close()
	files, err := kept.Files(t.Context(), w.user, w.session)
	w.must(err)
	found := map[string]string{}
	for _, file := range files {
		for _, key := range library.Keys(file) {
			r, err := blobs.Get(t.Context(), key)
			if errors.Is(err, blob.ErrNotFound) {
				continue
			}
			w.must(err)
			text, err := io.ReadAll(r)
			w.must(errors.Join(err, r.Close()))
			found[file.FileID] += string(text) + ";"
		}
	}
	return found
}

// left returns the names of the files in a folder, without the lock.
func left(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.Name() != "lock" {
			names = append(names, entry.Name())
		}
	}
	return names
}

func TestWhatIsBackedUpUnderAServerIsRestored(t *testing.T) {
	w := newWorld(t)
	one, two := w.document("the first"), w.document("the second")
	file := filepath.Join(t.TempDir(), "backup.tar")
	report, err := w.create(file, false)
	w.must(err)
	info, err := os.Stat(file)
	w.must(err)
	if info.Size() != report.Size || info.Mode() != 0o600 || report.Documents != 2 || len(report.Missing) != 0 {
		t.Errorf("got %+v of %+v, %v", report, info, err)
	}
	if names := left(t, filepath.Dir(file)); !slices.Equal(names, []string{"backup.tar"}) {
		t.Errorf("beside the archive is %v", names)
	}
	w.document("too late for the archive")
	data := filepath.Join(t.TempDir(), "new", "data")
	restored, err := restoreInto(t, data, file, false)
	w.must(err)
	if restored.About != report.About || restored.Aside != "" {
		t.Errorf("restored %+v, backed up %+v", restored, report)
	}
	if names := left(t, data); !slices.Equal(names, []string{filesDir, db.SQLiteFile}) {
		t.Errorf("restored is %v", names)
	}
	got := documents(t, w, data)
	if len(got) != 2 || got[one] != "the first;the first;the first;" || got[two] != "the second;the second;the second;" {
		t.Errorf("the documents are %v", got)
	}
}

// TestDocumentsStayWhileTheyAreBackedUp deletes one between the copy of the database
// and the copy of its bytes.
// TestARetentionBeginsAgainAfterARestore restores what was backed up long after a retention was set. Without the wait,
// what has become old meanwhile would be deleted before anybody looks at it.
func TestARetentionBeginsAgainAfterARestore(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.store.BeginRetention(t.Context(), time.Hour, noon)
	w.must(err)
	data, later := t.TempDir(), noon.Add(100*24*time.Hour)
	_, err = restoreInto(t, data, w.archive(), false)
	w.must(err)
	restored, err := store.Open(t.Context(), data, "")
	w.must(err)
	defer restored.Close()
	since, begun, err := restored.BeginRetention(t.Context(), time.Hour, later)
	if err != nil || !begun || !since.Equal(later) {
		t.Errorf("since %v, begun %v, %v", since, begun, err)
	}
	if since, begun, err := w.store.BeginRetention(t.Context(), time.Hour, later); begun || !since.Equal(noon) {
		t.Errorf("where it was backed up: since %v, begun %v, %v", since, begun, err)
	}
}

func TestDocumentsStayWhileTheyAreBackedUp(t *testing.T) {
	w := newWorld(t)
	w.document("first")
	second := w.document("second")
	file := filepath.Join(t.TempDir(), "backup.tar")
	tried := false
	remove := func(text string) {
		if text != "1 of 2 documents" {
			return
		}
		tried = true
		w.must(w.store.DeleteFile(t.Context(), w.user, second))
		if err := w.blobs.Delete(t.Context(), second); !errors.Is(err, blob.ErrHeld) {
			t.Errorf("the bytes could be deleted: %v", err)
		}
	}
	_, err := Create(t.Context(), CreateConfig{
		Data: w.data, File: file, Version: "test", Now: clock, Progress: remove,
	})
	w.must(err)
	if !tried {
		t.Fatal("nothing was tried")
	}
	data := t.TempDir()
	_, err = restoreInto(t, data, file, false)
	w.must(err)
	if got := documents(t, w, data); got[second] != "second;second;second;" {
		t.Errorf("the documents are %v", got)
	}
	w.must(w.blobs.Delete(t.Context(), second)) // released
}

func TestAPictureIsBackedUpWithWhatWasMadeOfIt(t *testing.T) {
	w := newWorld(t)
	whole, lost := w.picture("whole"), w.picture("lost")
	w.must(w.blobs.Delete(t.Context(), library.Keys(lost)[4]))
	file := filepath.Join(t.TempDir(), "backup.tar")
	report, err := w.create(file, false)
	w.must(err)
	if !slices.Equal(report.Missing, []string{lost.FileID}) {
		t.Errorf("missing are %v", report.Missing)
	}
	data := filepath.Join(t.TempDir(), "data")
	restored, err := restoreInto(t, data, file, false)
	w.must(err)
	if !slices.Equal(restored.Missing, []string{lost.FileID}) {
		t.Errorf("missing are %v", restored.Missing)
	}
	if got := documents(t, w, data)[whole.FileID]; got != strings.Repeat("whole;", 5) {
		t.Errorf("got %q", got)
	}
}

func TestVectorsAreBackedUpIfThereAreAny(t *testing.T) {
	w := newWorld(t)
	with, without := w.document("the first"), w.document("the second")
	_, err := w.blobs.Put(t.Context(), library.VectorsKey(parley.File{FileID: with}), strings.NewReader("vectors"))
	w.must(err)
	data := t.TempDir()
	report, err := restoreInto(t, data, w.archive(), false)
	w.must(err)
	if len(report.Missing) != 0 {
		t.Errorf("missing are %v", report.Missing)
	}
	blobs, err := blob.OpenDir(filepath.Join(data, filesDir))
	w.must(err)
	defer blobs.Close()
	r, err := blobs.Get(t.Context(), library.VectorsKey(parley.File{FileID: with}))
	w.must(err)
	content, err := io.ReadAll(r)
	w.must(errors.Join(err, r.Close()))
	_, err = blobs.Get(t.Context(), library.VectorsKey(parley.File{FileID: without}))
	if string(content) != "vectors" || !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("restored are %q, %v", content, err)
	}
}

func TestADocumentWithoutBytesIsReportedAndDoesNotStopABackup(t *testing.T) {
	w := newWorld(t)
	lost, whole := w.document("lost"), w.document("whole")
	w.must(w.blobs.Delete(t.Context(), library.Keys(parley.File{FileID: lost})[1]))
	file := filepath.Join(t.TempDir(), "backup.tar")
	report, err := w.create(file, false)
	w.must(err)
	data := t.TempDir()
	restored, err := restoreInto(t, data, file, false)
	w.must(err)
	if want := []string{lost}; !slices.Equal(report.Missing, want) || !slices.Equal(restored.Missing, want) {
		t.Errorf("missing are %v, and then %v", report.Missing, restored.Missing)
	}
	if got := documents(t, w, data); got[lost] != "lost;lost;" || got[whole] == "" {
		t.Errorf("the documents are %v", got)
	}
}

func TestABackupReplacesNothingUnasked(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "backup.tar")
	w.must(os.WriteFile(file, []byte("precious"), 0o600))
	if _, err := w.create(file, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if _, err := w.create(filepath.Dir(file), true); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder in place of a file: %v", err)
	}
	_, err := w.create(file, true)
	w.must(err)
	_, err = restoreInto(t, t.TempDir(), file, false)
	w.must(err)
}

func TestABackupThatFailsLeavesNothing(t *testing.T) {
	w := newWorld(t)
	empty, folder := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, "a.tar")
	_, err := Create(t.Context(), CreateConfig{Data: empty, File: file, Progress: silent, Now: clock})
	if !errors.Is(err, db.ErrNoDatabase) {
		t.Errorf("without a database: %v", err)
	}
	if _, err := w.create(filepath.Join(folder, "nowhere", "a.tar"), false); err == nil {
		t.Error("a folder that is not there: no error")
	}
	if len(left(t, empty)) != 0 || len(left(t, folder)) != 0 {
		t.Errorf("left are %v and %v", left(t, empty), left(t, folder))
	}
}

func TestWhatIsInterruptedLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.document("something")
	file, folder, data := w.archive(), t.TempDir(), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, created := Create(ctx, CreateConfig{
		Data: w.data, File: filepath.Join(folder, "a.tar"), Progress: silent, Now: clock,
	})
	_, restored := Restore(ctx, RestoreConfig{Data: data, File: file, Progress: silent, Now: clock})
	for _, err := range []error{created, restored} {
		if !errors.Is(err, context.Canceled) || errors.Is(err, errNotAnArchive) {
			t.Errorf("got %v", err)
		}
	}
	if len(left(t, folder)) != 0 || len(left(t, data)) != 0 {
		t.Errorf("left are %v and %v", left(t, folder), left(t, data))
	}
}

func TestARestoreRefusesAFolderInUse(t *testing.T) {
	w := newWorld(t)
	fileID := w.document("here")
	file := w.archive()
	for _, force := range []bool{false, true} {
		_, err := restoreInto(t, w.data, file, force)
		if err == nil || !strings.Contains(err.Error(), "in use by another process; stop the server") {
			t.Errorf("force %v: %v", force, err)
		}
	}
	if _, err := w.store.File(t.Context(), w.user, fileID); err != nil {
		t.Error(err)
	}
}

func TestARestoreRefusesAnotherUsersFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make another user's folder")
	}
	file, data := newWorld(t).archive(), t.TempDir()
	if err := os.Chown(data, 65_534, 65_534); err != nil {
		t.Fatal(err)
	}
	if _, err := restoreInto(t, data, file, false); err == nil || !strings.Contains(err.Error(), "belongs to user 65534") {
		t.Errorf("got %v", err)
	}
	if names := left(t, data); len(names) != 0 {
		t.Errorf("left are %v", names)
	}
}

func TestARestoreIntoAFullFolderNeedsForceAndLosesNothing(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	old := other.document("old")
	data := t.TempDir()
	_, err := restoreInto(t, data, other.archive(), false)
	w.must(err)
	fresh, file := w.document("new"), w.archive()
	_, err = restoreInto(t, data, file, false)
	if err == nil || !strings.Contains(err.Error(), "not empty (parley.db, files)") {
		t.Errorf("without force: %v", err)
	}
	if got := documents(t, other, data); got[old] == "" {
		t.Errorf("the documents are %v", got)
	}
	report, err := restoreInto(t, data, file, true)
	w.must(err)
	if got := documents(t, w, data); len(got) != 1 || got[fresh] == "" {
		t.Errorf("the documents are %v", got)
	}
	if got := documents(t, other, report.Aside); got[old] == "" {
		t.Errorf("aside are %v", got)
	}
}

func TestNoServerStartsOnAHalfRestoredFolder(t *testing.T) {
	w := newWorld(t)
	file, data := w.archive(), t.TempDir()
	w.must(os.WriteFile(filepath.Join(data, db.Restoring), nil, 0o600)) // as a kill in the middle leaves it
	_, err := store.Open(t.Context(), data, "")
	if err == nil || !strings.Contains(err.Error(), "run parley restore --force again") {
		t.Fatalf("got %v", err)
	}
	_, err = restoreInto(t, data, file, true)
	w.must(err)
	documents(t, w, data)
}
