package store

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
)

// Rate sets the rating of a reply in a user's session: of its visible version, or else of its newest. It is counted for
// the model and the day of the reply; model is the name of the default one. It returns parley.ErrNoSuchMessage if there
// is no such message in the session, an error of parley.Invalid if it is a question, and parley.ErrReplyOpen if the
// reply is being generated.
func (s *Store) Rate(ctx context.Context, userID int64, sessionID, messageID string, rating int64, model string) error {
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		if err := s.lockSession(userID, sessionID, parley.ErrNoSuchMessage).Run(ctx, q); err != nil {
			return err
		}
		var number, branch, before, created int64
		var role, encoded string
		var open bool
		err := db.Require(parley.ErrNoSuchMessage, `
			SELECT m.number, m.branch, m.role, m.rating, m.details, m.created_at, EXISTS (
			    SELECT 1 FROM turns t WHERE t.user_id = $1 AND t.session_id = $2 AND t.message_id = m.id)
			FROM sessions s
			JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.id = $3
			WHERE s.user_id = $1 AND s.id = $2
			ORDER BY CASE WHEN `+isVisible(`$1`)+` THEN 0 ELSE 1 END, m.branch DESC LIMIT 1`,
			userID, sessionID, messageID).
			Into(&number, &branch, &role, &before, &encoded, &created, &open).Run(ctx, q)
		switch {
		case err != nil:
			return err
		case role != parley.RoleAssistant:
			return parley.Invalid("message_id must be the id of a reply; a question can't be rated")
		case open:
			return parley.ErrReplyOpen
		case rating == before:
			return nil
		}
		details, err := decodeDetails(encoded)
		if err != nil {
			return err
		}
		steps := []db.Step{db.Do(`
			UPDATE messages SET rating = $5 WHERE user_id = $1 AND session_id = $2 AND number = $3 AND branch = $4`,
			userID, sessionID, number, branch, rating)}
		if details.Usage != nil { // it was made here, and not imported
			if details.Model != "" {
				model = details.Model
			}
			steps = append(steps, countRating(userID, time.UnixMicro(created), model, before, rating)...)
		}
		return s.db.RunSteps(ctx, q, steps)
	})
	if err != nil {
		return fmt.Errorf("rate a reply: %w", err)
	}
	return nil
}

// ratedColumns are the columns of usage_days that count the replies with a rating.
var ratedColumns = map[int64]string{1: "rated_up", -1: "rated_down"}

// countRating counts a changed rating of a reply. The name of the default model may have changed since the reply was
// rated before: a count never goes below 0.
func countRating(userID int64, at time.Time, model string, before, after int64) (steps []db.Step) {
	if column := ratedColumns[before]; column != "" {
		steps = append(steps, db.Do(`
			UPDATE usage_days SET `+column+` = `+column+` - 1
			WHERE user_id = $1 AND day = $2 AND model = $3 AND `+column+` > 0`, userID, dayOf(at), model))
	}
	if column := ratedColumns[after]; column != "" {
		steps = append(steps, db.Do(`
			INSERT INTO usage_days (user_id, day, model, input_tokens, output_tokens, thinking_tokens, messages, cost, currency,
			    estimated, `+column+`)
			VALUES ($1, $2, $3, 0, 0, 0, 0, 0, '', 0, 1)
			ON CONFLICT (user_id, day, model) DO UPDATE SET `+column+` = usage_days.`+column+` + 1`,
			userID, dayOf(at), model))
	}
	return steps
}
