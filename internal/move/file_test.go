package move

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/id"
	"parley/internal/library"
	"parley/internal/store"
	"parley/internal/store/storetest"
	"parley/internal/testdb"
)

// noon is the time of all tests.
var noon = time.Unix(1_767_225_600, 0)

// addFiles adds an account with documents, pictures and an open import to a place.
func addFiles(t testing.TB, p Place, count int) {
	t.Helper()
	kept, err := store.Open(t.Context(), p.Data, p.DatabaseURL)
	must(t, err)
	defer kept.Close() //nolint:errcheck // the test has read it all
	files, err := p.openFiles(t.Context())
	must(t, err)
	defer files.Close() //nolint:errcheck // it is durable
	user := storetest.User(t, kept, noon)
	session := storetest.Session(t, kept, user, noon)
	for n := range count {
		file := parley.File{FileID: id.New(), Filename: "a.txt", FileType: "text/plain"}
		if n%3 == 0 {
			file.Filename, file.FileType = "a.png", "image/png"
		}
		content := strings.Repeat(fmt.Sprint("number ", n, " "), 1+n*n%5000)
		file.FileSize = int64(len(content))
		keys := library.Keys(file)
		if n%2 == 0 {
			keys = append(keys, library.VectorsKey(file))
		}
		for _, key := range keys {
			_, err := files.Put(t.Context(), key, strings.NewReader(content+key))
			must(t, err)
		}
		must(t, kept.AddFileIntent(t.Context(), user, file.FileID, noon))
		must(t, kept.AddFile(t.Context(), store.NewFile{File: file, UserID: user, SessionID: session, Now: noon}))
	}
	imported := id.New()
	_, err = files.Put(t.Context(), imported, strings.NewReader("conversations"))
	must(t, err)
	must(t, kept.AddFileIntent(t.Context(), user, imported, noon))
	must(t, kept.AddImport(t.Context(),
		store.NewImport{ID: id.New(), UserID: user, FileID: imported, Size: 13, Now: noon}))
}

// contents returns the blobs of a place by key. Those that are missing are empty.
func contents(t testing.TB, p Place) map[string]string {
	t.Helper()
	database, err := p.attach(t.Context())
	must(t, err)
	defer database.Close()
	files, err := p.openFiles(t.Context())
	must(t, err)
	defer files.Close() //nolint:errcheck // it was only read
	all := map[string]string{}
	m := &mover{database: store.New(database)}
	must(t, m.listFiles(t.Context(), func(one item) error {
		bytes, err := files.Get(t.Context(), one.key)
		if errors.Is(err, blob.ErrNotFound) {
			if !one.optional {
				all[one.key] = ""
			}
			return nil
		}
		if err != nil {
			return err
		}
		defer bytes.Close() //nolint:errcheck // it was only read
		text, err := io.ReadAll(bytes)
		all[one.key] = string(text)
		return err
	}))
	return all
}

// sameFiles compares the blobs of a place with those that it should have.
func sameFiles(t testing.TB, p Place, want map[string]string) {
	t.Helper()
	got := contents(t, p)
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s has %d files, want %d", p, len(got), len(want))
	}
	for key, text := range want {
		if got[key] != text {
			t.Errorf("%s: %s has %d bytes, want %d", p, key, len(got[key]), len(text))
		}
	}
}

// TestFilesMoveBetweenAFolderAndABucket leaves the database where it is.
func TestFilesMoveBetweenAFolderAndABucket(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		folder := Place{Data: filepath.Join(t.TempDir(), "data"), DatabaseURL: url}
		bucket := folder
		bucket.FilesURL = testdb.S3(t)
		addFiles(t, folder, 20)
		want := contents(t, folder)
		report := moves(t, folder, bucket)
		if report.Files != int64(len(want)) || report.Rows != 0 || len(report.Missing) != 0 {
			t.Errorf("the report is %+v", report)
		}
		sameFiles(t, bucket, want)
		filesRefused(t, folder, "was moved to")
		must(t, open(t, bucket).Close()) // the database stays in use
		refuses(t, folder, bucket, "was moved to")

		back := bucket
		back.FilesURL = ""
		if url != "" { // SQLite stays in its folder
			back.Data = filepath.Join(t.TempDir(), "data")
		} else {
			must(t, os.RemoveAll(filepath.Join(folder.Data, "files")))
		}
		moves(t, bucket, back)
		sameFiles(t, back, want)
		filesRefused(t, bucket, "was moved to")
		_, err := Undo(t.Context(), bucket)
		must(t, err)
		files, err := blob.Open(t.Context(), filepath.Join(bucket.Data, "files"), bucket.FilesURL)
		must(t, err)
		must(t, files.Close())
	})
}

// filesRefused checks that no server uses the files of a place, and why.
func filesRefused(t testing.TB, p Place, says string) {
	t.Helper()
	files, err := blob.Open(t.Context(), filepath.Join(p.Data, "files"), p.FilesURL)
	if err == nil {
		must(t, files.Close())
	}
	if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
		t.Errorf("the files of %s: %v, want %q", p, err, says)
	}
}

// TestEverythingMovesAtOnce moves a database and its files to another data folder.
func TestEverythingMovesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, from, to Place) {
		addFiles(t, from, 10)
		want, rows := contents(t, from), dump(t, from)
		moves(t, from, to)
		sameFiles(t, to, want)
		if got := dump(t, to); got != rows {
			t.Errorf("there is\n%s\nwant\n%s", got, rows)
		}
		filesRefused(t, from, "was moved to")
	})
}

// TestFilesThatArrivedAreNotCopiedAgain interrupts a move, damages a file that has arrived and loses one at the source.
func TestFilesThatArrivedAreNotCopiedAgain(t *testing.T) {
	from, to := newPlace(t, "sqlite"), newPlace(t, "sqlite")
	addFiles(t, from, 20)
	want := contents(t, from)
	ctx, cancel := context.WithCancel(t.Context())
	c := config(from, to)
	c.Progress = func(text string) {
		if strings.HasPrefix(text, "12 files") {
			cancel()
		}
	}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	filesRefused(t, to, "is being moved here")
	place, err := to.openFiles(t.Context())
	must(t, err)
	arrived := []string{}
	files := place.(*blob.Dir)
	must(t, files.Each(t.Context(), func(key string, _ time.Time) error {
		arrived = append(arrived, key)
		return nil
	}))
	if len(arrived) < 12 {
		t.Fatalf("%d files have arrived", len(arrived))
	}
	_, err = files.Put(t.Context(), arrived[0], strings.NewReader("damaged"))
	must(t, errors.Join(err, files.Close()))
	lost := ""
	for key := range want {
		if filepath.Ext(key) == ".text" {
			lost = key
		}
	}
	path, err := blob.Path(lost)
	must(t, err)
	must(t, os.Remove(filepath.Join(from.Data, "files", path)))
	report := moves(t, from, to)
	if len(report.Missing) != 1 || report.Missing[0]+".text" != lost {
		t.Errorf("missing are %v, want %s", report.Missing, lost)
	}
	got := contents(t, to)
	if got[arrived[0]] != want[arrived[0]] {
		t.Errorf("the damaged file has %q", got[arrived[0]])
	}
}

func TestAFolderWithFilesIsRefused(t *testing.T) {
	from, to := newPlace(t, "sqlite"), newPlace(t, "sqlite")
	addFiles(t, from, 1)
	files, err := to.openFiles(t.Context())
	must(t, err)
	_, err = files.Put(t.Context(), id.New(), strings.NewReader("of somebody"))
	must(t, errors.Join(err, files.Close()))
	refuses(t, from, to, "is not empty")
	must(t, open(t, from).Close())
}

func TestAProbeThatAKillHasLeftIsNoFile(t *testing.T) {
	from, to := newPlace(t, "sqlite"), newPlace(t, "sqlite")
	addFiles(t, from, 1)
	files, err := to.openFiles(t.Context())
	must(t, err)
	_, err = files.Put(t.Context(), probe, strings.NewReader("left"))
	must(t, errors.Join(err, files.Close()))
	moves(t, from, to)
	files, err = to.openFiles(t.Context())
	must(t, err)
	defer files.Close() //nolint:errcheck // it was only read
	if _, err := files.Get(t.Context(), probe); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the probe is still there: %v", err)
	}
}
