package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/extract/picture"
	"parley/internal/extract/prose"
)

// errInternal marks an error without fault of the document: the parent could not read its source or write its result,
// or the child reported a failure.
var errInternal = errors.New("read a document")

// exchange is the parent's part of reading one document: it sends the document to a child that has
// its request, and receives the response. The child is not trusted: every frame is checked.
type exchange struct {
	child       *process
	request     request
	file        File
	text, index io.Writer
	time        *allowance

	size, indexed int64  // of the text and the index so far
	picture       []byte // that the child is sending
	pictures      int    // that it has asked for
}

func (x *exchange) run(ctx context.Context) (Summary, error) {
	sent := make(chan error, 1)
	go func() { sent <- x.child.send(x.file.Bytes, x.request.Size) }()
	summary, err := x.receive(ctx)
	x.child.kill() // the response is complete; this also unblocks send
	if err := <-sent; err != nil {
		return Summary{}, err
	}
	return summary, err
}

// send copies the document to the child. It leaves the pipe open, since the child exits
// when it is closed. It ignores write errors: if the child stops reading, its response
// shows why.
func (p *process) send(file io.Reader, size int64) error {
	if size == 0 {
		return nil
	}
	document := &errReader{reader: file}
	n, err := io.Copy(p.in, io.LimitReader(document, size))
	if document.err == nil && err == nil && n < size {
		document.err = io.ErrUnexpectedEOF
	}
	if document.err != nil {
		p.kill()
		return fmt.Errorf("%w: read the document: %w", errInternal, document.err)
	}
	return nil
}

func (x *exchange) receive(ctx context.Context) (Summary, error) {
	in := bufio.NewReaderSize(x.child.out, frameSize)
	buffer := make([]byte, frameSize)
	var cleaned picture.Cleaned
	for {
		kind, content, err := readFrame(in, buffer)
		if err != nil {
			return Summary{}, fmt.Errorf("read the response: %w", err)
		}
		switch kind {
		case frameText:
			err = x.addText(content)
		case frameIndex:
			err = x.addIndex(content)
		case frameScan:
			err = x.addScan(content)
		case frameRecognize:
			err = x.recognize(ctx, content)
		case framePicture:
			cleaned.Full = bytes.Clone(content)
		case frameThumbnail:
			cleaned.Thumbnail = bytes.Clone(content)
		case frameDone:
			summary, err := parseSummary(content, x.size)
			if err != nil {
				return Summary{}, err
			}
			return summary, summary.setPicture(cleaned)
		case frameRefused:
			err = errBadFrame
			if refusal := prose.Refusal(string(content)); refusal != nil {
				err = refusal
			}
		case frameFailed:
			err = fmt.Errorf("%w: %.500q", errInternal, content)
		default:
			err = errBadFrame
		}
		if err != nil {
			return Summary{}, err
		}
	}
}

func (x *exchange) addText(content []byte) error {
	x.size += int64(len(content))
	if x.size > x.request.MaxText || !isCleanText(content) {
		return errBadFrame
	}
	if _, err := x.text.Write(content); err != nil {
		return fmt.Errorf("%w: write the text: %w", errInternal, err)
	}
	return nil
}

func (x *exchange) addIndex(content []byte) error {
	if x.indexed += int64(len(content)); x.indexed > indexRatio*x.size+maxFrame {
		return errBadFrame
	}
	if _, err := x.index.Write(content); err != nil {
		return fmt.Errorf("%w: write the index: %w", errInternal, err)
	}
	return nil
}

// indexRatio limits an index relative to its text, in addition to the names of its pages,
// which fit a frame. Chinese text without a repeated pair takes the most, 6.3 times its size.
const indexRatio = 8

func isCleanText(content []byte) bool {
	return utf8.Valid(content) && !bytes.ContainsFunc(content, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t'
	})
}

// maxName is the longest name of an anchor or type, in bytes.
const maxName = 400

// parseSummary decodes the summary of a text of the given size and checks it.
func parseSummary(content []byte, size int64) (Summary, error) {
	var summary Summary
	if err := json.Unmarshal(content, &summary); err != nil {
		return summary, fmt.Errorf("%w: %w", errBadFrame, err)
	}
	last := -1
	for _, anchor := range summary.Anchors {
		if anchor.Offset <= last || int64(anchor.Offset) >= size || !isCleanName(anchor.Name) {
			return summary, errBadFrame
		}
		last = anchor.Offset
	}
	if !isCleanName(summary.Type) || strings.ContainsFunc(summary.Type, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return summary, errBadFrame
	}
	summary.Notes = prose.CleanNotes(summary.Notes)
	return summary, nil
}

// setPicture adds a picture that a child has sent, if it has sent one.
func (s *Summary) setPicture(cleaned picture.Cleaned) error {
	if len(cleaned.Full) == 0 && len(cleaned.Thumbnail) == 0 {
		return nil
	}
	if !isCleaned(cleaned.Full, picture.MaxFull) || !isCleaned(cleaned.Thumbnail, picture.MaxThumbnail) {
		return errBadFrame
	}
	s.Picture = &cleaned
	return nil
}

// isCleaned reports whether content can be a cleaned picture.
func isCleaned(content []byte, limit int) bool {
	mediaType := picture.Type(content)
	return len(content) <= limit && (mediaType == "image/png" || mediaType == "image/jpeg")
}

func isCleanName(name string) bool {
	return len(name) <= maxName && !strings.ContainsFunc(name, unicode.IsControl)
}
