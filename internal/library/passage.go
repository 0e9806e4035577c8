package library

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"parley/internal/blob"
	"parley/internal/extract/prose"
	"parley/internal/rank"
)

// minPassageTokens bounds the number of passages for a token budget.
const minPassageTokens = 50

// bestPassages selects the passages that fit the question best, in document order. If none
// matches it returns the beginning of each document.
func (s *selection) bestPassages(ctx context.Context, question Question, budget int) (Material, error) {
	most := max(1, budget/minPassageTokens)
	hits, err := s.search(ctx, question.query(), most)
	if err != nil {
		return Material{}, err
	}
	if nearest := s.nearest(ctx, question, most); len(nearest) > 0 {
		hits = rank.Fuse(most, hits, nearest)
	}
	if len(hits) == 0 {
		for i := range s.files {
			hits = append(hits, rank.Hit{Index: i, Span: rank.Span{End: passageSize}})
		}
	}
	found, err := s.readPassages(ctx, limitHits(hits, budget))
	if err != nil {
		return Material{}, err
	}
	return Material{Passages: s.selectPassages(found, budget)}, nil
}

// search returns the n best hits in all documents. It reads their indexes twice, one at a
// time: the weight of a word depends on all of them.
func (s *selection) search(ctx context.Context, query rank.Query, n int) ([]rank.Hit, error) {
	searcher := rank.NewSearcher(query, n)
	matches := make([]rank.Matches, len(s.files))
	for i, file := range s.files {
		err := s.indexes.use(ctx, i, func(x index) (err error) {
			matches[i], err = searcher.Count(x.words)
			return err
		})
		if err := s.failures.add(ctx, file, err); err != nil {
			return nil, err
		}
	}
	for i, file := range s.files {
		if len(matches[i]) == 0 {
			continue
		}
		err := s.indexes.use(ctx, i, func(x index) error { return searcher.Rank(i, x.words, matches[i]) })
		if err := s.failures.add(ctx, file, err); err != nil {
			return nil, err
		}
	}
	return searcher.Hits(), ctx.Err()
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
func (s *selection) readPassages(ctx context.Context, hits []rank.Hit) ([]foundPassage, error) {
	all := make([]foundPassage, len(hits))
	byFile := make([][]*foundPassage, len(s.files))
	for i, hit := range hits {
		all[i] = foundPassage{newPassage(s.files[hit.Index], "", false), hit}
		all[i].Offset = int64(hit.Span.Start)
		byFile[hit.Index] = append(byFile[hit.Index], &all[i])
	}
	for i, passages := range byFile {
		if len(passages) == 0 {
			continue
		}
		slices.SortFunc(passages, func(a, b *foundPassage) int {
			return cmp.Compare(a.hit.Span.Start, b.hit.Span.Start)
		})
		anchors, err := s.readAnchors(ctx, i)
		if err != nil {
			return nil, err
		}
		err = s.readTexts(ctx, s.files[i].FileID, passages, anchors)
		if err := s.failures.add(ctx, s.files[i], err); err != nil {
			return nil, err
		}
		for _, p := range passages {
			p.Anchor = anchors.At(p.hit.Span.Start)
		}
	}
	return all, nil
}

// readTexts reads the texts of passages of one document, and the header rows of their sheets.
// They stay empty if the document has been deleted.
func (l *Library) readTexts(
	ctx context.Context, fileID string, passages []*foundPassage, anchors prose.Anchors,
) error {
	r, err := l.blobs.Get(ctx, fileID+textSuffix)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	headers := newSheetHeaders(r, anchors)
	for _, p := range passages {
		header, err := headers.before(p.hit.Span.Start)
		if err != nil {
			return err
		}
		if _, err := r.Seek(int64(p.hit.Span.Start), io.SeekStart); err != nil {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(r, int64(p.hit.Span.End-p.hit.Span.Start)))
		if err != nil {
			return err
		}
		p.Text = strings.ToValidUTF8(string(text), "")
		p.setHeader(header)
	}
	return nil
}

// selectPassages returns the first passages that fit the budget, in document order. The
// first of each document has the document's notes.
func (s *selection) selectPassages(all []foundPassage, budget int) []Passage {
	var selected []foundPassage
	noted := make([]bool, len(s.files))
	for _, p := range all {
		if p.Text == "" {
			continue
		}
		budget -= p.tokens()
		if !noted[p.hit.Index] {
			noted[p.hit.Index] = true
			budget -= notesTokens(s.files[p.hit.Index].Notes)
		}
		if budget < 0 {
			break
		}
		selected = append(selected, p)
	}
	slices.SortFunc(selected, func(a, b foundPassage) int {
		return cmp.Or(cmp.Compare(a.hit.Index, b.hit.Index), cmp.Compare(a.hit.Part, b.hit.Part))
	})
	var passages []Passage
	for i, p := range selected {
		if i == 0 || selected[i-1].hit.Index != p.hit.Index {
			p.Notes = s.files[p.hit.Index].Notes
		}
		passages = append(passages, p.Passage)
	}
	return passages
}
