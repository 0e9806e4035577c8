package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
)

// NewShare is a share to store. Parts are its messages in a form that the caller chooses.
type NewShare struct {
	ID        string
	UserID    int64
	SessionID string
	Title     string
	Messages  int64
	Thinking  bool
	Parts     [][]byte
	Now       time.Time
	// Expires is zero if the share has no end.
	Expires time.Time
	// MaxShares is how many shares the user may have.
	MaxShares int64
}

// shareMessages is how many messages ReadSession reads at once.
const shareMessages = 50

// ReadSession calls begin with a session and each with each of its visible messages, oldest first, all of one state
// of the database. If a reply is being generated, a message has what was stored before. It returns
// parley.ErrNoSuchSession if the session is not the user's, and the error of begin or each. It may begin again.
func (s *Store) ReadSession(
	ctx context.Context, userID int64, sessionID string, begin func(SessionHead) error, each func(parley.Message) error,
) error {
	if err := s.searches.Acquire(ctx, userID); err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	defer s.searches.Release(userID)
	err := s.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) error {
		var head SessionHead
		row := q.QueryRowContext(ctx, `
			SELECT title, message_count, created_at FROM sessions WHERE user_id = $1 AND id = $2`, userID, sessionID)
		if err := row.Scan(&head.Title, &head.MessageCount, &head.CreatedAt); errors.Is(err, sql.ErrNoRows) {
			return parley.ErrNoSuchSession
		} else if err != nil {
			return err
		}
		head.CreatedAt = seconds(head.CreatedAt)
		if err := begin(head); err != nil {
			return err
		}
		for after := int64(0); after < head.MessageCount; after += shareMessages {
			if err := readRange(ctx, q, userID, sessionID, after, each); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	return nil
}

func readRange(
	ctx context.Context, q db.Querier, userID int64, sessionID string, after int64, each func(parley.Message) error,
) error {
	return db.Each(ctx, q, func(rows *sql.Rows) error {
		var m parley.Message
		var details string
		err := rows.Scan(&m.ID, &m.Role, &m.Content, &m.Status, &details, &m.Timestamp, &m.IsFavorited,
			&m.Rating)
		if err != nil {
			return err
		}
		m.Timestamp = seconds(m.Timestamp)
		if err := setDetails(&m, details); err != nil {
			return err
		}
		return each(m)
	}, `
		SELECT m.id, m.role, m.content, m.status, m.details, m.created_at, `+isFavorite+`, m.rating
		FROM sessions s
		JOIN messages m ON m.user_id = $2 AND m.session_id = $1 AND m.number > $3 AND m.number <= $4
		    AND `+isVisible(`$2`)+`
		WHERE s.user_id = $2 AND s.id = $1
		ORDER BY m.number`, sessionID, userID, after, after+shareMessages)
}

// AddShare stores a share. It returns parley.ErrNoSuchSession if the session is not the user's,
// parley.ErrTemporaryShare if it is temporary, and parley.ErrTooManyShares if the user has as many as allowed.
func (s *Store) AddShare(ctx context.Context, share NewShare) error {
	expires, thinking := int64(0), 0
	if !share.Expires.IsZero() {
		expires = micros(share.Expires)
	}
	if share.Thinking {
		thinking = 1
	}
	steps := []db.Step{
		s.lockSession(share.UserID, share.SessionID, parley.ErrNoSuchSession),
		requireLasting(parley.ErrTemporaryShare, share.UserID, share.SessionID),
		// The user is locked. Otherwise two shares could exceed the limit together.
		db.Require(parley.ErrNoSuchSession, `SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(),
			share.UserID).Into(new(int)),
		db.Require(parley.ErrTooManyShares, `
			SELECT 1 WHERE (SELECT count(*) FROM shares WHERE user_id = $1 AND (expires_at = 0 OR expires_at > $2))
			    < CAST($3 AS BIGINT)`, share.UserID, micros(share.Now), share.MaxShares).Into(new(int)),
		db.Do(`
			INSERT INTO shares
			    (user_id, id, session_id, title, message_count, parts, thinking, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			share.UserID, share.ID, share.SessionID, share.Title, share.Messages, len(share.Parts), thinking,
			micros(share.Now), expires),
		db.Do(`INSERT INTO share_links (id, user_id) VALUES ($1, $2)`, share.ID, share.UserID),
	}
	for number, part := range share.Parts {
		steps = append(steps, db.Do(`INSERT INTO share_parts (user_id, share_id, part, data) VALUES ($1, $2, $3, $4)`,
			share.UserID, share.ID, number, part))
	}
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("add share: %w", err)
	}
	return nil
}

// Share is a stored share without its messages.
type Share struct {
	UserID  int64
	Parts   int64
	expires int64 // in microseconds
	parley.Share
}

// shareColumns are the columns of a Share.
const shareColumns = `
	s.user_id, s.parts, s.id, s.session_id, s.title, s.message_count, s.thinking, s.created_at, s.expires_at`

func scanShare(row interface{ Scan(...any) error }) (share Share, err error) {
	err = row.Scan(&share.UserID, &share.Parts, &share.ShareID, &share.SessionID, &share.Title, &share.MessageCount,
		&share.Thinking, &share.CreatedAt, &share.expires)
	share.CreatedAt, share.ExpiresAt = seconds(share.CreatedAt), seconds(share.expires)
	return share, err
}

// Shares returns a user's shares that have not expired, newest first.
func (s *Store) Shares(ctx context.Context, userID int64, now time.Time) ([]parley.Share, error) {
	shares, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (parley.Share, error) {
		share, err := scanShare(rows)
		return share.Share, err
	}, `
		SELECT `+shareColumns+` FROM shares s WHERE s.user_id = $1 AND (s.expires_at = 0 OR s.expires_at > $2)
		ORDER BY s.created_at DESC, s.id DESC`, userID, micros(now))
	if err != nil {
		return nil, fmt.Errorf("list shares: %w", err)
	}
	return shares, nil
}

// FindShare returns the share with an id, or parley.ErrNoSuchShare if there is none, if it has expired or if its
// user is disabled.
func (s *Store) FindShare(ctx context.Context, id string, now time.Time) (Share, error) {
	var share Share
	userID, err := db.ReadOne[int64](ctx, s.db, `SELECT user_id FROM share_links WHERE id = $1`, id)
	if err == nil {
		err = s.db.ReadRow(ctx, func(row *sql.Row) (err error) {
			share, err = scanShare(row)
			return err
		}, `
			SELECT `+shareColumns+` FROM shares s JOIN users u ON u.id = s.user_id
			WHERE s.user_id = $1 AND s.id = $2 AND u.disabled_at = 0`, userID, id)
	}
	if errors.Is(err, sql.ErrNoRows) || err == nil && hasExpired(share.expires, now) {
		return Share{}, parley.ErrNoSuchShare
	}
	if err != nil {
		return share, fmt.Errorf("find share: %w", err)
	}
	return share, nil
}

// SharePart returns a part of a share, or parley.ErrNoSuchShare.
func (s *Store) SharePart(ctx context.Context, userID int64, id string, part int64) ([]byte, error) {
	data, err := db.ReadOne[[]byte](ctx, s.db,
		`SELECT data FROM share_parts WHERE user_id = $1 AND share_id = $2 AND part = $3`, userID, id, part)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, parley.ErrNoSuchShare
	}
	if err != nil {
		return nil, fmt.Errorf("read share: %w", err)
	}
	return data, nil
}

// DeleteShare deletes a user's share, or returns parley.ErrNoSuchShare.
func (s *Store) DeleteShare(ctx context.Context, userID int64, id string) error {
	err := s.db.Change(ctx, deleteShares(parley.ErrNoSuchShare, `user_id = $1 AND id = $2`, userID, id)...)
	if err != nil {
		return fmt.Errorf("delete share: %w", err)
	}
	return nil
}

// deleteShares deletes the shares that meet a condition and returns missing, unless it is nil, if there are none.
// SweepShares removes their links, which lead nowhere until then.
func deleteShares(missing error, condition string, args ...any) []db.Step {
	return []db.Step{
		db.Do(`INSERT INTO ended_shares (user_id, id)
			SELECT user_id, id FROM shares WHERE `+condition+` ON CONFLICT (user_id, id) DO NOTHING`, args...),
		db.Require(missing, `DELETE FROM shares WHERE `+condition, args...),
	}
}

// SweepShares deletes up to limit shares that have expired, and the links of up to limit shares that are gone. It
// reports whether there may be more.
func (s *Store) SweepShares(ctx context.Context, now time.Time, limit int) (more bool, err error) {
	expired, err := s.listShares(ctx, `
		SELECT user_id, id FROM shares WHERE expires_at > 0 AND expires_at <= $1
		ORDER BY expires_at LIMIT CAST($2 AS BIGINT)`,
		micros(now), limit)
	if err != nil {
		return false, fmt.Errorf("list expired shares: %w", err)
	}
	for _, share := range expired {
		err := s.db.Change(ctx, deleteShares(nil, `user_id = $1 AND id = $2`, share.userID, share.id)...)
		if err != nil {
			return false, fmt.Errorf("delete expired share: %w", err)
		}
	}
	ended, err := s.listShares(ctx,
		`SELECT user_id, id FROM ended_shares ORDER BY user_id, id LIMIT CAST($1 AS BIGINT)`, limit)
	if err != nil {
		return false, fmt.Errorf("list ended shares: %w", err)
	}
	for _, share := range ended {
		err := s.db.Change(ctx,
			db.Do(`DELETE FROM share_links WHERE id = $1`, share.id),
			db.Do(`DELETE FROM ended_shares WHERE user_id = $1 AND id = $2`, share.userID, share.id))
		if err != nil {
			return false, fmt.Errorf("delete link: %w", err)
		}
	}
	return len(expired) == limit || len(ended) == limit, nil
}

// userShare names a share and its user.
type userShare struct {
	userID int64
	id     string
}

func (s *Store) listShares(ctx context.Context, query string, args ...any) ([]userShare, error) {
	return db.ReadList(ctx, s.db, func(rows *sql.Rows) (share userShare, err error) {
		err = rows.Scan(&share.userID, &share.id)
		return share, err
	}, query, args...)
}
