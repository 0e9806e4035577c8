package library

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"parley"
	"parley/internal/blob"
	"parley/internal/extract"
	"parley/internal/rank"
)

// minPassageTokens bounds the number of passages for a token budget.
const minPassageTokens = 50

// bestPassages selects the passages that fit the question best, in document order. If none
// matches it returns the beginning of each document.
func (l *Library) bestPassages(
	ctx context.Context, files []parley.File, question string, budget int,
) (Material, error) {
	indexes := make([]*rank.Index, len(files))
	anchors := make([]extract.Anchors, len(files))
	for i, file := range files {
		data, err := l.readBlob(ctx, file.FileID+indexSuffix, 0)
		if err != nil {
			return Material{}, err
		}
		x, err := readIndex(data)
		if err != nil {
			return Material{}, err
		}
		indexes[i], anchors[i] = &x.words, x.anchors
	}
	hits := rank.Search(rank.NewQuery(question), max(1, budget/minPassageTokens), indexes...)
	if len(hits) == 0 {
		for i := range files {
			hits = append(hits, rank.Hit{Index: i, Span: rank.Span{End: passageSize}})
		}
	}
	found, err := l.readPassages(ctx, files, limitHits(hits, budget))
	if err != nil {
		return Material{}, err
	}
	for i, p := range found {
		found[i].Anchor = anchors[p.hit.Index].At(p.hit.Span.Start)
	}
	return Material{Passages: selectPassages(found, budget), Omitted: true}, nil
}

// limitHits cuts off the hits that can't fit the budget even at the fewest tokens per byte.
func limitHits(hits []rank.Hit, budget int) []rank.Hit {
	left := budget * maxTokenBytes
	for i, hit := range hits {
		if left -= hit.Span.End - hit.Span.Start; left < 0 {
			return hits[:i]
		}
	}
	return hits
}

// foundPassage is a passage and the hit it was read for.
type foundPassage struct {
	Passage
	hit rank.Hit
}

// readPassages returns the passages of hits, in the same order. Each document is opened once
// and read forward, which takes few requests to an S3 store.
func (l *Library) readPassages(ctx context.Context, files []parley.File, hits []rank.Hit) ([]foundPassage, error) {
	all := make([]foundPassage, len(hits))
	byFile := make([][]*foundPassage, len(files))
	for i, hit := range hits {
		all[i] = foundPassage{newPassage(files[hit.Index], "", false), hit}
		byFile[hit.Index] = append(byFile[hit.Index], &all[i])
	}
	for i, file := range files {
		slices.SortFunc(byFile[i], func(a, b *foundPassage) int {
			return cmp.Compare(a.hit.Span.Start, b.hit.Span.Start)
		})
		if err := l.readTexts(ctx, file.FileID, byFile[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readTexts reads the texts of passages of one document. They stay empty if the document
// has been deleted.
func (l *Library) readTexts(ctx context.Context, fileID string, passages []*foundPassage) error {
	if len(passages) == 0 {
		return nil
	}
	r, err := l.blobs.Get(ctx, fileID+textSuffix)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	for _, p := range passages {
		if _, err := r.Seek(int64(p.hit.Span.Start), io.SeekStart); err != nil {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(r, int64(p.hit.Span.End-p.hit.Span.Start)))
		if err != nil {
			return err
		}
		p.Text = strings.ToValidUTF8(string(text), "")
	}
	return nil
}

// selectPassages returns the first passages that fit the budget, in document order.
func selectPassages(all []foundPassage, budget int) []Passage {
	var selected []foundPassage
	for _, p := range all {
		if p.Text == "" {
			continue
		}
		if budget -= p.tokens(); budget < 0 {
			break
		}
		selected = append(selected, p)
	}
	slices.SortFunc(selected, func(a, b foundPassage) int {
		return cmp.Or(cmp.Compare(a.hit.Index, b.hit.Index), cmp.Compare(a.hit.Part, b.hit.Part))
	})
	var passages []Passage
	for _, p := range selected {
		passages = append(passages, p.Passage)
	}
	return passages
}
