package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/errreader"
	"parley/internal/extract"
)

// errOurs marks an error that is not the document's: of what the parent reads from or
// writes to, or one that the child names so.
var errOurs = errors.New("read a document")

// converse sends the document to a child that has its order, and takes the answer. The
// child is not trusted: what it says has to be what a good one could say.
func (p *process) converse(todo order, file io.Reader, text, index io.Writer) (summary, error) {
	sent := make(chan error, 1)
	go func() { sent <- p.send(file, todo.Size) }()
	found, err := p.receive(todo, text, index)
	p.kill() // it has said all; and reads no further, so that send ends
	if err := <-sent; err != nil {
		return summary{}, err
	}
	return found, err
}

// send copies the document, and leaves the stream open: its end would tell the child that
// we are gone. That a child stops reading is told by its answer, not here.
func (p *process) send(file io.Reader, size int64) error {
	if size == 0 {
		return nil
	}
	document := &errreader.Reader{Reader: file}
	n, err := io.Copy(p.in, io.LimitReader(document, size))
	if document.Err == nil && err == nil && n < size {
		document.Err = io.ErrUnexpectedEOF
	}
	if document.Err != nil {
		p.kill()
		return fmt.Errorf("%w: read the document: %w", errOurs, document.Err)
	}
	return nil
}

func (p *process) receive(todo order, text, index io.Writer) (summary, error) {
	in := bufio.NewReaderSize(p.out, frameSize)
	buffer := make([]byte, frameSize)
	size := int64(0)
	for {
		kind, content, err := readFrame(in, buffer)
		if err != nil {
			return summary{}, fmt.Errorf("read the answer: %w", err)
		}
		switch kind {
		case frameText:
			size += int64(len(content))
			if size > todo.MaxText || !isCleanText(content) {
				return summary{}, errBadFrame
			}
			if _, err := text.Write(content); err != nil {
				return summary{}, fmt.Errorf("%w: write the text: %w", errOurs, err)
			}
		case frameIndex:
			if _, err := index.Write(content); err != nil {
				return summary{}, fmt.Errorf("%w: write the index: %w", errOurs, err)
			}
		case frameDone:
			return checkSummary(content, size)
		case frameRefused:
			if refusal := extract.Refusal(string(content)); refusal != nil {
				return summary{}, refusal
			}
			return summary{}, errBadFrame
		case frameFault:
			return summary{}, fmt.Errorf("%w: %.500q", errOurs, content)
		default:
			return summary{}, errBadFrame
		}
	}
}

func isCleanText(content []byte) bool {
	return utf8.Valid(content) && !bytes.ContainsFunc(content, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t'
	})
}

// maxName is the longest name of an anchor, in bytes.
const maxName = 400

// checkSummary takes an answer's end, if it fits a text of that size.
func checkSummary(content []byte, size int64) (summary, error) {
	var found summary
	if err := json.Unmarshal(content, &found); err != nil {
		return found, fmt.Errorf("%w: %w", errBadFrame, err)
	}
	last := -1
	for _, anchor := range found.Anchors {
		if anchor.Offset <= last || int64(anchor.Offset) >= size || len(anchor.Name) > maxName || strings.ContainsFunc(anchor.Name, unicode.IsControl) {
			return found, errBadFrame
		}
		last = anchor.Offset
	}
	if len(found.Type) > maxName || strings.ContainsFunc(found.Type, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return found, errBadFrame
	}
	return found, nil
}
