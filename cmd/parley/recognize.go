package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"parley"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/connect"
	"parley/internal/doctor"
	"parley/internal/extract/ocr"
	"parley/internal/extract/sandbox"
)

// modelPixels limits the picture of a page for a model. It is about 170 dpi for a page of A4. Models scale larger
// pictures down to about this size.
const modelPixels = 3_000_000

// recognizer reads scanned pages and pictures: with Tesseract, with a model or not at all.
type recognizer struct {
	tesseract *ocr.Tesseract // nil if it is not used
	model     string         // empty if none is used
	// about names the recognizer in a few words, or says why there is none.
	about string
}

// newRecognizer looks for Tesseract. If a setting requires Tesseract, it must be there. seeing is the first model
// that sees pictures, or empty.
func newRecognizer(ctx context.Context, settings config.OCR, seeing string) (*recognizer, error) {
	switch {
	case settings.Off():
		return &recognizer{about: "off"}, nil
	case settings.Program == "" && seeing == "":
		return nil, errors.New("PARLEY_OCR: no model sees pictures: " +
			"set PARLEY_AI_IMAGES, or images in the models of the settings file")
	case settings.Program == "":
		return &recognizer{model: seeing, about: "the model " + seeing}, nil
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
	case settings.Model && seeing != "":
		return &recognizer{model: seeing, about: "the model " + seeing}, nil
	case errors.Is(err, exec.ErrNotFound):
		return &recognizer{about: "none (Tesseract is not installed)"}, nil
	}
	return &recognizer{about: fmt.Sprintf("none (%v)", err)}, nil
}

// recognition returns how the service reads scanned pages and pictures.
func (r *recognizer) recognition() app.Recognition {
	switch {
	case r.model != "":
		return app.Recognition{Model: true, Pixels: modelPixels, State: parley.OCRState{Languages: []string{}}}
	case r.tesseract == nil:
		return app.Recognition{State: parley.OCRState{Languages: []string{}}}
	}
	return app.Recognition{
		Program: func(ctx context.Context, _ int64, picture []byte) (string, error) {
			return r.tesseract.Recognize(ctx, picture)
		},
		State: parley.OCRState{Available: true, Languages: r.tesseract.Languages()},
	}
}

// checkRecognizer looks for Tesseract the same way as the server.
func checkRecognizer(ctx context.Context, settings *config.Settings) doctor.Check {
	const name = "recognition"
	found, err := newRecognizer(ctx, settings.OCR, firstSeeing(settings.AI))
	if err != nil {
		return doctor.Failed(name, err, "check PARLEY_OCR and PARLEY_OCR_LANGS, or set PARLEY_OCR to off")
	}
	check := doctor.Check{Name: name, Status: doctor.OK, Detail: "scans are read by " + found.about}
	if found.tesseract == nil && found.model == "" {
		check.Detail = "scans are not read: " + found.about
		check.Advice = "install tesseract-ocr with its languages, such as tesseract-ocr-chi-sim"
		if settings.OCR.Off() {
			check.Advice = "to have scans read, set PARLEY_OCR to auto"
		}
	}
	return check
}

// firstSeeing returns the first model that sees pictures according to the settings, or "".
func firstSeeing(settings config.AI) string {
	for _, model := range connect.Offered(settings) {
		if model.Images && !model.Builtin() {
			return model.Name
		}
	}
	return ""
}
