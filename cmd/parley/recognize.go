package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"parley"
	"parley/internal/config"
	"parley/internal/doctor"
	"parley/internal/extract/ocr"
	"parley/internal/extract/sandbox"
)

// recognizer reads scanned pages and pictures.
type recognizer struct {
	tesseract *ocr.Tesseract // nil if there is none
	// about names it in a few words, or says why there is none.
	about string
}

// newRecognizer looks for Tesseract. If it was named by a setting, it must be there.
func newRecognizer(ctx context.Context, settings config.OCR) (*recognizer, error) {
	if settings.Program == "" {
		return &recognizer{about: "off"}, nil
	}
	command, err := sandbox.Command(config.CommandRecognize)
	if err != nil {
		return nil, err
	}
	found, err := ocr.Find(ctx, ocr.Config{
		Command: command, Program: settings.Program, Languages: settings.Languages,
	})
	switch {
	case err == nil:
		return &recognizer{tesseract: found, about: found.String()}, nil
	case settings.Required || len(settings.Languages) > 0:
		return nil, fmt.Errorf("PARLEY_OCR: %w", err)
	case errors.Is(err, exec.ErrNotFound):
		return &recognizer{about: "none (Tesseract is not installed)"}, nil
	}
	return &recognizer{about: fmt.Sprintf("none (%v)", err)}, nil
}

// recognize returns what reads a picture for a user, or nil if nothing can.
func (r *recognizer) recognize() func(ctx context.Context, userID int64, picture []byte) (string, error) {
	if r.tesseract == nil {
		return nil
	}
	return func(ctx context.Context, _ int64, picture []byte) (string, error) {
		return r.tesseract.Recognize(ctx, picture)
	}
}

// state returns what administrators see of it.
func (r *recognizer) state() parley.OCRState {
	if r.tesseract == nil {
		return parley.OCRState{Languages: []string{}}
	}
	return parley.OCRState{Available: true, Languages: r.tesseract.Languages()}
}

// checkRecognizer looks for Tesseract as the server does.
func checkRecognizer(ctx context.Context, settings *config.Settings) doctor.Check {
	const name = "recognition"
	found, err := newRecognizer(ctx, settings.OCR)
	if err != nil {
		return doctor.Failed(name, err, "check PARLEY_OCR and PARLEY_OCR_LANGS, or set PARLEY_OCR to off")
	}
	check := doctor.Check{Name: name, Status: doctor.OK, Detail: "scans are read by " + found.about}
	if found.tesseract == nil {
		check.Detail = "scans are not read: " + found.about
		check.Advice = "install tesseract-ocr with its languages, such as tesseract-ocr-chi-sim"
	}
	return check
}
