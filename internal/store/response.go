package store

import (
	"cmp"
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
	// Room is how many bytes an open response may add. They count until it is finished. So parallel ones keep to the limit
	// of their user.
	Room    int
	Created time.Time
	Expires time.Time
}

// AddResponse stores a response. It returns ErrResponseTaken if an unexpired one has its id. It returns
// parley.ErrTooManyResponses if the user has as many as allowed, or parley.ErrTooManyOpen if there is room without the
// open ones. The account's row is locked first: the responses of one user are counted one after the other on all
// replicas.
func (s *Store) AddResponse(ctx context.Context, userID int64, r Response) error {
	size := len(r.Context) + len(r.Data) + r.Room
	err := s.db.Change(ctx, append(s.lockUser(userID),
		db.Do(`DELETE FROM responses WHERE user_id = $1 AND id = $2 AND expires_at <= $3`,
			userID, r.ID, micros(r.Created)),
		db.Require(parley.ErrTooManyResponses, `
			SELECT 1 WHERE (SELECT count(*) FROM responses WHERE user_id = $1) < CAST($2 AS BIGINT)
			AND (SELECT COALESCE(sum(size), 0) FROM responses WHERE user_id = $1) <= CAST($3 AS BIGINT)`,
			userID, maxResponses, maxResponseBytes-max(1, size)).Into(new(int)),
		db.Insert(ErrResponseTaken, `
			INSERT INTO responses (user_id, id, open, digest, size, created_at, expires_at, context, data)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			userID, r.ID, stored(r.Open), r.Digest, size, micros(r.Created), micros(r.Expires),
			notNil(r.Context), notNil(r.Data)))...)
	if errors.Is(err, parley.ErrTooManyResponses) {
		err = s.fullOfResponses(ctx, userID, size)
	}
	if err != nil {
		return fmt.Errorf("add response: %w", err)
	}
	return nil
}

// fullOfResponses returns the error for a response that a user has no room for.
func (s *Store) fullOfResponses(ctx context.Context, userID int64, size int) error {
	fits, err := db.ReadOne[bool](ctx, s.db, `
		SELECT count(*) < CAST($2 AS BIGINT) AND COALESCE(sum(size), 0) <= CAST($3 AS BIGINT)
		FROM responses WHERE user_id = $1 AND open = 0`, userID, maxResponses, maxResponseBytes-max(1, size))
	if err == nil && fits {
		return parley.ErrTooManyOpen
	}
	return cmp.Or(err, error(parley.ErrTooManyResponses))
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

// ResponseStat is what is known about a stored response without its contents.
type ResponseStat struct {
	ID     string
	Open   bool
	Digest string
	// Context and Data are the sizes of the contents in bytes.
	Context, Data int64
}

// StatResponses returns which of the given responses a user has that have not expired, by their ids.
func (s *Store) StatResponses(
	ctx context.Context, userID int64, ids []string, now time.Time,
) (map[string]ResponseStat, error) {
	list, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (r ResponseStat, err error) {
		err = rows.Scan(&r.ID, &r.Open, &r.Digest, &r.Context, &r.Data)
		return r, err
	}, `
		SELECT r.id, r.open, r.digest, length(r.context), length(r.data)
		FROM (`+s.db.SelectStrings(`$2`)+`) l CROSS JOIN responses r
		WHERE r.user_id = $1 AND r.id = l.value AND r.expires_at > $3`, userID, s.db.StringsArg(ids), micros(now))
	if err != nil {
		return nil, fmt.Errorf("stat responses: %w", err)
	}
	found := make(map[string]ResponseStat, len(list))
	for _, r := range list {
		found[r.ID] = r
	}
	return found, nil
}

// ResponseContext returns the context of a complete response. It returns false if there is none.
func (s *Store) ResponseContext(ctx context.Context, userID int64, id string) ([]byte, bool, error) {
	return s.responsePart(ctx, `SELECT context FROM responses WHERE user_id = $1 AND id = $2 AND open = 0`, userID, id)
}

// ResponseData returns a response in the given state, open or complete. It returns false if there is none in this
// state: a response grows when it is completed.
func (s *Store) ResponseData(ctx context.Context, userID int64, id string, open bool) ([]byte, bool, error) {
	return s.responsePart(ctx, `SELECT data FROM responses WHERE user_id = $1 AND id = $2 AND open = $3`,
		userID, id, stored(open))
}

func (s *Store) responsePart(ctx context.Context, query string, args ...any) ([]byte, bool, error) {
	data, err := db.ReadOne[[]byte](ctx, s.db, query, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read response: %w", err)
	}
	return data, true, nil
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
