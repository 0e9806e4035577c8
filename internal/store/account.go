package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"parley"
	"parley/internal/db"
)

// Account is an account as administrators see it.
type Account struct {
	parley.User
	Sessions int64
	Storage  int64  // in bytes
	Quota    string // the account's own, or empty
	// Usage is the usage of some days.
	Usage Spent
}

// Account returns an account with its usage from the day of since on, or parley.ErrNoSuchUser.
func (s *Store) Account(ctx context.Context, userID int64, since time.Time) (a Account, err error) {
	err = s.db.ReadRow(ctx, func(row *sql.Row) (err error) {
		a.User, err = scanUser(row, &a.Sessions, &a.Quota, &a.Storage, &a.Usage.Messages, &a.Usage.Usage.InputTokens,
			&a.Usage.Usage.OutputTokens, &a.Usage.Cost, &a.Usage.Currency)
		return err
	}, `
		SELECT `+userColumns+`, u.session_count, u.quota,
		    (SELECT `+bytesOfFiles+` FROM files f WHERE f.user_id = $1),
		    COALESCE(e.messages, 0), COALESCE(e.input_tokens, 0), COALESCE(e.output_tokens, 0), COALESCE(e.cost, 0),
		    COALESCE(e.currency, '')
		FROM users u LEFT JOIN (
		    SELECT d.user_id, CAST(sum(d.messages) AS BIGINT) AS messages,
		        CAST(sum(d.input_tokens) AS BIGINT) AS input_tokens, CAST(sum(d.output_tokens) AS BIGINT) AS output_tokens,
		        CAST(sum(d.cost) AS BIGINT) AS cost, max(d.currency) AS currency
		    FROM usage_days d WHERE d.user_id = $1 AND d.day >= $2 GROUP BY d.user_id) e ON e.user_id = u.id
		WHERE u.id = $1`, userID, dayOf(since))
	if errors.Is(err, sql.ErrNoRows) {
		return a, parley.ErrNoSuchUser
	}
	if err != nil {
		return a, fmt.Errorf("read account: %w", err)
	}
	return a, nil
}

// NewestUsers returns the ids of a page of accounts, newest first, and how many accounts there are.
func (s *Store) NewestUsers(ctx context.Context, page parley.Page) (ids []int64, total int64, err error) {
	skip, size := pageRange(page)
	ids, err = db.ReadList(ctx, s.db, db.ScanOne[int64], `
		SELECT id FROM users ORDER BY id DESC LIMIT CAST($1 AS BIGINT) OFFSET CAST($2 AS BIGINT)`, size, skip)
	if err != nil {
		return nil, 0, fmt.Errorf("list accounts: %w", err)
	}
	if total, err = db.ReadOne[int64](ctx, s.db, `SELECT count(*) FROM users`); err != nil {
		return nil, 0, fmt.Errorf("count accounts: %w", err)
	}
	return ids, total, nil
}

// findBatch is how many accounts FindUsers reads at a time.
const findBatch = 1000

// FindUsers returns the ids of a page of the accounts that match, newest first, and how many match. It reads all
// accounts, until ctx ends.
func (s *Store) FindUsers(
	ctx context.Context, match func(email, nickname string) bool, page parley.Page,
) (ids []int64, total int64, err error) {
	skip, size := pageRange(page)
	ids = []int64{}
	for before := int64(math.MaxInt64); ; {
		batch, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (u parley.User, err error) {
			err = rows.Scan(&u.ID, &u.Email, &u.Nickname)
			return u, err
		}, `
			SELECT id, email, nickname FROM users WHERE id < $1 ORDER BY id DESC LIMIT CAST($2 AS BIGINT)`, before, findBatch)
		if err != nil {
			return nil, 0, fmt.Errorf("find accounts: %w", err)
		}
		for _, user := range batch {
			before = user.ID
			if !match(user.Email, user.Nickname) {
				continue
			}
			if total++; total > skip && total <= skip+size {
				ids = append(ids, user.ID)
			}
		}
		if len(batch) < findBatch {
			return ids, total, nil
		}
	}
}
