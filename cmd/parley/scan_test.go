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
	"parley/internal/ai/aitest"
	"parley/internal/extract/ocr/ocrtest"
	"parley/internal/programtest"
	"parley/internal/testtier"
)

// TestAScanIsRead uploads scanned pages in English and Chinese, and asks about them.
func TestAScanIsRead(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	tesseract := ocrtest.Tesseract(t)
	scan := ocrtest.Scan(t, "../../internal/extract/testdata/libreoffice.pdf", programtest.Engine(t), 1, 2)
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

// TestThePictureOfAPageIsRead uploads a picture. The server's model can't see it.
func TestThePictureOfAPageIsRead(t *testing.T) {
	testtier.Rare(t)
	t.Parallel()
	tesseract := ocrtest.Tesseract(t)
	page := ocrtest.Pictures(t, "../../internal/extract/testdata/libreoffice.pdf", programtest.Engine(t), 1)[0]
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

// TestAModelReadsAScan uploads a scan. The server's model sees pictures.
func TestAModelReadsAScan(t *testing.T) {
	t.Parallel()
	model := aitest.New(t)
	model.Respond(func(r aitest.Request) []aitest.Step {
		if images := r.Messages[len(r.Messages)-1].Images; len(images) == 1 {
			return []aitest.Step{aitest.Text("The cat is called Palinuro."), aitest.EndCounted(1200, 8)}
		}
		return aitest.Say("Palinuro.")
	})
	settings := []string{
		"PARLEY_DATA=" + t.TempDir(), "PARLEY_OCR=model",
		"PARLEY_AI_BASE_URL=" + model.URL, "PARLEY_AI_MODEL=m", "PARLEY_AI_IMAGES=true",
	}
	p := start(t, settings...)
	ada := p.user("ada")
	sessionID := session(t, ada)
	scan := ocrtest.PDF(image.NewGray(image.Rect(0, 0, 100, 100)))
	file, err := ada.Upload(t.Context(), sessionID, "scan.pdf", bytes.NewReader(scan))
	must(t, err)
	if want := []string{"scanned pages were read by the model default"}; !slices.Equal(file.Notes, want) {
		t.Errorf("the notes are %q", file.Notes)
	}
	used, err := ada.Usage(t.Context(), parley.UsageInput{})
	must(t, err)
	if len(used.Usage) != 1 || used.Usage[0].InputTokens != 1200 || used.Usage[0].Messages != 0 {
		t.Errorf("the usage is %+v", used.Usage)
	}
	_, err = ada.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: "What is the cat called?"})
	must(t, err)
	if system := model.Last(t).System(); !strings.Contains(system, "The cat is called Palinuro.") ||
		!strings.Contains(system, "read by the model default") {
		t.Errorf("the model gets %q", system)
	}
	if out := works(t, settings, "doctor"); !strings.Contains(out, "scans are read by the model default") {
		t.Errorf("the doctor says\n%s", out)
	}
	blind := everythingSaid(t, []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_OCR=model"})
	if !strings.Contains(blind, "PARLEY_OCR: no model sees pictures") {
		t.Errorf("without such a model it says %q", blind)
	}
}

// askAbout asks the built-in assistant, which quotes the file, and checks that the reply contains a fact.
func askAbout(t *testing.T, user *client.Client, sessionID, question, fact string) {
	t.Helper()
	out, err := user.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: question})
	must(t, err)
	if !strings.Contains(out.AIResponse.Content, fact) {
		t.Errorf("%s: got %s", question, out.AIResponse.Content)
	}
}

func TestAScanIsRefusedIfRecognitionIsOff(t *testing.T) {
	t.Parallel()
	scan := ocrtest.PDF(image.NewGray(image.Rect(0, 0, 100, 100)))
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_OCR=off")
	ada := p.user("ada")
	_, err := ada.Upload(t.Context(), session(t, ada), "scan.pdf", bytes.NewReader(scan))
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != parley.CodeUploadFailed ||
		!strings.Contains(refused.Message, "has turned off reading them") {
		t.Errorf("got %v", err)
	}
}
