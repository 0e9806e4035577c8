package library

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/extract/ocr"
	"parley/internal/extract/prose"
	"parley/internal/extract/sandbox"
)

// errScan means that a document has a page or picture that must be recognized.
var errScan = errors.New("the document has to be recognized")

// maxScanTime is how long the pages of one document may be recognized. Those left then are noted as
// not read.
const maxScanTime = time.Hour

// notScanning ends the reading with errScan when there is something to recognize. Recognizing takes minutes, and
// meanwhile others would wait for the document's reader.
func (d *Draft) notScanning() *sandbox.Recognition {
	if d.library.recognize == nil {
		return nil
	}
	return &sandbox.Recognition{
		Recognize: func(context.Context, []byte) (string, error) { return "", errScan },
		Pages:     1,
	}
}

// scanning returns what recognizes the document's pages. They wait for one of the scanners.
func (d *Draft) scanning() *sandbox.Recognition {
	d.scans, d.recognized = true, 0
	var begun time.Time
	return &sandbox.Recognition{
		Recognize: func(ctx context.Context, picture []byte) (string, error) {
			now := d.library.now()
			if begun.IsZero() {
				begun = now
			}
			if now.Sub(begun) > maxScanTime {
				return "", fmt.Errorf("%w: the document takes too long", ocr.ErrUnreadable)
			}
			if err := d.renew(ctx); err != nil {
				return "", err
			}
			text, err := d.library.recognize(ctx, d.userID, picture)
			if err == nil {
				d.recognized++
			}
			return text, err
		},
		Pages:    d.library.scanPages,
		Pixels:   d.library.scanPixels,
		Progress: d.Progress,
	}
}

// noteModel notes that a model has read pages: it may have misread or invented something.
func (d *Draft) noteModel(notes []string) []string {
	if d.recognized == 0 || d.library.recognizedBy == "" {
		return notes
	}
	return prose.CleanNotes(append([]string{"scanned pages were read by the model " + d.library.recognizedBy}, notes...))
}
