package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/extract/ocr"
	"parley/internal/extract/ocr/ocrtest"
)

func scan(pages int) string {
	pictures := make([]*image.Gray, pages)
	for i := range pictures {
		pictures[i] = image.NewGray(image.Rect(0, 0, 100, 100))
	}
	return string(ocrtest.PDF(pictures...))
}

func readScan(t *testing.T, pool *Pool, content string, recognition *Recognition) result {
	t.Helper()
	var text, index strings.Builder
	document := file(content, "scan.pdf")
	document.Recognition = recognition
	summary, err := pool.Read(t.Context(), document, &text, &index)
	return result{summary, text.String(), index.String(), err}
}

func TestPicturesAreReadByTheParent(t *testing.T) {
	pool := newPool(t, func(c *Config) { c.CPU = 20 * time.Second })
	var seen []Progress
	recognition := &Recognition{
		Recognize: func(_ context.Context, picture []byte) (string, error) {
			shown, err := png.DecodeConfig(bytes.NewReader(picture))
			if err != nil || shown.Width != 100 || shown.Height != 100 {
				t.Errorf("got %v, %v", shown, err)
			}
			if len(seen) == 2 {
				return "", fmt.Errorf("%w: as told", ocr.ErrUnreadable)
			}
			return fmt.Sprint("text ", len(seen)), nil
		},
		Pages:    3,
		Progress: func(p Progress) { seen = append(seen, p) },
	}
	got := readScan(t, pool, scan(4), recognition)
	notes := []string{
		"page 2 could not be recognized", "page 4 left out: no more than 3 scanned pages of a file are read",
	}
	if got.err != nil || got.text != "text 1\n\ntext 3" || !slices.Equal(got.Notes, notes) {
		t.Errorf("got %q, %q, %v", got.text, got.Notes, got.err)
	}
	if want := []Progress{{1, 4}, {2, 4}, {3, 4}}; !slices.Equal(seen, want) {
		t.Errorf("got %v", seen)
	}
	broken := errors.New("no more quota")
	recognition.Recognize = func(context.Context, []byte) (string, error) { return "", broken }
	if got := readScan(t, pool, scan(2), recognition); !errors.Is(got.err, broken) {
		t.Errorf("a failure: %v", got.err)
	}
}

// TestRecognitionTakesItsTime checks that a child's time does not run while its parent reads a
// picture.
func TestRecognitionTakesItsTime(t *testing.T) {
	pool := newPool(t, nil)
	if err := pool.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := false
	child := newAllowance(time.Hour, func() { ended = true })
	child.pause()
	child.left = 0 // it has none left
	child.resume(time.Hour)
	if child.stop() || ended || child.left != time.Hour {
		t.Errorf("got %v, %v", ended, child.left)
	}
	over := make(chan struct{})
	late := newAllowance(time.Hour, func() { close(over) })
	late.pause()
	late.left = 0
	late.resume(0)
	<-over
	if !late.stop() {
		t.Error("the time is not over")
	}
}

func TestTheChildIsNotBelievedAboutPictures(t *testing.T) {
	pool := newPool(t, nil)
	asked := 0
	recognition := &Recognition{Pages: 2, Recognize: func(context.Context, []byte) (string, error) {
		asked++
		return "x", nil
	}}
	one := "o\x00\x00\x00\x02{}"
	for _, response := range []string{
		strings.Repeat(one, 3), "o\x00\x00\x00\x01{", "o\x00\x00\x00\x0a" + `{"page":5}`, "o\x00\x00\x00\x0b" + `{"page":-1}`,
		"s\x00\x00\x00\x01x",
	} {
		got := readScan(t, pool, "say "+strconv.Quote(response), recognition)
		if !errors.Is(got.err, parley.ErrFileUnreadable) {
			t.Errorf("%q: got %v", response, got.err)
		}
	}
	x := &exchange{file: File{Recognition: recognition}, pictures: 2}
	asked = 0
	if err := x.recognize(t.Context(), []byte("{}")); !errors.Is(err, errBadFrame) || asked != 0 {
		t.Errorf("one picture more than allowed: %v", err)
	}
	piece := make([]byte, frameSize)
	for range maxPicture / frameSize {
		if err := x.addScan(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.addScan(piece); !errors.Is(err, errBadFrame) {
		t.Errorf("more than a picture: %v", err)
	}
}

func TestStoppingEndsTheRecognition(t *testing.T) {
	pool := newPool(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	document := file(scan(3), "scan.pdf")
	document.Recognition = &Recognition{Pages: 3, Recognize: func(ctx context.Context, _ []byte) (string, error) {
		stop()
		<-ctx.Done()
		return "", ctx.Err()
	}}
	if _, err := pool.Read(ctx, document, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
