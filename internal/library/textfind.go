package library

import (
	"context"

	"parley/internal/library/quote"
	"parley/internal/rank"
)

const (
	// findPassages is how many passages of a document are read to find a piece of its text, and
	// findAround how many bytes before and after each: a piece may begin in one and end in the next.
	findPassages = 8
	findAround   = 2 * passageSize
)

// find looks for a piece of the text: at the query's offset, then in the passages that have its
// words. Its length is 0 if it was not found.
func (t *fileText) find(ctx context.Context, query TextQuery) (textSpan, error) {
	length := int64(len(query.Find))
	if found, err := t.locate(query.Find, query.At, query.At+2*length); err != nil || found.length > 0 {
		return found, err
	}
	hits, err := t.search(ctx, query.Find)
	for _, hit := range hits {
		if err != nil {
			break
		}
		start := int64(hit.Span.Start)
		found, failed := t.locate(query.Find, max(0, start-findAround), start+passageSize+findAround+length)
		if failed != nil || found.length > 0 {
			return found, failed
		}
	}
	return textSpan{}, err
}

// search returns the passages that have most of the words of a piece of text. A damaged index
// has none.
func (t *fileText) search(ctx context.Context, piece string) (hits []rank.Hit, err error) {
	err = t.indexes.use(ctx, 0, func(x index) error {
		searcher := rank.NewSearcher(rank.NewQuery(piece), findPassages)
		matches, err := searcher.Count(x.words)
		if err != nil {
			return err
		}
		err = searcher.Rank(0, x.words, matches)
		hits = searcher.Hits()
		return err
	})
	if isDamaged(err) {
		return nil, nil
	}
	return hits, err
}

// locate looks for a piece of text between two offsets.
func (t *fileText) locate(piece string, start, end int64) (textSpan, error) {
	text, err := t.read(start, end)
	if err != nil {
		return textSpan{}, err
	}
	first, last, found := quote.Locate(string(text), piece)
	if !found {
		return textSpan{}, nil
	}
	return textSpan{start + int64(first), int64(last - first)}, nil
}
