package library

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/internal/extract/prose"
	"parley/internal/rank"
)

// passageSize is the largest size of a passage, in columns. It was chosen by `make bench-retrieval`: of smaller
// passages more fit the budget of a prompt, and each has less text that does not matter.
const passageSize = 600

// Index returns the encoded index of a document: the offsets of its pages, and the words of
// its passages. A passage never spans two pages.
func Index(document prose.Document) ([]byte, error) {
	anchors, err := json.Marshal(document.Anchors)
	if err != nil {
		return nil, fmt.Errorf("index a document: %w", err)
	}
	var passages []rank.Span
	start := 0
	for _, anchor := range document.Anchors {
		passages = appendPassages(passages, document.Text, start, anchor.Offset)
		start = anchor.Offset
	}
	passages = appendPassages(passages, document.Text, start, len(document.Text))
	words, err := rank.NewIndex(document.Text, passages).MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("index a document: %w", err)
	}
	encoded := binary.AppendUvarint(nil, uint64(len(anchors)))
	return append(append(encoded, anchors...), words...), nil
}

func appendPassages(all []rank.Span, text string, start, end int) []rank.Span {
	for _, span := range rank.Passages(text[start:end], passageSize) {
		all = append(all, rank.Span{Start: start + span.Start, End: start + span.End})
	}
	return all
}

var errBadIndex = errors.New("the index of a file is broken")

// index is the index of a document, which is read as needed. The zero value is empty.
type index struct {
	words   *rank.Index
	anchors *io.SectionReader // encoded
}

// openIndex opens an encoded index of the given size. No data is an empty index.
func openIndex(data io.ReaderAt, size int64) (index, error) {
	if size == 0 {
		return index{}, nil
	}
	head := make([]byte, min(binary.MaxVarintLen64, size))
	if _, err := io.ReadFull(io.NewSectionReader(data, 0, size), head); err != nil {
		return index{}, err
	}
	anchors, n := binary.Uvarint(head)
	if n <= 0 || anchors > uint64(size)-uint64(n) {
		return index{}, errBadIndex
	}
	start := int64(n) + int64(anchors)
	words, err := rank.Open(io.NewSectionReader(data, start, size-start), size-start)
	if err != nil {
		return index{}, err
	}
	return index{words, io.NewSectionReader(data, int64(n), int64(anchors))}, nil
}

// readAnchors decodes the page anchors.
func (x index) readAnchors() (prose.Anchors, error) {
	if x.anchors == nil {
		return nil, nil
	}
	encoded := make([]byte, x.anchors.Size())
	if _, err := x.anchors.ReadAt(encoded, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var anchors prose.Anchors
	if err := json.Unmarshal(encoded, &anchors); err != nil {
		return nil, fmt.Errorf("%w: %w", errBadIndex, err)
	}
	return anchors, nil
}

// isDamaged reports whether an error of reading an index is due to its content.
func isDamaged(err error) bool {
	return errors.Is(err, errBadIndex) || errors.Is(err, errBadVectors) || errors.Is(err, rank.ErrBroken) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
