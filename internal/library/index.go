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

// passageSize is about how many bytes of text a passage has.
const passageSize = 1200

// Index makes the index of a document's passages: where each of its pages begins, and
// which words stand in which passage. No passage goes beyond its page.
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
	index := binary.AppendUvarint(nil, uint64(len(anchors)))
	return append(append(index, anchors...), words...), nil
}

func appendPassages(all []rank.Span, text string, start, end int) []rank.Span {
	for _, span := range rank.Passages(text[start:end], passageSize) {
		all = append(all, rank.Span{Start: start + span.Start, End: start + span.End})
	}
	return all
}

// index is what Index made, read again.
type index struct {
	words   rank.Index
	anchors extract.Anchors
}

// anchors reads where the pages of a document begin, which stands first in its index.
func (l *Library) anchors(ctx context.Context, fileID string) (extract.Anchors, error) {
	r, err := l.Blobs.Get(ctx, fileID+indexSuffix)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil // deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	buffered := bufio.NewReader(r)
	size, err := binary.ReadUvarint(buffered)
	if errors.Is(err, io.EOF) { // an empty one, as readIndex takes it
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBadIndex, err)
	}
	var anchors extract.Anchors
	if err := json.NewDecoder(io.LimitReader(buffered, int64(min(size, math.MaxInt64)))).Decode(&anchors); err != nil {
		return nil, fmt.Errorf("%w: %w", errBadIndex, err)
	}
	return anchors, nil
}

var errBadIndex = errors.New("the index of a file is broken")

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
