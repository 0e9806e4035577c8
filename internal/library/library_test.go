package library

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/extract/prose"
	"parley/internal/id"
)

func TestAnUploadBecomesAFileOfItsSession(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		now := s.now
		text := "# Ferries\n\nThe hydrofoil takes fifty minutes.\n"
		file := s.upload("../../etc/timetable.md", text)
		want := parley.File{
			FileID: file.FileID, Filename: "timetable.md", FileSize: int64(len(text)),
			FileType: "text/markdown", UploadTime: now.Unix(),
		}
		if !reflect.DeepEqual(file, want) || !id.Valid(file.FileID) {
			t.Errorf("the file is %+v", file)
		}
		files, err := s.Files(t.Context(), s.user, s.session)
		s.must(err)
		if !reflect.DeepEqual(files, []parley.File{want}) {
			t.Errorf("files are %+v", files)
		}
		found, bytes, err := s.Open(t.Context(), s.user, file.FileID)
		s.must(err)
		defer bytes.Close()
		if content, err := io.ReadAll(bytes); err != nil || string(content) != text || !reflect.DeepEqual(found, want) {
			t.Errorf("opened %+v, %q, %v", found, content, err)
		}
		if s.kept() != 3 || s.announced() != 0 {
			t.Errorf("%d blobs and %d intents", s.kept(), s.announced())
		}
	})
}

func TestAFileIsItsUsersOnly(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		file := s.upload("a.txt", "text")
		for _, c := range []struct {
			user int64
			file string
		}{{s.user + 1, file.FileID}, {s.user, id.New()}, {s.user, "../" + file.FileID}, {s.user, ""}} {
			if _, _, err := s.Open(t.Context(), c.user, c.file); !errors.Is(err, parley.ErrNoSuchFile) {
				t.Errorf("open %+v: %v", c, err)
			}
			if err := s.Delete(t.Context(), c.user, c.file); !errors.Is(err, parley.ErrNoSuchFile) {
				t.Errorf("delete %+v: %v", c, err)
			}
		}
		for _, c := range []struct {
			user    int64
			session string
		}{{s.user + 1, s.session}, {s.user, id.New()}, {s.user, "nonsense"}} {
			if _, err := s.Files(t.Context(), c.user, c.session); !errors.Is(err, parley.ErrNoSuchSession) {
				t.Errorf("files %+v: %v", c, err)
			}
		}
	})
}

func TestADraftDiscardedLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("text"))
		s.must(err)
		if s.kept() != 1 || s.announced() != 1 {
			t.Errorf("%d blobs and %d intents", s.kept(), s.announced())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // the client has disconnected
		draft.Discard(ctx)
		s.nothing()
	})
}

func TestAFileOfTheLargestSizeIsTaken(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		if file := s.upload("a.txt", strings.Repeat("x", maxUpload)); file.FileSize != maxUpload {
			t.Errorf("the file is %+v", file)
		}
	})
}

func TestTheRestOfATooLargeFileIsNotRead(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		source := &counted{r: endless{}}
		_, err := s.Receive(t.Context(), s.user, "a.txt", source)
		if !errors.Is(err, parley.ErrFileTooLarge) || !strings.Contains(err.Error(), parley.FormatSize(maxUpload)) {
			t.Errorf("error is %v", err)
		}
		if source.n > maxUpload+1 {
			t.Errorf("%d bytes were read", source.n)
		}
		s.nothing()
	})
}

// storedSize is what a text of repeated letters takes of its user's storage.
func storedSize(t *testing.T, size int) int64 {
	t.Helper()
	index, err := Index(prose.Document{Text: strings.Repeat("x", size)})
	if err != nil {
		t.Fatal(err)
	}
	return int64(2*size + len(index))
}

func TestAFileIsReadNoFurtherThanItsUsersStorage(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		first := storedSize(t, 400)
		s.userStorage = first + storedSize(t, 600)
		s.upload("a.txt", strings.Repeat("x", 400))
		source := &counted{r: endless{}}
		_, err := s.Receive(t.Context(), s.user, "b.txt", source)
		used := fmt.Sprintf("%s of the %s that", parley.FormatSize(first), parley.FormatSize(s.userStorage))
		if !errors.Is(err, parley.ErrStorageFull) || !strings.Contains(err.Error(), used) {
			t.Errorf("error is %v", err)
		}
		if source.n > int(s.userStorage-first+1) {
			t.Errorf("%d bytes were read", source.n)
		}
		rest := s.upload("c.txt", strings.Repeat("x", 600))
		source.n = 0
		_, err = s.Receive(t.Context(), s.user, "d.txt", source)
		if !errors.Is(err, parley.ErrStorageFull) || source.n != 0 {
			t.Errorf("with no room left %d bytes were read: %v", source.n, err)
		}
		s.must(s.Delete(t.Context(), s.user, rest.FileID))
		s.upload("e.txt", strings.Repeat("x", 600))
		s.must(s.cleanUp(t.Context()))
		if s.kept() != 2*3 || s.announced() != 0 {
			t.Errorf("%d blobs and %d intents are left", s.kept(), s.announced())
		}
	})
}

// TestTheStorageCountsWhatIsStored uploads a packed document. Its text alone exceeds its user's storage.
func TestTheStorageCountsWhatIsStored(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		packed := epub(t, strings.Repeat("The ferry leaves at nine. ", 10_000))
		s.userStorage = 100_000
		if len(packed) > 10_000 {
			t.Fatalf("the document has %d bytes", len(packed))
		}
		draft, err := s.Receive(t.Context(), s.user, "a.epub", bytes.NewReader(packed))
		s.must(err)
		if _, err := draft.Attach(t.Context(), s.session); !errors.Is(err, parley.ErrStorageFull) {
			t.Errorf("error is %v", err)
		}
		draft.Discard(t.Context())
		s.nothing()
	})
}

func TestASessionHoldsAFewFiles(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		refused := func(why string) {
			t.Helper()
			draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("text"))
			s.must(err)
			_, err = draft.Attach(t.Context(), s.session)
			var full *parley.Error
			if !errors.As(err, &full) || full.Message != parley.ErrSessionFull.Message {
				t.Errorf("%s: %v", why, err)
			}
			draft.Discard(t.Context())
		}
		s.sessionFiles = 2
		first := s.upload("a.txt", "text")
		s.upload("b.txt", "text")
		refused("a third file")
		s.must(s.Delete(t.Context(), s.user, first.FileID))
		s.upload("c.txt", "text")

		index, err := Index(prose.Document{Text: "text"})
		s.must(err)
		s.sessionFiles, s.sessionIndex = 100, int64(3*len(index))
		s.upload("d.txt", "text")
		refused("a fourth index")
		s.session = s.newSession()
		s.upload("e.txt", "text")
	})
}

// epub returns a small book with one chapter.
func epub(t *testing.T, text string) []byte {
	t.Helper()
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for _, part := range [][2]string{
		{"mimetype", "application/epub+zip"},
		{
			"META-INF/container.xml",
			`<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`,
		},
		{"book.opf", `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>` +
			`<spine><itemref idref="a"/></spine></package>`},
		{"a.xhtml", "<html><body><p>" + text + "</p></body></html>"},
	} {
		w, err := archive.Create(part[0])
		if err == nil {
			_, err = io.WriteString(w, part[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestOfUploadsUnderWayTheLastThatDoNotFitAreRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		s.userStorage = 5 * storedSize(t, 400) / 2
		var drafts []*Draft
		for range 3 { // each fits when it arrives
			draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader(strings.Repeat("x", 400)))
			s.must(err)
			drafts = append(drafts, draft)
		}
		for i, draft := range drafts {
			_, err := draft.Attach(t.Context(), s.session)
			if (i < 2) != (err == nil) || err != nil && !errors.Is(err, parley.ErrStorageFull) {
				t.Errorf("upload %d: %v", i, err)
			}
		}
		drafts[2].Discard(t.Context())
		if s.kept() != 2*3 || s.announced() != 0 {
			t.Errorf("%d blobs and %d intents are left", s.kept(), s.announced())
		}
	})
}

// endless is an endless text.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// counted counts the bytes read.
type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestAnErrorOfTheSenderComesBackAsItIs(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		gone := parley.Invalid("the form is broken")
		_, err := s.Receive(t.Context(), s.user, "a.txt", io.MultiReader(strings.NewReader("half a"), iotest.ErrReader(gone)))
		var known *parley.Error
		if !errors.As(err, &known) || known != gone {
			t.Errorf("error is %v", err)
		}
		s.nothing()
	})
}

func TestAnUploadWhoseRequestEndsLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		ctx, cancel := context.WithCancel(t.Context())
		source := io.MultiReader(strings.NewReader("half a"), reader(func([]byte) (int, error) {
			cancel()
			return 0, nil
		}))
		if _, err := s.Receive(ctx, s.user, "a.txt", source); err == nil {
			t.Error("it was taken")
		}
		s.nothing()
	})
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

func TestADocumentThatIsRefusedLeavesNothingOnceDiscarded(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		for _, c := range []struct {
			content string
			want    error
		}{
			{
				"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00",
				parley.ErrFormatUnsupported,
			},
			{"\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00", 100), parley.ErrFormatUnsupported},
			{"", parley.ErrFileUnreadable},
			{" \n\t ", parley.ErrFileUnreadable},
		} {
			draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader(c.content))
			s.must(err)
			if _, err := draft.Attach(t.Context(), s.session); !errors.Is(err, c.want) {
				t.Errorf("%.10q: %v", c.content, err)
			}
			draft.Discard(t.Context())
			s.nothing()
		}
	})
}

func TestADocumentNeedsASessionUntilTheEnd(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		gone := s.newSession()
		s.must(s.store.DeleteSession(t.Context(), s.user, gone))
		for _, c := range []struct {
			user    int64
			session string
		}{{s.user, gone}, {s.user + 1, s.session}, {s.user, "nonsense"}} {
			draft, err := s.Receive(t.Context(), c.user, "a.txt", strings.NewReader("text"))
			s.must(err)
			if _, err := draft.Attach(t.Context(), c.session); !errors.Is(err, parley.ErrNoSuchSession) {
				t.Errorf("%+v: %v", c, err)
			}
			draft.Discard(t.Context())
			s.nothing()
		}
	})
}

func TestTheJanitorRemovesWhatNobodyOwns(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		deleted, keep := s.upload("a.txt", "deleted"), s.upload("b.txt", "kept")
		s.must(s.Delete(t.Context(), s.user, deleted.FileID))
		kept := s.session
		s.session = s.newSession()
		s.upload("c.txt", "goes with its session")
		s.must(s.store.DeleteSession(t.Context(), s.user, s.session))
		s.session = kept

		crashed, err := s.Receive(t.Context(), s.user, "d.txt", strings.NewReader("the server died after this"))
		s.must(err)
		s.now = s.now.Add(IntentLife + time.Microsecond)
		fresh, err := s.Receive(t.Context(), s.user, "e.txt", strings.NewReader("still on its way"))
		s.must(err)
		s.must(s.cleanUp(t.Context()))
		if n := s.kept(); n != 4 {
			t.Errorf("%d blobs are kept", n) // three of b.txt, one of e.txt
		}
		if _, err := fresh.Attach(t.Context(), s.session); err != nil {
			t.Errorf("the fresh upload: %v", err)
		}
		if _, err := crashed.Attach(t.Context(), s.session); err == nil {
			t.Error("the upload that was given up became a file")
		}
		_, bytes, err := s.Open(t.Context(), s.user, keep.FileID)
		s.must(err)
		bytes.Close()
		s.must(s.cleanUp(t.Context()))
		if s.announced() != 0 {
			t.Errorf("%d intents are left", s.announced())
		}
	})
}

func TestTheJanitorWaitsForABackup(t *testing.T) {
	s := newShelf(t, "", "")
	file := s.upload("a.txt", "deleted")
	release, err := s.blobs.(*blob.Dir).Hold()
	s.must(err)
	s.must(s.Delete(t.Context(), s.user, file.FileID))
	s.must(s.cleanUp(t.Context()))
	if !s.has(file.FileID) {
		t.Error("the bytes went while a backup held them")
	}
	s.must(release())
	s.must(s.cleanUp(t.Context()))
	if s.has(file.FileID) || s.announced() != 0 {
		t.Error("the bytes are still there")
	}
}

func TestAnIntentOfExactlyAnHourIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("slow"))
		s.must(err)
		s.now = s.now.Add(IntentLife)
		s.must(s.cleanUp(t.Context()))
		if _, err := draft.Attach(t.Context(), s.session); err != nil {
			t.Error(err)
		}
	})
}

func TestAnUploadGivenUpMeanwhileIsNotStored(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("very slow"))
		s.must(err)
		s.now = s.now.Add(2 * IntentLife)
		// The cleanup has claimed the intent but not yet deleted the blobs.
		ids, err := s.store.StaleFileIntents(t.Context(), s.now.Add(-IntentLife), "", cleanupBatch)
		if err != nil || len(ids) != 1 {
			t.Fatalf("stale intents are %v, %v", ids, err)
		}
		if _, err := draft.Attach(t.Context(), s.session); !errors.Is(err, parley.ErrFileNotStored) {
			t.Errorf("error is %v", err)
		}
		s.must(s.cleanUp(t.Context()))
		s.nothing()
	})
}

// TestAnUploadOfHoursBecomesAFile receives a document that takes longer than IntentLife, while
// the janitor works.
func TestAnUploadOfHoursBecomesAFile(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		pieces := 0
		slow := reader(func(p []byte) (int, error) {
			if pieces++; pieces > 8 {
				return 0, io.EOF
			}
			s.now = s.now.Add(IntentLife / 2)
			s.must(s.cleanUp(t.Context()))
			return copy(p, "some words "), nil
		})
		draft, err := s.Receive(t.Context(), s.user, "a.txt", slow)
		s.must(err)
		s.must(s.cleanUp(t.Context()))
		_, err = draft.Attach(t.Context(), s.session)
		s.must(err)
		if s.kept() != 3 || s.announced() != 0 {
			t.Errorf("%d blobs and %d intents", s.kept(), s.announced())
		}
	})
}

// TestBytesWrittenAfterTheCleanupAreRemoved cleans up an upload while nothing arrives, before
// its first byte is stored.
func TestBytesWrittenAfterTheCleanupAreRemoved(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		begun := false
		source := io.MultiReader(reader(func(p []byte) (int, error) {
			if begun {
				return 0, io.EOF
			}
			begun = true
			s.now = s.now.Add(2 * IntentLife)
			s.must(s.cleanUp(t.Context()))
			return copy(p, "late"), nil
		}))
		_, err := s.Receive(t.Context(), s.user, "a.txt", source)
		if !errors.Is(err, parley.ErrFileNotStored) {
			t.Errorf("error is %v", err)
		}
		s.must(s.cleanUp(t.Context()))
		s.nothing()
		draft, err := s.Receive(t.Context(), s.user, "b.txt", strings.NewReader("stored, then forgotten"))
		s.must(err)
		s.must(s.store.DropFileIntent(t.Context(), s.user, draft.file.FileID))
		if _, err := draft.Attach(t.Context(), s.session); !errors.Is(err, parley.ErrFileNotStored) {
			t.Errorf("without an intent: %v", err)
		}
		draft.Discard(t.Context())
		s.nothing()
	})
}

func TestTheJanitorComesWhenCalledAndEndsWithItsContext(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Run(ctx)
		}()
		for range 3 {
			file := s.uploadQuietly("a.txt", "text")
			s.must(s.Delete(t.Context(), s.user, file.FileID))
			for s.has(file.FileID) {
			}
		}
		cancel()
		<-ended
	})
}

// uploadQuietly is upload without advancing the clock, which Run reads concurrently.
func (s *shelf) uploadQuietly(name, text string) parley.File {
	s.t.Helper()
	draft, err := s.Receive(s.t.Context(), s.user, name, strings.NewReader(text))
	s.must(err)
	file, err := draft.Attach(s.t.Context(), s.session)
	s.must(err)
	return file
}

// has reports whether the bytes of a file are there.
func (s *shelf) has(fileID string) bool {
	s.t.Helper()
	r, err := s.blobs.Get(s.t.Context(), fileID)
	if errors.Is(err, blob.ErrNotFound) {
		return false
	}
	s.must(err)
	r.Close()
	return true
}

func TestAFaultOfTheDiskIsNotTheSenders(t *testing.T) {
	s := newShelf(t, "", "")
	s.must(os.RemoveAll(s.dir))
	_, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("text"))
	var known *parley.Error
	if !errors.As(err, &known) || !errors.Is(err, parley.ErrFileNotStored) || strings.Contains(known.Message, s.dir) {
		t.Errorf("error is %v", err)
	}
}
