package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"parley/internal/id"
)

// insertBatch is how many rows one statement inserts.
const insertBatch = 100

// seed is what is stored before the measurements. It goes into the tables by SQL, since
// a million durable sends would take longer than everything else.
type seed struct {
	sessions []string       // those without messages
	grown    map[int]string // a session of each size
	others   []string       // tokens of users with nothing, one for each connection
}

// sow fills the database of a server that is not running.
func sow(ctx context.Context, db *sql.DB, userID int64, p plan) (seed, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return seed{}, err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	s := sower{tx: tx, userID: userID, now: time.Now().Add(-time.Hour).UnixMicro(), words: newVocabulary()}
	result := seed{grown: map[int]string{}}
	for i := range p.sessions {
		count := 0
		if i < searchableSessions(p) {
			count = messagesEach
		}
		session, err := s.session(ctx, fmt.Sprintf("Session %d", i), count)
		if err != nil {
			return seed{}, err
		}
		if count == 0 { // a send takes its history along
			result.sessions = append(result.sessions, session)
		}
		if err := s.queueForSearch(ctx, session, count); err != nil {
			return seed{}, err
		}
	}
	for _, size := range p.growth {
		if result.grown[size], err = s.session(ctx, fmt.Sprintf("%d messages", size), size); err != nil {
			return seed{}, err
		}
	}
	for range p.connections {
		token, err := s.user(ctx)
		if err != nil {
			return seed{}, err
		}
		result.others = append(result.others, token)
	}
	if _, err := tx.ExecContext(ctx, `
		UPDATE users SET session_count = (SELECT count(*) FROM sessions WHERE user_id = $1) WHERE id = $1`, userID); err != nil {
		return seed{}, fmt.Errorf("count the sessions: %w", err)
	}
	return result, tx.Commit()
}

// messagesEach is how many messages a searchable session has.
const messagesEach = 100

func searchableSessions(p plan) int { return p.searchable / messagesEach }

// sower writes rows of one user.
type sower struct {
	tx     *sql.Tx
	userID int64
	now    int64
	words  *vocabulary
	pool   []string
}

// user stores a user who can't log in and returns a token.
func (s *sower) user(ctx context.Context) (string, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	token := base64.RawURLEncoding.EncodeToString(secret)
	hash, name := sha256.Sum256([]byte(token)), id.New()
	if _, err := s.tx.ExecContext(ctx, `
		INSERT INTO users (email, email_key, nickname, password_hash, created_at) VALUES ($1, $1, $1, '', $2)`, name, s.now); err != nil {
		return "", fmt.Errorf("store a user: %w", err)
	}
	if _, err := s.tx.ExecContext(ctx, `
		INSERT INTO tokens (hash, id, user_id, client, created_at, expires_at)
		VALUES ($1, $2, (SELECT id FROM users WHERE email_key = $2), '', $3, $4)`,
		hash[:], name, s.now, time.Now().Add(24*time.Hour).UnixMicro()); err != nil {
		return "", fmt.Errorf("store a token: %w", err)
	}
	return token, nil
}

// session stores a session with the given number of messages and returns its id.
func (s *sower) session(ctx context.Context, title string, messages int) (string, error) {
	session := id.New()
	s.now++
	last := int64(0)
	if messages > 0 {
		last = s.now
	}
	if _, err := s.tx.ExecContext(ctx, `
		INSERT INTO sessions (id, user_id, title, message_count, last_message_at, active_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6)`, session, s.userID, title, messages, last, s.now); err != nil {
		return "", fmt.Errorf("store a session: %w", err)
	}
	for number := 1; number <= messages; number += insertBatch {
		if err := s.messages(ctx, session, number, min(number+insertBatch-1, messages)); err != nil {
			return "", fmt.Errorf("store messages: %w", err)
		}
	}
	return session, nil
}

// messages stores the messages of a session from one number to another.
func (s *sower) messages(ctx context.Context, session string, first, last int) error {
	var values strings.Builder
	args := []any{session, s.userID, s.now}
	for number := first; number <= last; number++ {
		role := "user"
		if number%2 == 0 {
			role = "assistant"
		}
		if number > first {
			values.WriteByte(',')
		}
		n := len(args)
		fmt.Fprintf(&values, "($%d, $1, %d, $2, '%s', $%d, $3)", n+1, number, role, n+2)
		args = append(args, id.New(), s.text())
	}
	_, err := s.tx.ExecContext(ctx, `
		INSERT INTO messages (id, session_id, number, user_id, role, content, created_at) VALUES `+values.String(), args...)
	return err
}

// text is one of a few thousand texts.
func (s *sower) text() string {
	const distinct = 4_000
	if len(s.pool) < distinct {
		s.pool = append(s.pool, s.words.text())
		return s.pool[len(s.pool)-1]
	}
	return s.pool[s.words.random.IntN(distinct)]
}

// queueForSearch has the server index the messages of a session.
func (s *sower) queueForSearch(ctx context.Context, session string, messages int) error {
	if messages == 0 {
		return nil
	}
	if _, err := s.tx.ExecContext(ctx, `
		INSERT INTO search_queue (user_id, session_id, number)
		SELECT user_id, session_id, number FROM messages WHERE session_id = $1`, session); err != nil {
		return fmt.Errorf("queue messages for the search: %w", err)
	}
	return nil
}
