package search

import (
	"context"
	"database/sql"
	"fmt"

	"parley/internal/db"
	"parley/internal/search/grams"
)

const (
	// TitleNumber is the number of a session's title. Messages have numbers above it, with
	// their branch in the upper bits.
	TitleNumber = 0
	// allNumber means all messages that a session had, or all texts of a file. They were
	// deleted.
	allNumber = -1
	// FilenameNumber is the number of the name of a file. Texts of files have the id of the
	// file instead of a session's.
	FilenameNumber = -2
	// firstSection is the number of the first section of a document. The next one has the
	// number below it. In the queue it stands for all sections from there on.
	firstSection = -3
	// branchFactor is what a branch is multiplied with in the number of a message.
	branchFactor = 1 << 40
)

// MessageNumber returns the number of a message in the index.
func MessageNumber(branch, number int64) int64 { return branch*branchFactor + number }

// splitNumber returns the branch of a message and its number in the session.
func splitNumber(number int64) (branch, message int64) {
	return number / branchFactor, number % branchFactor
}

// MessageNumberOf returns the SQL for the number in the index of a message of the row with an alias.
func MessageNumberOf(alias string) string {
	return fmt.Sprintf(`%[1]s.branch * %[2]d + %[1]s.number`, alias, int64(branchFactor))
}

// orQueued is the end of an INSERT into the queue. It locks a row that exists already, which makes the indexer wait for
// the change.
const orQueued = ` ON CONFLICT (user_id, session_id, number) DO UPDATE
	SET stale = CASE WHEN excluded.stale = 1 THEN 1 ELSE search_queue.stale END`

// Enqueue queues a new text.
func Enqueue(userID int64, sessionID string, number int64) db.Step {
	return db.Do(`INSERT INTO search_queue (user_id, session_id, number, stale) VALUES ($1, $2, $3, 0)`+orQueued,
		userID, sessionID, number)
}

// EnqueueTurn queues a new reply and its question, which is the message before it.
func EnqueueTurn(userID int64, sessionID string, reply int64) db.Step {
	return db.Do(`
		INSERT INTO search_queue (user_id, session_id, number, stale) VALUES ($1, $2, $3, 0), ($1, $2, $4, 0)`+orQueued,
		userID, sessionID, reply-1, reply)
}

// EnqueueSelected queues the texts that a query selects, as columns user_id, session_id,
// number and stale (1 if the text was changed or deleted, else 0).
func EnqueueSelected(query string, args ...any) db.Step {
	return db.Do(`INSERT INTO search_queue (user_id, session_id, number, stale) `+query+orQueued, args...)
}

// EnqueueStale queues a text that was changed or deleted.
func EnqueueStale(userID int64, sessionID string, number int64) db.Step {
	return db.Do(`INSERT INTO search_queue (user_id, session_id, number, stale) VALUES ($1, $2, $3, 1)`+orQueued,
		userID, sessionID, number)
}

// RemoveMessages queues the removal of all messages of a session.
func RemoveMessages(userID int64, sessionID string) []db.Step {
	return []db.Step{
		db.Do(`DELETE FROM search_queue WHERE user_id = $1 AND session_id = $2 AND number > 0`, userID, sessionID),
		EnqueueStale(userID, sessionID, allNumber),
	}
}

// EnqueueFile queues the name of a new file and the sections of its text.
func EnqueueFile(userID int64, fileID string) db.Step {
	return db.Do(`
		INSERT INTO search_queue (user_id, session_id, number, stale) VALUES ($1, $2, $3, 0), ($1, $2, $4, 0)`+orQueued,
		userID, fileID, FilenameNumber, firstSection)
}

// RemoveFiles queues the removal of the files that meet a condition, which names the user
// first. They still exist.
func RemoveFiles(condition string, args ...any) []db.Step {
	return []db.Step{
		db.Do(`DELETE FROM search_queue WHERE user_id = $1
			AND session_id IN (SELECT id FROM files WHERE `+condition+`)`, args...),
		EnqueueSelected(fmt.Sprintf(`SELECT user_id, id, %d, 1 FROM files WHERE %s`, allNumber, condition), args...),
	}
}

// RemoveUser clears the queue of a user. The user's blocks are removed with the account.
func RemoveUser(userID int64) db.Step {
	return db.Do(`DELETE FROM search_queue WHERE user_id = $1`, userID)
}

// queuedText is a row of the queue.
type queuedText struct {
	grams.Name
	stale bool
}

func scanQueued(rows *sql.Rows) (t queuedText, err error) {
	err = rows.Scan(&t.Session, &t.Number, &t.stale)
	return t, err
}

// queuedNames returns the names of the texts in the queue and of the questions of open turns.
func queuedNames(ctx context.Context, q db.Querier, userID int64) ([]grams.Name, error) {
	return db.List(ctx, q, scanName, `
		SELECT session_id, number FROM search_queue WHERE user_id = $1
		UNION ALL
		SELECT t.session_id, `+MessageNumberOf(`t`)+` - 1 FROM turns t WHERE t.user_id = $1`, userID)
}

func scanName(rows *sql.Rows) (name grams.Name, err error) {
	err = rows.Scan(&name.Session, &name.Number)
	return name, err
}

// nameSet is a set of names, by session.
type nameSet map[string]map[int64]bool

func (s nameSet) add(name grams.Name) {
	if s[name.Session] == nil {
		s[name.Session] = map[int64]bool{}
	}
	s[name.Session][name.Number] = true
}

// has reports whether the name is in the set, by itself or with all messages of its session.
func (s nameSet) has(name grams.Name) bool {
	numbers := s[name.Session]
	return numbers[name.Number] || name.Number != TitleNumber && numbers[allNumber]
}
