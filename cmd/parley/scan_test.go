package main_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/extract/ocr/ocrtest"
)

// TestAScanIsRead uploads scanned pages in English and Chinese, and asks about them.
func TestAScanIsRead(t *testing.T) {
	t.Parallel()
	tesseract := ocrtest.Tesseract(t)
	scan := ocrtest.Scan(t, "../../internal/extract/testdata/libreoffice.pdf", t.TempDir(), 1, 2)
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_OCR="+tesseract, "PARLEY_OCR_LANGS=chi_sim,eng")
	ada := p.user("ada")
	sessionID := session(t, ada)
	var seen []parley.UploadProgress
	_, err := ada.UploadWithProgress(t.Context(), sessionID, "scan.pdf", bytes.NewReader(scan),
		func(at parley.UploadProgress) { seen = append(seen, at) })
	must(t, err)
	if want := []parley.UploadProgress{{Page: 1, Pages: 2}, {Page: 2, Pages: 2}}; !slices.Equal(seen, want) {
		t.Errorf("the progress was %v", seen)
	}
	askAbout(t, ada, sessionID, "What is the cat of the lighthouse keeper called?", "a cat called Palinuro")
	askAbout(t, ada, sessionID, "灯塔看守人的猫名叫什么？", "灯塔看守人的猫名叫")
}

// TestThePictureOfAPageIsRead uploads a picture to a server whose model sees none.
func TestThePictureOfAPageIsRead(t *testing.T) {
	t.Parallel()
	tesseract := ocrtest.Tesseract(t)
	page := ocrtest.Pictures(t, "../../internal/extract/testdata/libreoffice.pdf", t.TempDir(), 1)[0]
	var picture bytes.Buffer
	must(t, png.Encode(&picture, page))
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_OCR="+tesseract, "PARLEY_OCR_LANGS=eng")
	ada := p.user("ada")
	sessionID := session(t, ada)
	file, err := ada.Upload(t.Context(), sessionID, "page.png", &picture)
	must(t, err)
	if file.FileType != "image/png" {
		t.Errorf("the type is %s", file.FileType)
	}
	askAbout(t, ada, sessionID, "When does the first hydrofoil leave Naples?", "leaves Naples at 09:00")
}

// askAbout asks the built-in assistant, which quotes the file, and checks that the reply has a fact.
func askAbout(t *testing.T, user *client.Client, sessionID, question, fact string) {
	t.Helper()
	out, err := user.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: question})
	must(t, err)
	if !strings.Contains(out.AIResponse.Content, fact) {
		t.Errorf("%s: got %s", question, out.AIResponse.Content)
	}
}

func TestAScanIsRefusedWithoutTesseract(t *testing.T) {
	t.Parallel()
	scan := ocrtest.PDF(image.NewGray(image.Rect(0, 0, 100, 100)))
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_OCR=off")
	ada := p.user("ada")
	_, err := ada.Upload(t.Context(), session(t, ada), "scan.pdf", bytes.NewReader(scan))
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != parley.CodeUploadFailed ||
		!strings.Contains(refused.Message, "can install Tesseract") {
		t.Errorf("got %v", err)
	}
}
