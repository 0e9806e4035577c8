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

// Spent is what a call of a model has used. The zero value is nothing.
type Spent struct {
	// Model is the name of the model for users.
	Model string
	Usage parley.Usage
	// Messages is how many replies it made: 1, or 0 for calls that are not replies.
	Messages int64
	// Cost is in millionths of Currency.
	Cost     int64
	Currency string
	At       time.Time
}

// isNothing reports whether there is nothing to count.
func (s Spent) isNothing() bool {
	return s.Messages == 0 && s.Usage.InputTokens == 0 && s.Usage.OutputTokens == 0
}

// dayOf returns the day of a time in UTC, in days since 1970.
func dayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// countSpent adds what a call has used to the sums of its user. The account must exist.
func countSpent(userID int64, s Spent) []db.Step {
	if s.isNothing() {
		return nil
	}
	return []db.Step{db.Do(`
		INSERT INTO usage_days (user_id, day, model, input_tokens, output_tokens, thinking_tokens, messages, cost, currency,
		    estimated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (user_id, day, model) DO UPDATE SET
		    input_tokens = usage_days.input_tokens + excluded.input_tokens,
		    output_tokens = usage_days.output_tokens + excluded.output_tokens,
		    thinking_tokens = usage_days.thinking_tokens + excluded.thinking_tokens,
		    messages = usage_days.messages + excluded.messages,
		    cost = usage_days.cost + excluded.cost,
		    currency = CASE WHEN excluded.currency = '' THEN usage_days.currency ELSE excluded.currency END,
		    estimated = usage_days.estimated + excluded.estimated`,
		userID, dayOf(s.At), s.Model, s.Usage.InputTokens, s.Usage.OutputTokens, s.Usage.ThinkingTokens, s.Messages,
		s.Cost, s.Currency, stored(s.Usage.Estimated))}
}

// errNotCounted is returned if there is nobody to count for, or if something is counted already.
var errNotCounted = errors.New("not counted")

// AddUsage adds what a call has used, unless the account was deleted.
func (s *Store) AddUsage(ctx context.Context, userID int64, spent Spent) error {
	return s.addUsage(ctx, userID, spent, s.requireUser(userID))
}

// requireUser returns errNotCounted if an account was deleted, and prevents its deletion until the transaction ends.
func (s *Store) requireUser(userID int64) db.Step {
	query := `SELECT 1 FROM users WHERE id = $1`
	if s.db.ForUpdate() != "" {
		query += ` FOR KEY SHARE`
	}
	return db.Require(errNotCounted, query, userID).Into(new(int))
}

// AddAbandoned adds what a turn has used if its session was cleared or deleted meanwhile. It adds nothing if the reply
// still exists, since another process then generates it.
func (s *Store) AddAbandoned(ctx context.Context, t Turn) error {
	return s.addUsage(ctx, t.UserID, t.Spent, s.requireUser(t.UserID), db.Require(errNotCounted, `
		SELECT 1 FROM users u WHERE u.id = $1
		AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = $1 AND m.id = $2)`, t.UserID, t.ReplyID).Into(new(int)))
}

// addUsage adds what a call has used after some steps. It adds nothing if one of them returns errNotCounted.
func (s *Store) addUsage(ctx context.Context, userID int64, spent Spent, steps ...db.Step) error {
	if spent.isNothing() {
		return nil
	}
	err := s.db.Change(ctx, append(steps, countSpent(userID, spent)...)...)
	if err != nil && !errors.Is(err, errNotCounted) {
		return fmt.Errorf("count usage: %w", err)
	}
	return nil
}

// UsageSum is the sum of the usage on some days: of one day, or of one model, or of one user.
type UsageSum struct {
	// Day is in days since 1970, or 0.
	Day int64
	Spent
	UserID int64
	Email  string
	// RatedUp and RatedDown are how many replies their users have rated 1 and -1.
	RatedUp, RatedDown int64
}

// Public returns the sum as users see it.
func (u UsageSum) Public() parley.UsageSum {
	public := parley.UsageSum{
		Model:          u.Model,
		InputTokens:    u.Usage.InputTokens,
		OutputTokens:   u.Usage.OutputTokens,
		ThinkingTokens: u.Usage.ThinkingTokens,
		Messages:       u.Messages,
		Cost:           float64(u.Cost) / parley.MicrosPerUnit,
		Currency:       u.Currency,
		Estimated:      u.Usage.Estimated,
	}
	if u.Day != 0 {
		public.Day = time.Unix(u.Day*24*60*60, 0).UTC().Format(time.DateOnly)
	}
	return public
}

// Usage returns a user's usage from the day of one time to that of another: by day in order, or by model, most tokens
// first.
func (s *Store) Usage(ctx context.Context, userID int64, from, to time.Time, byModel bool) ([]UsageSum, error) {
	key, order := `d.day, ''`, `d.day`
	group := `d.day`
	if byModel {
		key, group = `0, d.model`, `d.model`
		order = `sum(d.input_tokens + d.output_tokens) DESC, d.model`
	}
	sums, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (u UsageSum, err error) {
		err = scanUsage(rows, &u, &u.Day, &u.Model)
		return u, err
	}, `
		SELECT `+key+`, `+usageColumns+`
		FROM usage_days d WHERE d.user_id = $1 AND d.day >= $2 AND d.day <= $3 GROUP BY `+group+` ORDER BY `+order,
		userID, dayOf(from), dayOf(to))
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	return sums, nil
}

// usageColumns are the figures of a UsageSum, which scanUsage reads after its key.
const usageColumns = `CAST(sum(d.input_tokens) AS BIGINT), CAST(sum(d.output_tokens) AS BIGINT),
		    CAST(sum(d.thinking_tokens) AS BIGINT), CAST(sum(d.messages) AS BIGINT), CAST(sum(d.cost) AS BIGINT),
		    max(d.currency), CAST(sum(d.estimated) AS BIGINT), CAST(sum(d.rated_up) AS BIGINT),
		    CAST(sum(d.rated_down) AS BIGINT)`

func scanUsage(rows *sql.Rows, u *UsageSum, key ...any) error {
	var estimated int64
	err := rows.Scan(append(key, &u.Usage.InputTokens, &u.Usage.OutputTokens, &u.Usage.ThinkingTokens, &u.Messages,
		&u.Cost, &u.Currency, &estimated, &u.RatedUp, &u.RatedDown)...)
	u.Usage.Estimated = estimated > 0
	return err
}

// TotalUsage returns the usage of all users from the day of one time to that of another: by day in order, by model, or
// by user, most tokens first. There are at most limit entries.
func (s *Store) TotalUsage(ctx context.Context, from, to time.Time, by string, limit int) (sums []UsageSum, err error) {
	const mostTokens = `sum(d.input_tokens + d.output_tokens) DESC, `
	key, join, group, order := `d.day, '', 0, ''`, ``, `d.day`, `d.day`
	switch by {
	case parley.ByModel:
		key, group, order = `0, d.model, 0, ''`, `d.model`, mostTokens+`d.model`
	case parley.ByUser:
		key, group, order = `0, '', d.user_id, max(u.email)`, `d.user_id`, mostTokens+`d.user_id`
		join = `JOIN users u ON u.id = d.user_id `
	}
	err = s.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) error {
		sums, err = db.List(ctx, q, func(rows *sql.Rows) (u UsageSum, err error) {
			err = scanUsage(rows, &u, &u.Day, &u.Model, &u.UserID, &u.Email)
			return u, err
		}, `
			SELECT `+key+`, `+usageColumns+`
			FROM usage_days d `+join+`WHERE d.day >= $1 AND d.day <= $2
			GROUP BY `+group+` ORDER BY `+order+` LIMIT CAST($3 AS BIGINT)`, dayOf(from), dayOf(to), limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the usage of all users: %w", err)
	}
	return sums, nil
}
