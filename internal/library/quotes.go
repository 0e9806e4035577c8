package library

import (
	"context"
	"errors"
	"io"

	"parley"
	"parley/internal/blob"
	"parley/internal/library/quote"
)

// maxQuoteText is how much text is read to look for quotes, in bytes. If the files have more, a
// quote that was not found may still be there.
const maxQuoteText = 8 << 20

// FindQuotes looks for quotes in the texts of documents, and beyond maxQuoteText in the passages
// that have their words. It reports whether it has read all texts, or has found all quotes.
func (l *Library) FindQuotes(
	ctx context.Context, files []parley.File, search *quote.Search,
) (complete bool, err error) {
	left := int64(maxQuoteText)
	for _, file := range files {
		if search.Done() {
			return true, nil
		}
		read, err := l.scanText(ctx, file, search, left)
		if err != nil {
			return false, err
		}
		if left -= read; left <= 0 {
			return l.findQuotesByWords(ctx, files, search)
		}
	}
	return true, ctx.Err()
}

// findQuotesByWords looks for the quotes in the passages that have their words. That they were
// not found proves nothing.
func (l *Library) findQuotesByWords(
	ctx context.Context, files []parley.File, search *quote.Search,
) (found bool, err error) {
	for _, file := range files {
		text, err := l.openText(ctx, file)
		if errors.Is(err, parley.ErrNoSuchFile) {
			continue
		}
		if err != nil {
			return false, err
		}
		for _, wanted := range search.Texts() {
			span, failed := text.find(ctx, TextQuery{Find: wanted})
			if err = failed; err != nil {
				break
			}
			piece, failed := text.read(span.start, span.start+span.length)
			if err = failed; err != nil {
				break
			}
			if err = search.Add(ctx, string(piece)); err != nil {
				break
			}
		}
		text.r.Close() //nolint:errcheck // it was only read
		if err != nil || search.Done() {
			return search.Done(), err
		}
	}
	return false, nil
}

// scanText looks for quotes in up to limit bytes of a document's text.
func (l *Library) scanText(
	ctx context.Context, file parley.File, search *quote.Search, limit int64,
) (int64, error) {
	r, err := l.blobs.Get(ctx, file.FileID+textSuffix)
	if errors.Is(err, blob.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	return search.Read(ctx, io.LimitReader(r, limit))
}
