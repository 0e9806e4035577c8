package store

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/db"
	"parley/internal/search"
)

// Who gave a session its title.
const (
	titleByUser  = "user"
	titleByText  = "text" // it was made from the first question
	titleByModel = "model"
)

// givenBy returns who gave a title. Nobody gave an empty one.
func givenBy(title, giver string) string {
	if title == "" {
		return ""
	}
	return giver
}

// titleFromText is the SQL condition that the title of session s was made from text, that the visible messages begin
// with question $3, and that the session is not temporary: no model is asked for the title of one.
var titleFromText = `s.title_by = 'text' AND s.temporary = 0 AND EXISTS (
		    SELECT 1 FROM messages m
		    WHERE m.user_id = $1 AND m.session_id = $2 AND m.number = 1 AND m.id = $3 AND ` + isVisible(`$1`) + `)`

// errTitled is returned if the title of a session is not to be replaced.
var errTitled = errors.New("the session has another title")

// TitleFromText reports whether the title of a turn's session was made from text, and the turn is the first one.
func (s *Store) TitleFromText(ctx context.Context, t Turn) (bool, error) {
	found, err := db.ReadOne[int64](ctx, s.db,
		`SELECT count(*) FROM sessions s WHERE s.user_id = $1 AND s.id = $2 AND `+titleFromText,
		t.UserID, t.SessionID, t.QuestionID)
	if err != nil {
		return false, fmt.Errorf("find a title: %w", err)
	}
	return found > 0, nil
}

// SetModelTitle replaces a title if TitleFromText reports true for it, and reports whether it did. It changes nothing
// if the user has given a title, or has edited, cleared or deleted the session.
func (s *Store) SetModelTitle(ctx context.Context, t Turn, title string) (bool, error) {
	err := s.db.Change(ctx,
		s.lockSession(t.UserID, t.SessionID, errTitled),
		db.Require(errTitled, `
			UPDATE sessions AS s SET title = $4, title_by = $5 WHERE s.user_id = $1 AND s.id = $2 AND `+titleFromText,
			t.UserID, t.SessionID, t.QuestionID, title, titleByModel),
		search.EnqueueStale(t.UserID, t.SessionID, search.TitleNumber))
	if errors.Is(err, errTitled) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("set a title: %w", err)
	}
	s.search.Wake()
	return true, nil
}
