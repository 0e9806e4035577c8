package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
)

// NewPrompt is a prompt of a user to store.
type NewPrompt struct {
	UserID int64
	ID     string
	Name   string
	Text   string
	Shared bool
	Now    time.Time
	// MaxPrompts is how many prompts the user may have.
	MaxPrompts int64
}

// AddPrompt stores a prompt. It returns parley.ErrTooManyPrompts if the user has as many as allowed, and
// parley.ErrBadToken if the account was deleted meanwhile.
func (s *Store) AddPrompt(ctx context.Context, p NewPrompt) error {
	err := s.db.Change(ctx,
		// The user is locked. Otherwise two prompts could exceed the limit together.
		db.Require(parley.ErrBadToken, `SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), p.UserID).Into(new(int)),
		db.Require(parley.ErrTooManyPrompts, `
			SELECT 1 WHERE (SELECT count(*) FROM prompts WHERE user_id = $1) < CAST($2 AS BIGINT)`,
			p.UserID, p.MaxPrompts).Into(new(int)),
		db.Do(`INSERT INTO prompts (user_id, id, name, text, shared, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			p.UserID, p.ID, p.Name, p.Text, stored(p.Shared), micros(p.Now)))
	if err != nil {
		return fmt.Errorf("add prompt: %w", err)
	}
	return nil
}

// PromptChange holds the fields of a prompt to change. Those that are nil stay the same.
type PromptChange struct {
	Name   *string
	Text   *string
	Shared *bool
}

// UpdatePrompt changes a user's prompt, or returns parley.ErrNoSuchPrompt.
func (s *Store) UpdatePrompt(ctx context.Context, userID int64, promptID string, change PromptChange) error {
	err := s.db.Change(ctx, db.Require(parley.ErrNoSuchPrompt, `
		UPDATE prompts SET name = COALESCE($3, name), text = COALESCE($4, text), shared = COALESCE($5, shared)
		WHERE user_id = $1 AND id = $2`, userID, promptID, change.Name, change.Text, storedIf(change.Shared)))
	if err != nil {
		return fmt.Errorf("update prompt: %w", err)
	}
	return nil
}

// DeletePrompt deletes a user's prompt, or returns parley.ErrNoSuchPrompt.
func (s *Store) DeletePrompt(ctx context.Context, userID int64, promptID string) error {
	err := s.db.Change(ctx, db.Require(parley.ErrNoSuchPrompt,
		`DELETE FROM prompts WHERE user_id = $1 AND id = $2`, userID, promptID))
	if err != nil {
		return fmt.Errorf("delete prompt: %w", err)
	}
	return nil
}

// promptRows is how many prompts are read at once. A batch also ends when it has MaxBatch bytes of text.
const promptRows = 50

// promptColumns are the columns of a parley.Prompt of user u.
const promptColumns = `p.id, p.name, p.text, p.shared * u.admin, p.created_at`

// Prompts returns a user's own prompts, newest first. If after is not nil, it returns those that follow it. more is
// set if others follow.
func (s *Store) Prompts(
	ctx context.Context, userID int64, after *parley.Prompt,
) (prompts []parley.Prompt, more bool, err error) {
	return s.prompts(ctx, true, promptRows, `
		SELECT `+promptColumns+` FROM prompts p JOIN users u ON u.id = p.user_id
		WHERE p.user_id = $1 AND u.id = $1 AND p.id < $2 ORDER BY p.id DESC LIMIT CAST($3 AS BIGINT)`,
		userID, after)
}

// SharedPrompts returns up to limit prompts that administrators other than the user offer to all, like Prompts.
func (s *Store) SharedPrompts(
	ctx context.Context, userID int64, after *parley.Prompt, limit int64,
) (prompts []parley.Prompt, more bool, err error) {
	return s.prompts(ctx, false, min(limit, promptRows), `
		SELECT `+promptColumns+` FROM prompts p JOIN users u ON u.id = p.user_id
		WHERE p.shared = 1 AND u.admin = 1 AND u.disabled_at = 0 AND p.user_id <> $1 AND p.id < $2
		ORDER BY p.id DESC LIMIT CAST($3 AS BIGINT)`, userID, after)
}

func (s *Store) prompts(
	ctx context.Context, own bool, limit int64, query string, userID int64, after *parley.Prompt,
) (prompts []parley.Prompt, more bool, err error) {
	last := "~" // behind all ids
	if after != nil {
		last = after.PromptID
	}
	var batch batch
	prompts, err = db.ReadList(ctx, s.db, func(rows *sql.Rows) (p parley.Prompt, err error) {
		var shared int64
		err = rows.Scan(&p.PromptID, &p.Name, &p.Text, &shared, &p.CreatedAt)
		if err == nil && !batch.add(len(p.Text)) {
			err = db.ErrStop
		}
		p.Own, p.Shared, p.CreatedAt = own, shared == 1, seconds(p.CreatedAt)
		return p, err
	}, query, userID, last, limit)
	if err != nil {
		return nil, false, fmt.Errorf("list prompts: %w", err)
	}
	return prompts, len(prompts) > 0 && (int64(len(prompts)) == limit || batch.rows > len(prompts)), nil
}
