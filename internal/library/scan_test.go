package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/extract"
	"parley/internal/extract/ocr"
	"parley/internal/extract/ocr/ocrtest"
	"parley/internal/extract/sandbox"
	"parley/internal/store/storetest"
)

// scan returns a PDF of pictures.
func scan(pages int) string {
	pictures := make([]*image.Gray, pages)
	for i := range pictures {
		pictures[i] = image.NewGray(image.Rect(0, 0, 50, 50))
	}
	return string(ocrtest.PDF(pictures...))
}

// newScanShelf returns a shelf that reads scans with recognize.
func newScanShelf(t *testing.T, recognize func(context.Context, int64, []byte) (string, error)) *shelf {
	t.Helper()
	s := newShelf(t, "", "")
	s.readScans(recognize)
	return s
}

func (s *shelf) readScans(recognize func(context.Context, int64, []byte) (string, error)) {
	s.recognize, s.scanPages = recognize, 3
	s.reader = sandbox.Inline{
		Reader: extract.Reader{MaxText: 4 * maxUpload, MaxUnpacked: 8 * maxUpload, Cache: "../../.cache/pdf"},
		Index:  Index,
	}
}

func TestAScanIsReadPageByPage(t *testing.T) {
	pages := 0
	s := newScanShelf(t, func(_ context.Context, _ int64, _ []byte) (string, error) {
		pages++
		return fmt.Sprint("The ferry of page ", pages), nil
	})
	var seen []sandbox.Progress
	draft, err := s.Receive(t.Context(), s.user, "scan.pdf", strings.NewReader(scan(4)))
	s.must(err)
	draft.Progress = func(p sandbox.Progress) { seen = append(seen, p) }
	file, err := draft.Attach(t.Context(), s.session)
	s.must(err)
	want := []sandbox.Progress{{Page: 1, Pages: 4}, {Page: 2, Pages: 4}, {Page: 3, Pages: 4}}
	if !slices.Equal(seen, want) {
		t.Errorf("got %v", seen)
	}
	if file.FileType != "application/pdf" || draft.textSize == 0 || draft.indexSize == 0 || pages != 3 {
		t.Errorf("got %+v, %d pages", file, pages)
	}
}

// An upload is stored with its text and its index, and read from the spooled file.
func TestAnUploadTakesThreeRequestsToS3(t *testing.T) {
	requests := map[string]int{}
	var mu sync.Mutex
	taken := func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		defer func() { requests = map[string]int{} }()
		return requests
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests[r.Method]++
		mu.Unlock()
		if r.Method == http.MethodPut {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("ETag", `"one"`)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
	}))
	t.Cleanup(server.Close)
	s := newShelf(t, "", "s3://key:hush@photos/p?region=us-east-1&endpoint="+url.QueryEscape(server.URL))
	s.readScans(func(context.Context, int64, []byte) (string, error) { return "The ferry.", nil })
	for _, file := range []struct{ name, content string }{
		{"a.txt", "The ferry."},
		{"scan.pdf", scan(2)}, // is read twice
	} {
		taken() // those of the start
		s.upload(file.name, file.content)
		if got := taken(); !maps.Equal(got, map[string]int{http.MethodPut: 3}) {
			t.Errorf("%s took %v", file.name, got)
		}
	}
}

func TestTheNotesTellThatAModelHasReadPages(t *testing.T) {
	s := newScanShelf(t, func(context.Context, int64, []byte) (string, error) { return "The ferry.", nil })
	const note = "scanned pages were read by the model eyes"
	if file := s.upload("scan.pdf", scan(1)); file.Notes != nil {
		t.Errorf("without a model: %q", file.Notes)
	}
	s.recognizedBy = "eyes"
	if file := s.upload("scan.pdf", scan(4)); len(file.Notes) != 2 || file.Notes[0] != note {
		t.Errorf("got %q", file.Notes)
	}
	if file := s.upload("a.txt", "The ferry."); file.Notes != nil {
		t.Errorf("of a text: %q", file.Notes)
	}
}

func TestPicturesForAModelAreSmaller(t *testing.T) {
	var s *shelf
	s = newScanShelf(t, func(_ context.Context, _ int64, picture []byte) (string, error) {
		shown, err := png.DecodeConfig(bytes.NewReader(picture))
		if err != nil || shown.Width*shown.Height > s.scanPixels || shown.Width < 20 {
			t.Errorf("got %v, %v", shown, err)
		}
		return "The ferry.", nil
	})
	s.scanPixels = 1000
	s.upload("scan.pdf", scan(1))
}

func TestAScanThatTakesTooLongIsCutShort(t *testing.T) {
	var s *shelf
	pages := 0
	s = newScanShelf(t, func(context.Context, int64, []byte) (string, error) {
		pages++
		s.now = s.now.Add(maxScanTime + time.Second)
		return "text", nil
	})
	s.upload("scan.pdf", scan(3))
	if pages != 1 {
		t.Errorf("%d pages were recognized", pages)
	}
}

func TestAScanThatFailsLeavesNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	for want, recognize := range map[error]func(context.Context) error{
		parley.ErrFileUnreadable: func(context.Context) error { return ocr.ErrUnreadable },
		parley.ErrOverloaded:     func(context.Context) error { return parley.ErrOverloaded },
		context.Canceled: func(ctx context.Context) error {
			stop()
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		s := newScanShelf(t, func(ctx context.Context, _ int64, _ []byte) (string, error) { return "", recognize(ctx) })
		draft, err := s.Receive(t.Context(), s.user, "scan.pdf", strings.NewReader(scan(2)))
		s.must(err)
		in := t.Context()
		if errors.Is(want, context.Canceled) {
			in = ctx
		}
		if _, err := draft.Attach(in, s.session); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		draft.Discard(t.Context())
		s.nothing()
	}
}

func TestScansDoNotHoldUpOtherDocuments(t *testing.T) {
	started := make(chan int64, 16)
	s := newScanShelf(t, func(ctx context.Context, user int64, _ []byte) (string, error) {
		started <- user
		<-ctx.Done()
		return "", ctx.Err()
	})
	s.readers, s.smallReaders, s.scanners = newTurns(2), newTurns(2), newTurns(2)
	ada, bob, carol := s.user, storetest.User(t, s.store, s.now), storetest.User(t, s.store, s.now)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, user := range []int64{ada, ada, ada, bob} {
		all.Go(func() {
			if err := s.attach(ctx, user, "scan.pdf", scan(1)); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
	if first, second := <-started, <-started; first == second {
		t.Error("one user has all scanners")
	}
	if err := s.attach(t.Context(), carol, "a.epub", string(epub(t, "The ferry leaves at nine."))); err != nil {
		t.Errorf("another's document: %v", err)
	}
	cancel()
	all.Wait()
	if len(started) != 0 {
		t.Errorf("%d more scans were begun", len(started))
	}
}

func TestWithoutRecognitionAScanIsRefused(t *testing.T) {
	s := newScanShelf(t, nil)
	err := s.attach(t.Context(), s.user, "scan.pdf", scan(1))
	if !errors.Is(err, parley.ErrFileUnreadable) || !strings.Contains(err.Error(), "Tesseract") {
		t.Errorf("got %v", err)
	}
}
