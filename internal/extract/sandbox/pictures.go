package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"parley/internal/extract/ocr"
)

// pictures asks the parent for the text in pictures, since a child can't start the program that
// reads them.
type pictures struct {
	out    *bufio.Writer
	frames chan frame
	exit   *time.Timer // ends this process if its parent is stopped
	time   time.Duration
	at     Progress
}

// frame is a message from the parent.
type frame struct {
	kind    byte
	content []byte
}

// listen receives frames. It exits this process when in is closed: the parent keeps it open while
// it waits for the response.
func (p *pictures) listen(in io.Reader) {
	for {
		kind, content, err := readFrame(in, nil)
		if err != nil {
			os.Exit(1)
		}
		p.frames <- frame{kind, content}
	}
}

// begin records which page the next picture shows.
func (p *pictures) begin(page, pages int) { p.at = Progress{Page: page, Pages: pages} }

// recognize returns the text in a PNG.
func (p *pictures) recognize(_ context.Context, picture []byte) (string, error) {
	if len(picture) > maxPicture {
		return "", fmt.Errorf("%w: it has %d bytes", ocr.ErrUnreadable, len(picture))
	}
	p.exit.Stop() // the parent may take long
	if err := errors.Join(
		writePieces(p.out, frameScan, string(picture)), writeJSON(p.out, frameRecognize, p.at), p.out.Flush(),
	); err != nil {
		return "", fmt.Errorf("send a picture: %w", err)
	}
	got := <-p.frames
	p.exit.Reset(p.time)
	switch got.kind {
	case frameText:
		return string(got.content), nil
	case frameFailed:
		return "", fmt.Errorf("%w: %s", ocr.ErrUnreadable, got.content)
	}
	return "", errBadFrame
}
