package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// channel is where replicas signal each other.
const channel = "parley"

// saveProgress is two statements, whatever the number of turns: one for what is new,
// and one for how all of them stand.
func (p *postgres) saveProgress(ctx context.Context, owner string, turns []Progress) ([]Standing, error) {
	if err := p.saveFresh(ctx, owner, turns); err != nil {
		return nil, err
	}
	type key struct {
		replyID string
		attempt int64
	}
	stopped := map[key]Standing{}
	rows, err := p.db.QueryContext(ctx, `SELECT message_id, attempt, stopped FROM turns WHERE owner = $1`, owner)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var k key
		var standing Standing
		if err := rows.Scan(&k.replyID, &k.attempt, &standing); err != nil {
			return nil, err
		}
		stopped[k] = standing
	}
	standings := make([]Standing, len(turns))
	for i, t := range turns {
		standing, ours := stopped[key{t.ReplyID, t.Attempt}]
		if !ours {
			standing = Lost
		}
		standings[i] = standing
	}
	return standings, rows.Err()
}

func (p *postgres) saveFresh(ctx context.Context, owner string, turns []Progress) error {
	var sessions, replies, contents, thinkings []string
	var attempts []int64
	for _, t := range turns {
		if t.Fresh {
			sessions, replies, attempts = append(sessions, t.SessionID), append(replies, t.ReplyID), append(attempts, t.Attempt)
			contents, thinkings = append(contents, t.Content), append(thinkings, t.Thinking)
		}
	}
	if len(replies) == 0 {
		return nil
	}
	_, err := p.db.ExecContext(ctx, `
		UPDATE turns AS t SET content = v.content, thinking = v.thinking
		FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[]) AS v (session_id, message_id, attempt, content, thinking)
		WHERE t.session_id = v.session_id AND t.message_id = v.message_id AND t.attempt = v.attempt AND t.owner = $1`,
		owner, sessions, replies, attempts, contents, thinkings)
	return err
}

func (p *postgres) signal(ctx context.Context, payload string) error {
	_, err := p.db.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
	return err
}

// listen has a connection of its own: a pool's may be given to somebody else. What was
// signalled before it began is lost.
func (p *postgres) listen(ctx context.Context, began func(), heard func(string)) error {
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	began()
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		heard(notification.Payload)
	}
}
