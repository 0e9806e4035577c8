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

// Search returns a page of the titles, messages and files that contain a text, newest first.
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
	var out parley.SearchOutput
	out.Hits, out.Total, err = s.store.Search(ctx, userID, query, page.Clamp(), s.library.ReadableDocuments())
	return out, err
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
	all := len(in.In) == 0
	return store.Query{
		Keyword:  newKeyword(in.Text),
		Session:  in.SessionID,
		Titles:   all || slices.Contains(in.In, "titles"),
		Messages: all || slices.Contains(in.In, "messages"),
		Files:    all || slices.Contains(in.In, "files"),
	}, nil
}

// newKeyword returns the keyword for a text. A session without a title is found by the one it
// is shown with.
func newKeyword(text string) store.Keyword {
	key := casefold.Key(text)
	return store.Keyword{Key: key, Untitled: strings.Contains(casefold.Key(parley.DefaultTitle), key)}
}
