package store

import (
	"context"
	"fmt"
	"io"

	"parley"
	"parley/internal/search"
)

// Query selects the texts that a search looks at.
type Query = search.Query

// SearchCursor is where to read on in what a search has found.
type SearchCursor = search.Cursor

// ParseSearchCursor parses a cursor, and reports whether it is one.
func ParseSearchCursor(text string) (SearchCursor, bool) { return search.ParseCursor(text) }

// Documents reads the texts of documents, which are not in the database.
type Documents = search.Documents

// Section is a part of a document's text.
type Section = search.Section

// ReadSection reads a section of a document's text. It is empty past the end.
func ReadSection(text io.ReadSeeker, section int64) (Section, error) {
	return search.ReadSection(text, section)
}

// Search returns a page of the titles, messages and files of a user that contain the
// keyword, newest first, or of the sessions with them. It returns parley.ErrOverloaded if the user has too
// many searches running.
func (s *Store) Search(
	ctx context.Context, userID int64, query Query, page parley.Page, documents Documents,
) (parley.SearchOutput, error) {
	if err := s.searches.Acquire(ctx, userID); err != nil {
		return parley.SearchOutput{}, fmt.Errorf("search: %w", err)
	}
	defer s.searches.Release(userID)
	return s.search.Search(ctx, userID, query, page, documents)
}
