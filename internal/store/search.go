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

// Documents reads the texts of documents, which are not in the database.
type Documents = search.Documents

// Section is a part of a document's text.
type Section = search.Section

// ReadSection reads a section of a document's text. It is empty past the end.
func ReadSection(text io.ReadSeeker, section int64) (Section, error) {
	return search.ReadSection(text, section)
}

// Search returns a page of the titles, messages and files of a user that contain the
// keyword, newest first, and their total. It returns parley.ErrOverloaded if the user has too
// many searches running.
func (s *Store) Search(
	ctx context.Context, userID int64, query Query, page parley.Page, documents Documents,
) ([]parley.Hit, int64, error) {
	if err := s.searches.Acquire(ctx, userID); err != nil {
		return nil, 0, fmt.Errorf("search: %w", err)
	}
	defer s.searches.Release(userID)
	return s.search.Search(ctx, userID, query, page, documents)
}
