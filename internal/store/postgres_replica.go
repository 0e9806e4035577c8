package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// channel is where replicas signal each other.
const channel = "parley"

// saveProgress is one statement, whatever the number of turns.
func (p *postgres) saveProgress(ctx context.Context, owner string, turns []Progress) ([]Standing, error) {
	place := make(map[string]int, len(turns))
	sessions, replies := make([]string, len(turns)), make([]string, len(turns))
	attempts := make([]int64, len(turns))
	contents, thinkings := make([]string, len(turns)), make([]string, len(turns))
	standings := make([]Standing, len(turns))
	for i, t := range turns {
		place[t.ReplyID] = i
		standings[i] = Lost
		sessions[i], replies[i], attempts[i], contents[i], thinkings[i] = t.SessionID, t.ReplyID, t.Attempt, t.Content, t.Thinking
	}
	rows, err := p.db.QueryContext(ctx, `
		UPDATE turns AS t SET content = v.content, thinking = v.thinking
		FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[]) AS v (session_id, message_id, attempt, content, thinking)
		WHERE t.session_id = v.session_id AND t.message_id = v.message_id AND t.attempt = v.attempt AND t.owner = $1
		RETURNING t.message_id, t.stopped`, owner, sessions, replies, attempts, contents, thinkings)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var replyID string
		var stopped Standing
		if err := rows.Scan(&replyID, &stopped); err != nil {
			return nil, err
		}
		standings[place[replyID]] = stopped
	}
	return standings, rows.Err()
}

func (p *postgres) signal(ctx context.Context, payload string) error {
	_, err := p.db.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
	return err
}

// listen has a connection of its own: a pool's may be given to somebody else.
func (p *postgres) listen(ctx context.Context, heard func(string)) error {
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		heard(notification.Payload)
	}
}
