package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"
	"unicode"

	"parley"
	"parley/internal/fold"
)

// The search index holds, for each message and title, its grams: every character and
// every pair of neighbouring characters of the folded text, white space left out, each
// prefixed by the user. A keyword's grams lead to the texts that may hold it, in any
// script and at the cost of one user's texts only; longer keywords are then looked for
// in the text itself. Texts are indexed shortly after they are stored: until then they
// stand in search_queue, and a search reads them one by one, so it is always exact.

// titleNumber stands for a session's title where messages have their number.
const titleNumber = 0

const (
	// indexBatch and indexGrams bound how many texts are indexed in one transaction, and
	// so how long other writers wait for it: 20,000 grams take about 100 ms.
	indexBatch = 200
	indexGrams = 20_000
	// indexDelay lets texts gather: many in one transaction cost much less than one in each.
	indexDelay = time.Second
)

// gram names a character or a pair of them so that it is one word of letters and
// digits to any tokenizer. Users are in base 32, which has no z.
func gram(userID int64, runes ...rune) string {
	word := strconv.AppendInt(nil, userID, 32)
	for _, r := range runes {
		word = append(word, 'z')
		word = strconv.AppendInt(word, int64(r), 16)
	}
	return string(word)
}

// grams lists the grams of a folded text, each once.
func grams(userID int64, folded string) []string {
	seen := map[[2]rune]bool{}
	var words []string
	add := func(a, b rune) {
		if seen[[2]rune{a, b}] {
			return
		}
		seen[[2]rune{a, b}] = true
		if b == 0 {
			words = append(words, gram(userID, a))
		} else {
			words = append(words, gram(userID, a, b))
		}
	}
	last := rune(0)
	for _, r := range folded {
		if unicode.IsSpace(r) {
			last = 0
			continue
		}
		add(r, 0)
		if last != 0 {
			add(last, r)
		}
		last = r
	}
	return words
}

// enqueue asks for texts of a session to be indexed.
func enqueue(ctx context.Context, q querier, userID int64, sessionID string, numbers ...int64) error {
	for _, number := range numbers {
		if _, err := q.ExecContext(ctx, `
			INSERT INTO search_queue (user_id, session_id, number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			userID, sessionID, number); err != nil {
			return err
		}
	}
	return nil
}

// reindex asks for a text that has changed to be indexed anew.
func (s *Store) reindex(ctx context.Context, q querier, userID int64, sessionID string, number int64) error {
	if err := s.dropFromIndex(ctx, q, `session_id = $1 AND number = $2`, sessionID, number); err != nil {
		return err
	}
	return enqueue(ctx, q, userID, sessionID, number)
}

func (s *Store) wakeIndexer() {
	select {
	case s.queued <- struct{}{}:
	default:
	}
}

// Index keeps the search index up to date until ctx ends.
func (s *Store) Index(ctx context.Context, log *slog.Logger) {
	const pause = 10 * time.Second // another replica may have left work behind
	for ctx.Err() == nil {
		more, err := s.indexSome(ctx)
		if err != nil && ctx.Err() == nil {
			log.Error("search index", "error", err)
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.queued:
			select {
			case <-ctx.Done():
			case <-time.After(indexDelay):
			}
		case <-time.After(pause):
		}
	}
}

// queuedText is a text that waits to be indexed.
type queuedText struct {
	userID    int64
	sessionID string
	number    int64
}

// indexSome indexes a batch of waiting texts and says whether more may wait.
func (s *Store) indexSome(ctx context.Context) (more bool, err error) {
	err = s.writeAlone(ctx, func(ctx context.Context, q querier) error {
		texts, err := list(ctx, q, func(rows *sql.Rows) (t queuedText, err error) {
			err = rows.Scan(&t.userID, &t.sessionID, &t.number)
			return t, err
		}, `SELECT user_id, session_id, number FROM search_queue ORDER BY user_id, session_id, number LIMIT $1`, indexBatch)
		if err != nil {
			return err
		}
		more = len(texts) == indexBatch
		done := 0
		for _, t := range texts {
			if done >= indexGrams {
				more = true
				break
			}
			n, err := s.indexText(ctx, q, t)
			if err != nil {
				return err
			}
			done += n
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("index texts: %w", err)
	}
	return more, nil
}

// indexText takes a text from the queue into the index. It locks the session first,
// so that no clear or delete of it can slip in between; where the text has left the
// queue meanwhile there is nothing to do. It says how many grams the text has.
func (s *Store) indexText(ctx context.Context, q querier, t queuedText) (int, error) {
	err := s.lockSession(ctx, q, t.userID, t.sessionID)
	if errors.Is(err, parley.ErrNoSuchSession) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := exec(ctx, q, `DELETE FROM search_queue WHERE user_id = $1 AND session_id = $2 AND number = $3`, t.userID, t.sessionID, t.number)
	if err != nil || n == 0 {
		return 0, err
	}
	var text string
	if t.number == titleNumber {
		err = q.QueryRowContext(ctx, `SELECT title FROM sessions WHERE id = $1`, t.sessionID).Scan(&text)
	} else {
		err = q.QueryRowContext(ctx, `SELECT content FROM messages WHERE session_id = $1 AND number = $2`, t.sessionID, t.number).Scan(&text)
	}
	if err != nil {
		return 0, err
	}
	words := grams(t.userID, fold.Key(text))
	return len(words), s.addToIndex(ctx, q, t.sessionID, t.number, words)
}
