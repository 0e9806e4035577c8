package chat

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/casefold"
	"parley/internal/id"
	"parley/internal/store"
)

// Search returns a page of the titles, messages and files that contain a text, newest first, or of the
// sessions with them.
func (s *Service) Search(
	ctx context.Context, userID int64, in parley.Search, page parley.Page,
) (parley.SearchOutput, error) {
	query, err := newQuery(in)
	if err != nil {
		return parley.SearchOutput{}, err
	}
	if in.SessionID != "" {
		if !id.Valid(in.SessionID) {
			return parley.SearchOutput{}, parley.ErrNoSuchSession
		}
		if _, err := s.store.Session(ctx, userID, in.SessionID); err != nil {
			return parley.SearchOutput{}, err
		}
	}
	return s.store.Search(ctx, userID, query, page.Clamp(), s.library.ReadableDocuments())
}

func newQuery(in parley.Search) (store.Query, error) {
	if strings.TrimSpace(in.Text) == "" {
		return store.Query{}, parley.Invalid("q must not be blank")
	}
	for _, kind := range in.In {
		if kind != "titles" && kind != "messages" && kind != "files" {
			return store.Query{}, parley.Invalid("in must be a list of titles, messages and files")
		}
	}
	if in.From > 0 && in.To > 0 && in.From > in.To {
		return store.Query{}, parley.Invalid("from must not be after to")
	}
	after, ok := store.ParseSearchCursor(in.After)
	if in.After != "" && !ok {
		return store.Query{}, parley.Invalid("after must be next of a page")
	}
	from, to := microseconds(in.From, in.To)
	all := len(in.In) == 0
	return store.Query{
		Keyword:  newKeyword(in.Text),
		Session:  in.SessionID,
		Titles:   all || slices.Contains(in.In, "titles"),
		Messages: all || slices.Contains(in.In, "messages"),
		Files:    all || slices.Contains(in.In, "files"),
		From:     from,
		To:       to,
		After:    after,
		Grouped:  in.Grouped,
	}, nil
}

// microseconds returns the first and the last microsecond of a time in seconds. A last second of 0 is no limit.
func microseconds(from, to int64) (first, last int64) {
	const most = 253_402_300_799 // the end of the year 9999
	first = min(from, most) * 1_000_000
	if to > 0 {
		last = min(to, most)*1_000_000 + 999_999
	}
	return first, last
}

// newKeyword returns the keyword for a text. A session without a title is found by the one it
// is shown with.
func newKeyword(text string) store.Keyword {
	key := casefold.Key(text)
	return store.Keyword{Key: key, Untitled: strings.Contains(casefold.Key(parley.DefaultTitle), key)}
}
