package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/internal/extract/ocr"
)

// Progress is how far a document is read that takes long.
type Progress struct {
	// Page is the current page, from 1. Pages is how many the document has.
	Page  int `json:"page"`
	Pages int `json:"pages"`
}

// Recognition reads the pictures of a document that has no text, such as scanned pages.
type Recognition struct {
	// Recognize reads the text in a PNG. An error that wraps ocr.ErrUnreadable leaves out the
	// picture. Any other one ends the reading, and Read wraps it.
	Recognize func(ctx context.Context, picture []byte) (string, error)
	// Pages limits how many pages of a document are recognized.
	Pages int
	// Pixels limits the picture of a page, in pixels. 0 is the most that Tesseract takes.
	Pixels int
	// Progress is called before a page is recognized. It may be nil.
	Progress func(Progress)
}

// To recognize a page, the child has to render it first. Each one earns its child this time: rendering takes half a
// second of CPU time.
const (
	scanCPU  = 3 * time.Second
	scanTime = 30 * time.Second
)

// maxPages is more than any document has.
const maxPages = 1_000_000

func (x *exchange) addScan(content []byte) error {
	if x.file.Recognition == nil || len(x.picture)+len(content) > maxPicture {
		return errBadFrame
	}
	x.picture = append(x.picture, content...)
	return nil
}

// recognize answers a child that has sent a picture. Its clock does not run meanwhile.
func (x *exchange) recognize(ctx context.Context, content []byte) error {
	var at Progress
	if err := json.Unmarshal(content, &at); err != nil {
		return fmt.Errorf("%w: %w", errBadFrame, err)
	}
	recognition := x.file.Recognition
	if recognition == nil || x.pictures >= recognition.Pages || at.Page < 0 || at.Page > at.Pages || at.Pages > maxPages {
		return errBadFrame
	}
	x.pictures++
	if recognition.Progress != nil && at.Pages > 0 {
		recognition.Progress(at)
	}
	x.time.pause()
	text, err := recognition.Recognize(ctx, x.picture)
	x.time.resume(scanTime)
	x.picture = x.picture[:0]
	x.earn()
	switch {
	case errors.Is(err, ocr.ErrUnreadable):
		err = writeFrame(x.child.in, frameFailed, []byte("not recognized"))
	case err != nil:
		return fmt.Errorf("%w: recognize a picture: %w", errInternal, err)
	default:
		err = writeFrame(x.child.in, frameText, []byte(text[:min(len(text), maxFrame)]))
	}
	if err != nil {
		return fmt.Errorf("answer the child: %w", err)
	}
	return nil
}

// earn gives the child the CPU time of one more page.
func (x *exchange) earn() {
	if x.request.Limits.CPU > 0 {
		x.request.Limits.CPU += scanCPU
		raiseCPU(x.child.cmd.Process.Pid, x.request.Limits)
	}
}
