package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The parent sends one request: a frame with the request as JSON, then the bytes of the
// document. The child's response is a sequence of frames: the text, the index, a picture and its
// thumbnail if the document is one, and one that ends it (done, refused or failed). A frame is
// its kind in one byte, the size of its content in four bytes, and the content.
//
// Before the text, a child may ask for the text in pictures: the pieces of a PNG, then a frame that ends it. The parent
// responds with a text, or with failed if it can't get one.
const (
	frameRequest = 'q'
	frameText    = 't'
	frameIndex   = 'i'
	framePicture = 'p' // content: the whole cleaned picture; then its thumbnail follows
	frameDone    = 'd' // content: Summary as JSON
	frameRefused = 'r' // content: the message of a refusal
	frameFailed  = 'f' // content: an error for the log

	frameThumbnail = 'n'
	frameScan      = 's' // content: a piece of a PNG
	frameRecognize = 'o' // content: Progress as JSON
)

const (
	// frameSize is the largest content of a text or index frame.
	frameSize = 64 << 10
	// maxFrame is the largest content of any frame. A summary can have many anchors.
	maxFrame = 4 << 20
	// maxPicture is the largest picture. A gray PNG of ocr.MaxPixels has no more.
	maxPicture = 16 << 20
)

// request describes what the child does.
type request struct {
	Name        string        `json:"name"`
	ContentType string        `json:"content_type"` // of a web page
	Size        int64         `json:"size"`
	MaxText     int64         `json:"max_text"`
	MaxUnpacked int64         `json:"max_unpacked"`
	Limits      processLimits `json:"limits"`
	Cache       string        `json:"cache"`
	// MaxScans is how many pictures the child may ask for; 0 means that there is no recognition.
	MaxScans int `json:"max_scans"`
	// ScanPixels limits these pictures; 0 is the most that Tesseract takes.
	ScanPixels int `json:"scan_pixels"`
	// Pictures is set if a model sees pictures.
	Pictures bool `json:"pictures"`
	// ScansOff is set if the operator does not want scans to be read.
	ScansOff bool `json:"scans_off"`
	// Prepare is set to compile the PDF engine instead of reading a document.
	Prepare bool `json:"prepare"`
	// History is set to read an export of conversations: see history.go. Skip is how many are skipped.
	History bool  `json:"history"`
	Skip    int64 `json:"skip"`
	// Check is set to respond with the child's Walls as the index instead of reading a document.
	Check bool `json:"check"`
}

func writeFrame(w io.Writer, kind byte, content []byte) error {
	header := append(make([]byte, 0, 5), kind)
	header = binary.BigEndian.AppendUint32(header, uint32(len(content)))
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}

func writeJSON(w io.Writer, kind byte, content any) error {
	encoded, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	return writeFrame(w, kind, encoded)
}

var errBadFrame = errors.New("invalid frame")

// readFrame reads a frame into buffer, or into a larger one if it does not fit.
func readFrame(r io.Reader, buffer []byte) (kind byte, content []byte, err error) {
	return readFrameUpTo(maxFrame, r, buffer)
}

func readFrameUpTo(limit int, r io.Reader, buffer []byte) (kind byte, content []byte, err error) {
	var header [5]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, err
	}
	size := int(binary.BigEndian.Uint32(header[1:]))
	if size > limit {
		return 0, nil, errBadFrame
	}
	if size > cap(buffer) {
		buffer = make([]byte, size)
	}
	buffer = buffer[:size]
	_, err = io.ReadFull(r, buffer)
	return header[0], buffer, err
}
