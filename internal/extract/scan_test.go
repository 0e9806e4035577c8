package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/ocr"
	"parley/internal/extract/ocr/ocrtest"
	"parley/internal/extract/prose"
	"parley/internal/testtier"
)

// becomeArgument makes the test binary the process that becomes Tesseract.
const becomeArgument = "become"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == becomeArgument {
		fmt.Fprintln(os.Stderr, ocr.Become(os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func newTesseract(t *testing.T) *ocr.Tesseract {
	t.Helper()
	found, err := ocr.Find(t.Context(), ocr.Config{
		Command: []string{os.Args[0], becomeArgument}, Program: "tesseract", Languages: []string{"chi_sim", "eng"},
	})
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("PARLEY_TEST_OCR") == "" {
		t.Skip("Tesseract is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// wordPairs returns the words of a text, and its Chinese characters in pairs.
func wordPairs(text string) map[string]int {
	found := map[string]int{}
	last := rune(0)
	for _, r := range text {
		if unicode.Is(unicode.Han, r) && unicode.Is(unicode.Han, last) {
			found[string(last)+string(r)]++
		}
		if !unicode.IsSpace(r) {
			last = r
		}
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.Is(unicode.Han, r)
	}) {
		found[word]++
	}
	return found
}

// recall returns the share of the words of want that got has.
func recall(got, want string) float64 {
	have, all, found := wordPairs(got), 0, 0
	for word, n := range wordPairs(want) {
		all += n
		found += min(n, have[word])
	}
	return float64(found) / float64(max(all, 1))
}

func TestScansAreRead(t *testing.T) {
	testtier.Rare(t)
	tesseract := newTesseract(t)
	for _, tt := range []struct {
		name  string
		pages []int
		facts []string
	}{
		{"libreoffice.pdf", []int{1, 2}, []string{"a cat called Palinuro", "灯塔看守人的猫名叫"}},
		{"100-pages.pdf", []int{4}, []string{"The number of day 4 is 31676."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			original, err := reader.Read(t.Context(), extracttest.Sample(t, tt.name), tt.name)
			if err != nil {
				t.Fatal(err)
			}
			var seen []string
			scanner := reader
			scanner.Recognize, scanner.MaxScans = tesseract.Recognize, 10
			scanner.Progress = func(page, pages int) { seen = append(seen, fmt.Sprint(page, "/", pages)) }
			got, err := scanner.Read(t.Context(), ocrtest.Scan(t, "testdata/"+tt.name, reader.Cache, tt.pages...), "scan")
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			for _, number := range tt.pages {
				want += pageOf(original, fmt.Sprint("page ", number))
			}
			if share := recall(got.Text, want); share < 0.9 {
				t.Errorf("%.2f of the words were recognized:\n%s", share, got.Text)
			}
			for _, fact := range tt.facts {
				if !strings.Contains(got.Text, fact) {
					t.Errorf("no %q in:\n%s", fact, got.Text)
				}
			}
			if len(got.Anchors) != len(tt.pages) || len(got.Notes) > 0 || len(seen) != len(tt.pages) {
				t.Errorf("got %v, %q, %q", got.Anchors, got.Notes, seen)
			}
		})
	}
}

// TestASearchableScanIsReadByItsText has Tesseract make a PDF of a picture with the text behind it.
func TestASearchableScanIsReadByItsText(t *testing.T) {
	testtier.Rare(t)
	var picture, file bytes.Buffer
	err := png.Encode(&picture, ocrtest.Pictures(t, "testdata/100-pages.pdf", reader.Cache, 4)[0])
	if err != nil {
		t.Fatal(err)
	}
	tesseract := exec.CommandContext(t.Context(), ocrtest.Tesseract(t), "-", "-", "-l", "eng", "pdf")
	tesseract.Stdin, tesseract.Stdout = &picture, &file
	if err := tesseract.Run(); err != nil {
		t.Fatal(err)
	}
	document, err := reader.Read(t.Context(), file.Bytes(), "scan.pdf")
	if err != nil || len(document.Notes) > 0 || !strings.Contains(document.Text, "The number of day 4 is 31676.") {
		t.Errorf("got %q, %q, %v", document.Text, document.Notes, err)
	}
}

// pageOf returns the text of a page.
func pageOf(document prose.Document, name string) string {
	var text strings.Builder
	for i, r := range document.Text {
		if document.Anchors.At(i) == name {
			text.WriteRune(r)
		}
	}
	return text.String()
}

// gray returns a small picture.
func gray(side int) *image.Gray { return image.NewGray(image.Rect(0, 0, side, side)) }

func TestPagesThatWereNotReadAreNamed(t *testing.T) {
	scan := ocrtest.PDF(gray(100), gray(100), gray(100), gray(100), gray(100))
	calls := 0
	answer := func(texts ...string) func(context.Context, []byte) (string, error) {
		calls = 0
		return func(_ context.Context, picture []byte) (string, error) {
			calls++
			if text := texts[calls-1]; text != "" {
				return text, nil
			}
			return "", fmt.Errorf("%w: as told", ocr.ErrUnreadable)
		}
	}
	scanner := reader
	scanner.MaxScans = 4
	scanner.Recognize = answer("one", "", "three", "")
	got, err := scanner.Read(t.Context(), scan, "a")
	want := []string{
		"pages 2, 4 could not be recognized",
		"page 5 left out: no more than 4 scanned pages of a file are read",
	}
	if err != nil || got.Text != "one\n\nthree" || !slices.Equal(got.Notes, want) {
		t.Errorf("got %q, %q, %v", got.Text, got.Notes, err)
	}
	if name := got.Anchors.At(strings.Index(got.Text, "three")); name != "page 3" {
		t.Errorf("it is on %s", name)
	}
	scanner.Recognize = answer("", "", "", "")
	if _, err := scanner.Read(t.Context(), scan, "a"); !extracttest.IsRefusal(err, prose.ErrNoText) {
		t.Errorf("nothing recognized: %v", err)
	}
	if _, err := reader.Read(t.Context(), scan, "a"); !extracttest.IsRefusal(err, prose.ErrScanned) {
		t.Errorf("no recognition: %v", err)
	}
	off := reader
	off.ScansOff = true
	if _, err := off.Read(t.Context(), scan, "a"); !extracttest.IsRefusal(err, prose.ErrScansOff) {
		t.Errorf("recognition is off: %v", err)
	}
	broken := errors.New("no more quota")
	scanner.Recognize = func(context.Context, []byte) (string, error) { return "", broken }
	if _, err := scanner.Read(t.Context(), scan, "a"); !errors.Is(err, broken) {
		t.Errorf("a failure: %v", err)
	}
}
