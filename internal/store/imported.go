package store

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
)

// ImportedSession is a session to store with all its messages. Questions and replies take turns.
type ImportedSession struct {
	ID        string
	Title     string
	CreatedAt time.Time
	Archived  bool
	// Digest identifies the conversation that it was.
	Digest   string
	Messages []ImportedMessage
}

// ImportedMessage is a message of an imported session. At is not before that of the message before it.
type ImportedMessage struct {
	ID, Role, Content, Status string
	At                        time.Time
	Details                   parley.Details
}

// HasImported reports whether the user has a session that was imported from the conversation with a digest.
func (s *Store) HasImported(ctx context.Context, userID int64, digest string) (bool, error) {
	found, err := db.ReadOne[int](ctx, s.db,
		`SELECT count(*) FROM import_sources WHERE user_id = $1 AND digest = $2`, userID, digest)
	if err != nil {
		return false, fmt.Errorf("find imported session: %w", err)
	}
	return found > 0, nil
}

// AddImported stores a session of an import and the import's progress, both or nothing. It returns ErrImportLost,
// parley.ErrBadToken if the account was deleted, and parley.ErrImportedBefore if the conversation was imported already.
func (s *Store) AddImported(ctx context.Context, i *OpenImport, p ImportProgress, session ImportedSession) error {
	count := int64(len(session.Messages))
	last := micros(session.Messages[count-1].At)
	// Like all transactions this one locks the account first.
	steps := []db.Step{
		db.Require(parley.ErrBadToken, `
			UPDATE users SET session_count = session_count + 1, archived_count = archived_count + $2 WHERE id = $1`,
			i.UserID, stored(session.Archived)),
	}
	steps = append(steps, progressSteps(*i, p, 1, count)...)
	steps = append(steps,
		db.Do(`
			INSERT INTO sessions (user_id, id, title, message_count, last_message_at, active_at, created_at, archived)
			VALUES ($1, $2, $3, $4, $5, $5, $6, $7)`,
			i.UserID, session.ID, session.Title, count, last, micros(session.CreatedAt), stored(session.Archived)),
		db.Insert(parley.ErrImportedBefore,
			`INSERT INTO import_sources (user_id, digest, session_id) VALUES ($1, $2, $3)`,
			i.UserID, session.Digest, session.ID))
	for n, m := range session.Messages {
		details, err := encodeDetails(m.Details)
		if err != nil {
			return fmt.Errorf("add imported session: %w", err)
		}
		steps = append(steps, db.Do(`
			INSERT INTO messages (user_id, session_id, number, id, role, content, status, details, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			i.UserID, session.ID, n+1, m.ID, m.Role, m.Content, m.Status, details, micros(m.At)))
	}
	if session.Title != "" {
		steps = append(steps, search.Enqueue(i.UserID, session.ID, search.TitleNumber))
	}
	steps = append(steps, search.EnqueueSelected(`
		SELECT m.user_id, m.session_id, `+search.MessageNumberOf(`m`)+`, 0 FROM messages m
		WHERE m.user_id = $1 AND m.session_id = $2`, i.UserID, session.ID))
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("add imported session: %w", err)
	}
	i.advance(p)
	s.search.Wake()
	return nil
}

// IsIndexing reports whether more than limit of the user's texts wait for the search index. Each search reads those.
func (s *Store) IsIndexing(ctx context.Context, userID int64, limit int) (bool, error) {
	waiting, err := db.ReadOne[int](ctx, s.db, `
		SELECT count(*) FROM (
		    SELECT 1 FROM search_queue WHERE user_id = $1 LIMIT CAST($2 AS BIGINT)) waiting`, userID, limit+1)
	if err != nil {
		return false, fmt.Errorf("count texts to index: %w", err)
	}
	return waiting > limit, nil
}
