package library

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/ai"
	"parley/internal/blob"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/testdb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const maxUpload = 100_000

// shelf is a library with one user and one session, and a clock that the test sets.
type shelf struct {
	*Library
	t       *testing.T
	dir     string
	user    int64
	session string
	now     time.Time
}

func newShelf(t *testing.T, url string) *shelf {
	t.Helper()
	s := &shelf{t: t, dir: filepath.Join(t.TempDir(), "blobs"), now: time.Unix(1_767_225_600, 0)}
	db, err := store.Open(t.Context(), t.TempDir(), url)
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.OpenDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), blobs.Close()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	s.Library = New(Config{
		Store: db, Blobs: blobs, Log: slog.New(slog.DiscardHandler), MaxUpload: maxUpload,
		Reader: sandbox.Inline{Reader: extract.Reader{MaxText: 4 * maxUpload, MaxUnpacked: 8 * maxUpload}, Index: Index},
		Now:    func() time.Time { return s.now },
	})
	unique := id.New()
	user := store.NewUser{Email: unique, EmailKey: unique, Nickname: "Ada", PasswordHash: "x"}
	s.user, err = db.CreateUser(t.Context(), user, store.NewToken{ID: unique, Now: s.now, Expires: s.now.Add(time.Hour)})
	s.must(err)
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
	session := store.NewSession{ID: id.New(), UserID: s.user, Now: s.now}
	s.must(s.Store.CreateSession(s.t.Context(), session))
	return session.ID
}

// upload makes a text a file of the session.
func (s *shelf) upload(name, text string) parley.File {
	s.t.Helper()
	draft, err := s.Receive(s.t.Context(), s.user, name, strings.NewReader(text))
	s.must(err)
	file, err := draft.Attach(s.t.Context(), s.session)
	s.must(err)
	s.now = s.now.Add(time.Second)
	return file
}

// kept counts the files below the blobs' folder, partial ones included.
func (s *shelf) kept() (n int) {
	s.t.Helper()
	s.must(filepath.WalkDir(s.dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	}))
	return n
}

// announced counts the intents, as the janitor would see them at the end of time.
func (s *shelf) announced() int {
	s.t.Helper()
	ids, err := s.Store.StaleFileIntents(s.t.Context(), s.now.Add(1000*time.Hour), 1000)
	s.must(err)
	return len(ids)
}

// nothing makes sure that nothing is left of an upload.
func (s *shelf) nothing() {
	s.t.Helper()
	files, err := s.Files(s.t.Context(), s.user, s.session)
	s.must(err)
	if len(files) != 0 || s.kept() != 0 || s.announced() != 0 {
		s.t.Errorf("%d files, %d blobs and %d intents are left", len(files), s.kept(), s.announced())
	}
}

func TestAnUploadBecomesAFileOfItsSession(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		s := newShelf(t, url)
		now := s.now
		text := "# Ferries\n\nThe hydrofoil takes fifty minutes.\n"
		file := s.upload("../../etc/timetable.md", text)
		want := parley.File{FileID: file.FileID, Filename: "timetable.md", FileSize: int64(len(text)), FileType: "text/markdown", UploadTime: now.Unix()}
		if file != want || !id.Valid(file.FileID) {
			t.Errorf("the file is %+v", file)
		}
		files, err := s.Files(t.Context(), s.user, s.session)
		s.must(err)
		if !slices.Equal(files, []parley.File{want}) {
			t.Errorf("files are %+v", files)
		}
		found, bytes, err := s.Open(t.Context(), s.user, file.FileID)
		s.must(err)
		defer bytes.Close()
		if content, err := io.ReadAll(bytes); err != nil || string(content) != text || found != want {
			t.Errorf("opened %+v, %q, %v", found, content, err)
		}
		if s.kept() != 3 || s.announced() != 0 {
			t.Errorf("%d blobs and %d intents", s.kept(), s.announced())
		}
	})
}

func TestAFileIsItsUsersOnly(t *testing.T) {
	s := newShelf(t, "")
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
}

func TestADraftDiscardedLeavesNothing(t *testing.T) {
	s := newShelf(t, "")
	draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("text"))
	s.must(err)
	if s.kept() != 1 || s.announced() != 1 {
		t.Errorf("%d blobs and %d intents", s.kept(), s.announced())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the client has gone
	draft.Discard(ctx)
	s.nothing()
}

func TestAFileOfTheLargestSizeIsTaken(t *testing.T) {
	s := newShelf(t, "")
	if file := s.upload("a.txt", strings.Repeat("x", maxUpload)); file.FileSize != maxUpload {
		t.Errorf("the file is %+v", file)
	}
}

func TestTheRestOfATooLargeFileIsNotRead(t *testing.T) {
	s := newShelf(t, "")
	source := &counted{r: endless{}}
	_, err := s.Receive(t.Context(), s.user, "a.txt", source)
	if !errors.Is(err, parley.ErrFileTooLarge) || !strings.Contains(err.Error(), "100000") {
		t.Errorf("error is %v", err)
	}
	if source.n > maxUpload+1 {
		t.Errorf("%d bytes were read", source.n)
	}
	s.nothing()
}

func TestAFileIsReadNoFurtherThanItsUsersStorage(t *testing.T) {
	s := newShelf(t, "")
	s.UserStorage = 1000
	s.upload("a.txt", strings.Repeat("x", 400))
	source := &counted{r: endless{}}
	_, err := s.Receive(t.Context(), s.user, "b.txt", source)
	if !errors.Is(err, parley.ErrStorageFull) || !strings.Contains(err.Error(), "400 of the 1000 bytes") {
		t.Errorf("error is %v", err)
	}
	if source.n > 601 {
		t.Errorf("%d bytes were read", source.n)
	}
	rest := s.upload("c.txt", strings.Repeat("x", 600))
	source.n = 0
	if _, err := s.Receive(t.Context(), s.user, "d.txt", source); !errors.Is(err, parley.ErrStorageFull) || source.n != 0 {
		t.Errorf("with no room left %d bytes were read: %v", source.n, err)
	}
	s.must(s.Delete(t.Context(), s.user, rest.FileID))
	s.upload("e.txt", strings.Repeat("x", 600))
	s.must(s.sweep(t.Context()))
	if s.kept() != 2*3 || s.announced() != 0 {
		t.Errorf("%d blobs and %d intents are left", s.kept(), s.announced())
	}
}

func TestOfUploadsUnderWayTheLastThatDoNotFitAreRefused(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		s := newShelf(t, url)
		s.UserStorage = 1000
		var drafts []*Draft
		for range 3 { // each has room while it comes
			draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader(strings.Repeat("x", 400)))
			s.must(err)
			drafts = append(drafts, draft)
		}
		for i, draft := range drafts {
			if _, err := draft.Attach(t.Context(), s.session); (i < 2) != (err == nil) || err != nil && !errors.Is(err, parley.ErrStorageFull) {
				t.Errorf("upload %d: %v", i, err)
			}
		}
		drafts[2].Discard(t.Context())
		if s.kept() != 2*3 || s.announced() != 0 {
			t.Errorf("%d blobs and %d intents are left", s.kept(), s.announced())
		}
	})
}

// endless is a text without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// counted counts what is read.
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
	s := newShelf(t, "")
	gone := parley.Invalid("the form is broken")
	_, err := s.Receive(t.Context(), s.user, "a.txt", io.MultiReader(strings.NewReader("half a"), iotest.ErrReader(gone)))
	var known *parley.Error
	if !errors.As(err, &known) || known != gone {
		t.Errorf("error is %v", err)
	}
	s.nothing()
}

func TestAnUploadWhoseRequestEndsLeavesNothing(t *testing.T) {
	s := newShelf(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	source := io.MultiReader(strings.NewReader("half a"), reader(func([]byte) (int, error) {
		cancel()
		return 0, nil
	}))
	if _, err := s.Receive(ctx, s.user, "a.txt", source); err == nil {
		t.Error("it was taken")
	}
	s.nothing()
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

func TestADocumentThatIsRefusedLeavesNothingOnceDiscarded(t *testing.T) {
	s := newShelf(t, "")
	for _, c := range []struct {
		content string
		want    error
	}{
		{"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00", parley.ErrFormatUnsupported},
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
}

func TestADocumentNeedsASessionUntilTheEnd(t *testing.T) {
	s := newShelf(t, "")
	gone := s.newSession()
	s.must(s.Store.DeleteSession(t.Context(), s.user, gone))
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
}

func TestTheJanitorRemovesWhatNobodyOwns(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		s := newShelf(t, url)
		deleted, keep := s.upload("a.txt", "deleted"), s.upload("b.txt", "kept")
		s.must(s.Delete(t.Context(), s.user, deleted.FileID))
		kept := s.session
		s.session = s.newSession()
		s.upload("c.txt", "goes with its session")
		s.must(s.Store.DeleteSession(t.Context(), s.user, s.session))
		s.session = kept

		crashed, err := s.Receive(t.Context(), s.user, "d.txt", strings.NewReader("the server died after this"))
		s.must(err)
		s.now = s.now.Add(intentLife + time.Microsecond)
		fresh, err := s.Receive(t.Context(), s.user, "e.txt", strings.NewReader("still on its way"))
		s.must(err)
		s.must(s.sweep(t.Context()))
		if n := s.kept(); n != 4 {
			t.Errorf("%d blobs are kept", n) // three of b.txt, one on its way
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
		s.must(s.sweep(t.Context()))
		if s.announced() != 0 {
			t.Errorf("%d intents are left", s.announced())
		}
	})
}

func TestAnIntentOfExactlyAnHourIsLeftAlone(t *testing.T) {
	s := newShelf(t, "")
	draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("slow"))
	s.must(err)
	s.now = s.now.Add(intentLife)
	s.must(s.sweep(t.Context()))
	if _, err := draft.Attach(t.Context(), s.session); err != nil {
		t.Error(err)
	}
}

func TestAnUploadGivenUpMeanwhileIsNotStored(t *testing.T) {
	s := newShelf(t, "")
	draft, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("very slow"))
	s.must(err)
	s.now = s.now.Add(2 * intentLife)
	// The janitor has announced that it will remove the bytes, but has not yet.
	if ids, err := s.Store.StaleFileIntents(t.Context(), s.now.Add(-intentLife), tidyBatch); err != nil || len(ids) != 1 {
		t.Fatalf("stale intents are %v, %v", ids, err)
	}
	if _, err := draft.Attach(t.Context(), s.session); !errors.Is(err, parley.ErrFileNotStored) {
		t.Errorf("error is %v", err)
	}
	s.must(s.sweep(t.Context()))
	s.nothing()
}

func TestTheJanitorComesWhenCalledAndEndsWithItsContext(t *testing.T) {
	s := newShelf(t, "")
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
}

// uploadQuietly is upload without a move of the clock, which others look at.
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
	r, err := s.Blobs.Get(s.t.Context(), fileID)
	if errors.Is(err, blob.ErrNotFound) {
		return false
	}
	s.must(err)
	r.Close()
	return true
}

// paragraphs is a text of many passages, one of which names a ferry.
func paragraphs(about string) string {
	var b strings.Builder
	for i := range 40 {
		if i == 20 {
			b.WriteString("The hydrofoil to " + about + " leaves at nine in the morning.\n\n")
		}
		b.WriteString(strings.Repeat("Lorem ipsum dolor sit amet, consectetur adipiscing elit. ", 12) + "\n\n")
	}
	return b.String()
}

func TestASessionWithoutFilesHasNoMaterial(t *testing.T) {
	s := newShelf(t, "")
	m, err := s.Material(t.Context(), s.session, "anything", 1000)
	if err != nil || len(m.Passages) != 0 || m.Omitted {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestFilesThatFitAreGivenWhole(t *testing.T) {
	s := newShelf(t, "")
	first, second := s.upload("a.txt", "First text."), s.upload("b.txt", "Second text.")
	m, err := s.Material(t.Context(), s.session, "anything", 1000)
	s.must(err)
	if m.Omitted || len(m.Passages) != 2 {
		t.Fatalf("material is %+v", m)
	}
	for i, file := range []parley.File{first, second} {
		p := m.Passages[i]
		if p.FileID != file.FileID || p.Filename != file.Filename || !p.Whole || strings.TrimSpace(p.Text) != []string{"First text.", "Second text."}[i] {
			t.Errorf("passage %d is %+v", i, p)
		}
		if used := m.Used()[i]; used.FileID != file.FileID || used.Text != "" {
			t.Errorf("used passage %d is %+v", i, used)
		}
	}
}

func TestAWholeFileNamesItsPages(t *testing.T) {
	s := newShelf(t, "")
	slides, err := os.ReadFile(filepath.Join("..", "extract", "testdata", "libreoffice.pptx"))
	s.must(err)
	first := s.upload("slides.pptx", string(slides))
	s.upload("note.txt", "A note.")
	m, err := s.Material(t.Context(), s.session, "anything", 10_000)
	s.must(err)
	var places []string
	for _, p := range m.Passages {
		if !p.Whole || strings.TrimSpace(p.Text) == "" {
			t.Errorf("passage %+v", p)
		}
		places = append(places, p.Filename+" "+p.Anchor)
	}
	if want := []string{"slides.pptx slide 1", "slides.pptx slide 2", "slides.pptx slide 3", "slides.pptx slide 4", "note.txt "}; !slices.Equal(places, want) {
		t.Errorf("the places are %q", places)
	}
	used := m.Used()
	want := parley.Passage{FileID: first.FileID, Filename: "slides.pptx", Anchor: "slide 1 – slide 4"}
	if len(used) != 2 || used[0] != want || used[1].Filename != "note.txt" || used[1].Anchor != "" {
		t.Errorf("used are %+v", used)
	}
}

func TestPagesHoldAllOfAText(t *testing.T) {
	const text = "Preface. First. 第二页 Last."
	for _, c := range []struct {
		name    string
		anchors extract.Anchors
		want    []string
	}{
		{"none", nil, []string{": " + text}},
		{"a preface", extract.Anchors{{Offset: 9, Name: "1"}, {Offset: 16, Name: "2"}}, []string{": Preface. ", "1: First. ", "2: 第二页 Last."}},
		{"a blank page", extract.Anchors{{Offset: 0, Name: "1"}, {Offset: 8, Name: "2"}, {Offset: 9, Name: "3"}}, []string{"1: Preface.", "3: First. 第二页 Last."}},
		{"nonsense", extract.Anchors{{Offset: -1, Name: "1"}, {Offset: 9, Name: "2"}, {Offset: 3, Name: "3"}, {Offset: 99, Name: "4"}}, []string{": Preface. ", "2: First. 第二页 Last."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, page := range pages(parley.File{}, text, c.anchors) {
				got = append(got, page.Anchor+": "+page.Text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFilesThatDoNotFitGiveTheBestPassagesInOrder(t *testing.T) {
	s := newShelf(t, "")
	first, second := s.upload("a.txt", paragraphs("Capri")), s.upload("b.txt", paragraphs("Ischia"))
	const budget = 1500
	m, err := s.Material(t.Context(), s.session, "When does the hydrofoil to Capri leave?", budget)
	s.must(err)
	if !m.Omitted || len(m.Passages) == 0 {
		t.Fatalf("material is %+v", m)
	}
	tokens, capri := 0, false
	for i, p := range m.Passages {
		tokens += ai.Tokens(p.Text)
		capri = capri || p.FileID == first.FileID && strings.Contains(p.Text, "Capri leaves at nine")
		if p.Whole || p.Text == "" || p.FileID != first.FileID && p.FileID != second.FileID {
			t.Errorf("passage %d is %+v", i, p)
		}
		if i > 0 && p.FileID == first.FileID && m.Passages[i-1].FileID == second.FileID {
			t.Error("the passages are not in the order of the files")
		}
		if m.Used()[i].Text != p.Text {
			t.Error("a passage used does not tell its text")
		}
	}
	if !capri || tokens > budget {
		t.Errorf("%d tokens of %d; the passage that answers is among them: %v", tokens, budget, capri)
	}
}

func TestADocumentIsOpenedOnceForItsPassages(t *testing.T) {
	s := newShelf(t, "")
	s.upload("a.txt", paragraphs("Capri"))
	s.upload("b.txt", paragraphs("Ischia"))
	counting := &countingBlobs{Store: s.Blobs, gets: map[string]int{}}
	s.Blobs = counting
	m, err := s.Material(t.Context(), s.session, "Lorem ipsum and the hydrofoil", 3000)
	s.must(err)
	if len(m.Passages) < 5 {
		t.Errorf("only %d passages", len(m.Passages))
	}
	// The first text is also looked at for its size: it is too long to be given whole.
	if texts, indexes := counting.gets[textSuffix], counting.gets[indexSuffix]; texts > 3 || indexes != 2 {
		t.Errorf("%d texts and %d indexes were opened", texts, indexes)
	}
}

// countingBlobs counts what is opened, by suffix.
type countingBlobs struct {
	blob.Store
	gets map[string]int
}

func (c *countingBlobs) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	c.gets[filepath.Ext(key)]++
	return c.Store.Get(ctx, key)
}

func TestAQuestionThatFitsNothingGivesTheBeginnings(t *testing.T) {
	s := newShelf(t, "")
	s.upload("a.txt", "Beginning of a. "+paragraphs("Capri"))
	s.upload("b.txt", "Beginning of b. "+paragraphs("Ischia"))
	m, err := s.Material(t.Context(), s.session, "渡船?", 2000)
	s.must(err)
	if !m.Omitted || len(m.Passages) != 2 || !strings.HasPrefix(m.Passages[0].Text, "Beginning of a.") || !strings.HasPrefix(m.Passages[1].Text, "Beginning of b.") {
		t.Errorf("material is %+v", m)
	}
}

func TestWithoutABudgetNothingIsGiven(t *testing.T) {
	s := newShelf(t, "")
	s.upload("a.txt", paragraphs("Capri"))
	for _, budget := range []int{0, -5} {
		m, err := s.Material(t.Context(), s.session, "Capri", budget)
		if err != nil || len(m.Passages) != 0 || !m.Omitted {
			t.Errorf("budget %d: %d passages, %v, %v", budget, len(m.Passages), m.Omitted, err)
		}
	}
}

func TestAFileDeletedMeanwhileIsNoError(t *testing.T) {
	s := newShelf(t, "")
	gone := s.upload("a.txt", paragraphs("Capri"))
	s.upload("b.txt", paragraphs("Ischia"))
	// Its row was read, then its bytes went.
	for _, suffix := range []string{"", textSuffix, indexSuffix} {
		s.must(s.Blobs.Delete(t.Context(), gone.FileID+suffix))
	}
	for _, budget := range []int{1000, 1_000_000} {
		m, err := s.Material(t.Context(), s.session, "When does the hydrofoil leave?", budget)
		s.must(err)
		found := false
		for _, p := range m.Passages {
			if p.FileID == gone.FileID && p.Text != "" {
				t.Errorf("budget %d: the file that is gone says %q", budget, p.Text)
			}
			found = found || strings.Contains(p.Text, "Ischia leaves at nine")
		}
		if !found {
			t.Errorf("budget %d: the other file is silent", budget)
		}
	}
	if _, _, err := s.Open(t.Context(), s.user, gone.FileID); !errors.Is(err, parley.ErrNoSuchFile) {
		t.Errorf("open: %v", err)
	}
}

func TestAFaultOfTheDiskIsNotTheSenders(t *testing.T) {
	s := newShelf(t, "")
	s.must(os.RemoveAll(s.dir))
	_, err := s.Receive(t.Context(), s.user, "a.txt", strings.NewReader("text"))
	var known *parley.Error
	if !errors.As(err, &known) || !errors.Is(err, parley.ErrFileNotStored) || strings.Contains(known.Message, s.dir) {
		t.Errorf("error is %v", err)
	}
}
