package library

import (
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/blob"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/store/storetest"
	"parley/internal/testdb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const maxUpload = 100_000

// shelf is a library with one user, one session, and a clock set by the test.
type shelf struct {
	*Library
	t       *testing.T
	dir     string
	bucket  string // empty for a folder
	user    int64
	session string
	now     time.Time
}

// each runs a test with a folder and with an S3 store.
func each(t *testing.T, test func(t *testing.T, s *shelf)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) { test(t, newShelf(t, "", "")) })
	t.Run("s3", func(t *testing.T) { test(t, newShelf(t, "", testdb.S3(t))) })
}

// everywhere runs a test with both databases and with an S3 store.
func everywhere(t *testing.T, test func(t *testing.T, s *shelf)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, url string) { test(t, newShelf(t, url, "")) })
	t.Run("s3", func(t *testing.T) { test(t, newShelf(t, "", testdb.S3(t))) })
}

func newShelf(t *testing.T, databaseURL, bucket string) *shelf {
	t.Helper()
	s := &shelf{t: t, dir: filepath.Join(t.TempDir(), "blobs"), bucket: bucket, now: time.Unix(1_767_225_600, 0)}
	db := storetest.Open(t, t.TempDir(), databaseURL)
	blobs, err := blob.Open(t.Context(), s.dir, bucket)
	s.must(err)
	t.Cleanup(func() { s.must(blobs.Close()) })
	s.Library = New(Config{
		Store:     db,
		Blobs:     blobs,
		Log:       slog.New(slog.DiscardHandler),
		MaxUpload: maxUpload,
		Reader: sandbox.Inline{
			Reader: extract.Reader{MaxText: 4 * maxUpload, MaxUnpacked: 8 * maxUpload},
			Index:  Index,
		},
		Now: func() time.Time { return s.now },
	})
	s.user = storetest.User(t, db, s.now)
	s.session = s.newSession()
	return s
}

func (s *shelf) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) newSession() string {
	s.t.Helper()
	return storetest.Session(s.t, s.store, s.user, s.now)
}

// upload adds a text to the session.
func (s *shelf) upload(name, text string) parley.File {
	s.t.Helper()
	draft, err := s.Receive(s.t.Context(), s.user, name, strings.NewReader(text))
	s.must(err)
	file, err := draft.Attach(s.t.Context(), s.session)
	s.must(err)
	s.now = s.now.Add(time.Second)
	return file
}

// kept counts the blobs in the folder and the bucket, including partial ones.
func (s *shelf) kept() (n int) {
	s.t.Helper()
	if s.bucket != "" {
		n = len(testdb.Objects(s.t, s.bucket))
	}
	s.must(filepath.WalkDir(s.dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	}))
	return n
}

// announced counts the intents.
func (s *shelf) announced() int {
	s.t.Helper()
	ids, err := s.store.StaleFileIntents(s.t.Context(), s.now.Add(1000*time.Hour), "", 1000)
	s.must(err)
	return len(ids)
}

// nothing checks that nothing is left of an upload.
func (s *shelf) nothing() {
	s.t.Helper()
	files, err := s.Files(s.t.Context(), s.user, s.session)
	s.must(err)
	if len(files) != 0 || s.kept() != 0 || s.announced() != 0 {
		s.t.Errorf("%d files, %d blobs and %d intents are left", len(files), s.kept(), s.announced())
	}
}
