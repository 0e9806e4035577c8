package search

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"parley/internal/db"
	"parley/internal/search/grams"
)

// readText reads a user's text and the time of its entry in the index. If there is none, it
// returns missing, or reads nothing if missing is nil.
func readText(userID int64, name grams.Name, missing error) db.Step {
	if name.Number == TitleNumber { // the time of a title changes with each message
		return db.Require(missing, `SELECT title, 0 FROM sessions WHERE user_id = $1 AND id = $2`,
			userID, name.Session)
	}
	if name.Number == FilenameNumber {
		return db.Require(missing, `SELECT name, created_at FROM files WHERE user_id = $1 AND id = $2`,
			userID, name.Session)
	}
	branch, number := splitNumber(name.Number)
	return db.Require(missing, `
		SELECT content, created_at FROM messages
		WHERE user_id = $1 AND session_id = $2 AND number = $3 AND branch = $4`,
		userID, name.Session, number, branch)
}

// textOf reads a user's text, or returns sql.ErrNoRows.
func textOf(ctx context.Context, q db.Querier, userID int64, name grams.Name) (text string, err error) {
	err = readText(userID, name, sql.ErrNoRows).Into(&text, new(int64)).Run(ctx, q)
	return text, err
}

// namedText is a title or a message with its name and its time. The time of a title is that of the last activity.
type namedText struct {
	grams.Name
	time int64
	text string
}

// textsAtOnce is how many texts one statement reads.
const textsAtOnce = 64

// eachText reads texts of a user by their names and calls do with each, in any order. Texts that don't exist are left
// out. Only one text is in memory at a time. It reads no text after ctx has ended.
func eachText(ctx context.Context, q db.Querier, userID int64, names []grams.Name, do func(namedText)) error {
	query := textsQuery()
	for some := range slices.Chunk(names, textsAtOnce) {
		err := db.Each(ctx, q, func(rows *sql.Rows) error {
			var t namedText
			if err := rows.Scan(&t.Session, &t.Number, &t.time, &t.text); err != nil {
				return err
			}
			do(t)
			return nil
		}, query, wantedArgs(userID, some)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// textsQuery reads the wanted titles and messages. SQLite keeps the order of a CROSS JOIN.
func textsQuery() string {
	return wanted() + `
		SELECT m.session_id, ` + MessageNumberOf(`m`) + `, m.created_at, m.content FROM wanted w CROSS JOIN messages m
		WHERE m.user_id = $1 AND m.session_id = w.session_id AND m.number = w.number AND m.branch = w.branch
		UNION ALL
		SELECT s.id, w.number, s.active_at, s.title FROM wanted w CROSS JOIN sessions s
		WHERE w.number = 0 AND s.user_id = $1 AND s.id = w.session_id`
}

// wanted is the beginning of a query of up to textsAtOnce texts by their names, which are
// arguments from $2 on. $1 is the user.
func wanted() string {
	values := make([]string, textsAtOnce)
	for i := range values {
		values[i] = fmt.Sprintf(`(CAST($%d AS TEXT), CAST($%d AS BIGINT), CAST($%d AS BIGINT))`, 3*i+2, 3*i+3, 3*i+4)
	}
	return `WITH wanted (session_id, branch, number) AS (VALUES ` + strings.Join(values, `, `) + `)`
}

// wantedArgs returns the arguments of a query that begins with wanted.
func wantedArgs(userID int64, names []grams.Name) []any {
	args := make([]any, 0, 1+3*textsAtOnce)
	args = append(args, userID)
	for _, name := range names {
		branch, number := splitNumber(name.Number)
		args = append(args, name.Session, branch, number)
	}
	for len(args) < cap(args) { // the statement is always the same
		args = append(args, "", int64(0), int64(TitleNumber))
	}
	return args
}
