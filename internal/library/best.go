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

// minPassageTokens bounds how many passages can fit a budget.
const minPassageTokens = 50

// best chooses passages by how well they fit the question, and gives them in document
// order. Where nothing fits it gives the beginning of each document.
func (l *Library) best(ctx context.Context, files []parley.File, question string, budget int) (Material, error) {
	indexes := make([]*rank.Index, len(files))
	anchors := make([]extract.Anchors, len(files))
	for i, file := range files {
		data, err := l.blob(ctx, file.FileID+indexSuffix, 0)
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
	found, err := l.read(ctx, files, affordable(hits, budget))
	if err != nil {
		return Material{}, err
	}
	for i, p := range found {
		found[i].Anchor = anchors[p.hit.Index].At(p.hit.Span.Start)
	}
	return Material{Passages: choose(found, budget), Omitted: true}, nil
}

// affordable leaves out the hits that no budget of tokens can reach, however few a text takes.
func affordable(hits []rank.Hit, budget int) []rank.Hit {
	room := budget * maxTokenBytes
	for i, hit := range hits {
		if room -= hit.Span.End - hit.Span.Start; room < 0 {
			return hits[:i]
		}
	}
	return hits
}

// found is a passage, and where it was found.
type found struct {
	Passage
	hit rank.Hit
}

// read gives the passages that hits stand for, in their order. Each document is opened
// once and read forward, which asks little of a store far away.
func (l *Library) read(ctx context.Context, files []parley.File, hits []rank.Hit) ([]found, error) {
	all := make([]found, len(hits))
	of := make([][]*found, len(files))
	for i, hit := range hits {
		all[i] = found{newPassage(files[hit.Index], "", false), hit}
		of[hit.Index] = append(of[hit.Index], &all[i])
	}
	for i, file := range files {
		slices.SortFunc(of[i], func(a, b *found) int { return cmp.Compare(a.hit.Span.Start, b.hit.Span.Start) })
		if err := l.fill(ctx, file.FileID, of[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fill reads the texts of passages of one document. They stay empty where the document
// was deleted meanwhile.
func (l *Library) fill(ctx context.Context, fileID string, passages []*found) error {
	if len(passages) == 0 {
		return nil
	}
	r, err := l.Blobs.Get(ctx, fileID+textSuffix)
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

// choose takes the first passages that fit the budget, and gives them in document order.
func choose(all []found, budget int) []Passage {
	var taken []found
	for _, p := range all {
		if p.Text == "" {
			continue
		}
		if budget -= p.tokens(); budget < 0 {
			break
		}
		taken = append(taken, p)
	}
	slices.SortFunc(taken, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.hit.Index, b.hit.Index), cmp.Compare(a.hit.Part, b.hit.Part))
	})
	var passages []Passage
	for _, p := range taken {
		passages = append(passages, p.Passage)
	}
	return passages
}
