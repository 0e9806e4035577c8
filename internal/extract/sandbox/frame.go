package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/internal/extract"
)

// The child is sent one request: a frame that holds the order as JSON, then the bytes of
// the document. It answers with frames: those of the text and of the index in order,
// then one that ends the answer. A frame is a letter, the size of its content as four
// bytes, and the content.
const (
	frameOrder   = 'o'
	frameText    = 't'
	frameIndex   = 'i'
	frameDone    = 'd' // content: summary
	frameRefused = 'r' // content: the message of a refusal
	frameFault   = 'f' // content: what went wrong, for the log
)

// frameSize is the largest content of a frame of text.
const frameSize = 64 << 10

// maxFrame is the largest content of any frame: that of one which lists many anchors.
const maxFrame = 4 << 20

// order is what the child is to do.
type order struct {
	Name        string        `json:"name"`
	Size        int64         `json:"size"`
	MaxText     int64         `json:"max_text"`
	MaxUnpacked int64         `json:"max_unpacked"`
	Limits      processLimits `json:"limits"`
	Cache       string        `json:"cache"`
	// Prepare says to compile the PDF engine instead of reading a document.
	Prepare bool `json:"prepare"`
}

// summary is what ends an answer.
type summary struct {
	Type    string          `json:"type"`
	Anchors extract.Anchors `json:"anchors"`
}

func writeFrame(w io.Writer, kind byte, content []byte) error {
	head := append(make([]byte, 0, 5), kind)
	head = binary.BigEndian.AppendUint32(head, uint32(len(content)))
	if _, err := w.Write(head); err != nil {
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

var errBadFrame = errors.New("a frame of an unknown form")

// readFrame reads a frame into buffer, which it grows where it must.
func readFrame(r io.Reader, buffer []byte) (kind byte, content []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := int(binary.BigEndian.Uint32(head[1:]))
	if size > maxFrame {
		return 0, nil, errBadFrame
	}
	if size > cap(buffer) {
		buffer = make([]byte, size)
	}
	buffer = buffer[:size]
	_, err = io.ReadFull(r, buffer)
	return head[0], buffer, err
}
