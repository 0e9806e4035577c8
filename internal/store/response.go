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

// ErrResponseTaken is returned if a response with the same id exists.
var ErrResponseTaken = errors.New("the id of the response is taken")

const (
	// maxResponses and maxResponseBytes limit the stored responses of a user.
	maxResponses     = 10_000
	maxResponseBytes = 64 << 20
)

// Response is a stored response. Its contents are in forms that the caller chooses.
type Response struct {
	ID     string
	Open   bool // it is not complete
	Digest string
	// Context is the conversation up to the response, and Data is the response.
	Context, Data []byte
	Created       time.Time
	Expires       time.Time
}

// AddResponse stores a response. It returns ErrResponseTaken if there is one with its id that has not expired, and
// parley.ErrTooManyResponses if the user has as many as allowed.
func (s *Store) AddResponse(ctx context.Context, userID int64, r Response) error {
	open := 0
	if r.Open {
		open = 1
	}
	err := s.db.Change(ctx,
		db.Do(`DELETE FROM responses WHERE user_id = $1 AND id = $2 AND expires_at <= $3`,
			userID, r.ID, micros(r.Created)),
		db.Require(parley.ErrTooManyResponses, `
			SELECT 1 WHERE (SELECT count(*) FROM responses WHERE user_id = $1) < CAST($2 AS BIGINT)
			AND (SELECT COALESCE(sum(size), 0) FROM responses WHERE user_id = $1) < CAST($3 AS BIGINT)`,
			userID, maxResponses, maxResponseBytes).Into(new(int)),
		db.Insert(ErrResponseTaken, `
			INSERT INTO responses (user_id, id, open, digest, size, created_at, expires_at, context, data)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			userID, r.ID, open, r.Digest, len(r.Context)+len(r.Data), micros(r.Created), micros(r.Expires),
			notNil(r.Context), notNil(r.Data)))
	if err != nil {
		return fmt.Errorf("add response: %w", err)
	}
	return nil
}

// FinishResponse completes an open response. It does nothing if the response is gone.
func (s *Store) FinishResponse(ctx context.Context, userID int64, id string, data []byte, expires time.Time) error {
	err := s.db.Change(ctx, db.Do(`
		UPDATE responses SET open = 0, data = $3, size = length(context) + CAST($4 AS BIGINT), expires_at = $5
		WHERE user_id = $1 AND id = $2`, userID, id, notNil(data), len(data), micros(expires)))
	if err != nil {
		return fmt.Errorf("finish response: %w", err)
	}
	return nil
}

// ExtendResponse changes when an open response expires. It does nothing if the response is gone or complete.
func (s *Store) ExtendResponse(ctx context.Context, userID int64, id string, expires time.Time) error {
	err := s.db.Change(ctx, db.Do(`UPDATE responses SET expires_at = $3 WHERE user_id = $1 AND id = $2 AND open = 1`,
		userID, id, micros(expires)))
	if err != nil {
		return fmt.Errorf("extend response: %w", err)
	}
	return nil
}

// DeleteResponse deletes a response, if there is one.
func (s *Store) DeleteResponse(ctx context.Context, userID int64, id string) error {
	err := s.db.Change(ctx, db.Do(`DELETE FROM responses WHERE user_id = $1 AND id = $2`, userID, id))
	if err != nil {
		return fmt.Errorf("delete response: %w", err)
	}
	return nil
}

// FindResponse returns a user's response, and whether there is one that has not expired.
func (s *Store) FindResponse(ctx context.Context, userID int64, id string, now time.Time) (Response, bool, error) {
	r := Response{ID: id}
	var created, expires int64
	err := s.db.ReadRow(ctx, func(row *sql.Row) error {
		return row.Scan(&r.Open, &r.Digest, &created, &expires, &r.Context, &r.Data)
	}, `
		SELECT open, digest, created_at, expires_at, context, data FROM responses
		WHERE user_id = $1 AND id = $2 AND expires_at > $3`, userID, id, micros(now))
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	if err != nil {
		return r, false, fmt.Errorf("find response: %w", err)
	}
	r.Created, r.Expires = time.UnixMicro(created), time.UnixMicro(expires)
	return r, true, nil
}

// SweepResponses deletes up to limit responses that have expired. It reports whether there may be more.
func (s *Store) SweepResponses(ctx context.Context, now time.Time, limit int) (more bool, err error) {
	expired, err := s.listShares(ctx, `
		SELECT user_id, id FROM responses WHERE expires_at <= $1 ORDER BY expires_at LIMIT CAST($2 AS BIGINT)`,
		micros(now), limit)
	if err != nil {
		return false, fmt.Errorf("list expired responses: %w", err)
	}
	for _, r := range expired {
		err := s.db.Change(ctx, db.Do(`DELETE FROM responses WHERE user_id = $1 AND id = $2 AND expires_at <= $3`,
			r.userID, r.id, micros(now)))
		if err != nil {
			return false, fmt.Errorf("delete expired response: %w", err)
		}
	}
	return len(expired) == limit, nil
}

func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
