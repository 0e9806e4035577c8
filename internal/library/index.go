package library

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"parley/internal/blob"
	"parley/internal/extract"
	"parley/internal/rank"
)

// passageSize is the approximate size of a passage, in bytes.
const passageSize = 1200

// Index returns the encoded index of a document: the offsets of its pages, and the words of
// its passages. A passage never spans two pages.
func Index(document extract.Document) ([]byte, error) {
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

// index is a decoded index.
type index struct {
	words   rank.Index
	anchors extract.Anchors
}

// readAnchors reads the page anchors of a document, which are the first part of its index.
func (l *Library) readAnchors(ctx context.Context, fileID string) (extract.Anchors, error) {
	r, err := l.blobs.Get(ctx, fileID+indexSuffix)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil // the document has been deleted
	}
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	buffered := bufio.NewReader(r)
	size, err := binary.ReadUvarint(buffered)
	if errors.Is(err, io.EOF) { // empty, as in readIndex
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBadIndex, err)
	}
	var anchors extract.Anchors
	encoded := io.LimitReader(buffered, int64(min(size, math.MaxInt64)))
	if err := json.NewDecoder(encoded).Decode(&anchors); err != nil {
		return nil, fmt.Errorf("%w: %w", errBadIndex, err)
	}
	return anchors, nil
}

var errBadIndex = errors.New("the index of a file is broken")

// readIndex decodes an index. No data is an empty index.
func readIndex(data []byte) (*index, error) {
	x := &index{}
	if len(data) == 0 {
		return x, nil
	}
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return nil, errBadIndex
	}
	data = data[n:]
	if err := json.Unmarshal(data[:size], &x.anchors); err != nil {
		return nil, fmt.Errorf("%w: %w", errBadIndex, err)
	}
	if err := x.words.UnmarshalBinary(data[size:]); err != nil {
		return nil, fmt.Errorf("%w: %w", errBadIndex, err)
	}
	return x, nil
}
