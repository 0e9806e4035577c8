package api_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/extract/ocr/ocrtest"
)

func scan(pages int) []byte {
	pictures := make([]*image.Gray, pages)
	for i := range pictures {
		pictures[i] = image.NewGray(image.Rect(0, 0, 50, 50))
	}
	return ocrtest.PDF(pictures...)
}

func reads(text string) func(context.Context, int64, []byte) (string, error) {
	return func(context.Context, int64, []byte) (string, error) { return text, nil }
}

func TestAScanShowsItsProgress(t *testing.T) {
	eachWith(t, func(w *world) { w.Recognize = reads("The ferry leaves at nine.") }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		var seen []parley.UploadProgress
		file, err := ada.UploadWithProgress(w.Context(), session, "scan.pdf", bytes.NewReader(scan(3)),
			func(p parley.UploadProgress) { seen = append(seen, p) })
		w.must(err)
		want := []parley.UploadProgress{{Page: 1, Pages: 3}, {Page: 2, Pages: 3}, {Page: 3, Pages: 3}}
		if !slices.Equal(seen, want) {
			t.Errorf("got %v", seen)
		}
		plain, err := ada.Upload(w.Context(), session, "scan.pdf", bytes.NewReader(scan(3)))
		w.must(err)
		file.FileID, file.UploadTime = plain.FileID, plain.UploadTime
		if !reflect.DeepEqual(file, plain) || plain.FileType != "application/pdf" {
			t.Errorf("got %+v with events, %+v without", file, plain)
		}
		_, err = ada.UploadWithProgress(w.Context(), session, "a.bin", strings.NewReader("\x00\x01"), nil)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Code != parley.CodeFormatUnsupported ||
			refused.Status != http.StatusUnsupportedMediaType {
			t.Errorf("a file that can't be read: %v", err)
		}
		_, err = ada.UploadWithProgress(w.Context(), "none", "a.txt", strings.NewReader("x"), nil)
		if !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
			t.Errorf("before the first event: %v", err)
		}
	})
}

// endless is a scanner that reads a page until it is stopped.
type endless struct{ begun, ended chan struct{} }

func newEndless(w *world) *endless {
	e := &endless{make(chan struct{}, 2), make(chan struct{}, 2)}
	w.Recognize = func(ctx context.Context, _ int64, _ []byte) (string, error) {
		e.begun <- struct{}{}
		<-ctx.Done()
		e.ended <- struct{}{}
		return "", ctx.Err()
	}
	return e
}

func endlessOf(scanners *sync.Map, w *world) *endless {
	found, _ := scanners.Load(w)
	return found.(*endless)
}

func TestClosingTheConnectionStopsAScan(t *testing.T) {
	var scanners sync.Map // by world, because worlds run in parallel
	eachWith(t, func(w *world) {
		w.Heartbeat = 10 * time.Millisecond
		scanners.Store(w, newEndless(w))
	}, func(w *world) {
		scanner := endlessOf(&scanners, w)
		ada := w.user("ada")
		session := w.session(ada, "")
		ctx, stop := context.WithCancel(w.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := ada.UploadWithProgress(ctx, session, "scan.pdf", bytes.NewReader(scan(2)),
				func(parley.UploadProgress) {})
			failed <- err
		}()
		<-scanner.begun
		stop()
		<-scanner.ended
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		w.eventually("nothing is kept", func() bool { return w.count("files", "") == 0 && w.blobs() == 0 })
	})
}

func TestALogoutStopsAScan(t *testing.T) {
	var scanners sync.Map // by world, because worlds run in parallel
	eachWith(t, func(w *world) { scanners.Store(w, newEndless(w)) }, func(w *world) {
		scanner := endlessOf(&scanners, w)
		ada := w.user("ada")
		session := w.session(ada, "")
		other := w.again(ada)
		failed := make(chan error, 1)
		go func() {
			_, err := ada.UploadWithProgress(w.Context(), session, "scan.pdf", bytes.NewReader(scan(2)),
				func(parley.UploadProgress) {})
			failed <- err
		}()
		<-scanner.begun
		w.must(other.Logout(w.Context()))
		var refused *client.Error
		if err := <-failed; !errors.As(err, &refused) || refused.Code != parley.CodeBadToken {
			t.Errorf("got %v", err)
		}
	})
}
