package store

import (
	"parley"
	"parley/internal/db"
)

// The messages of a session lie in branches, since a message can have versions. Each shown branch has visible messages,
// from its first one up to the first of the next branch. A session without versions has branch 0 only, and no rows in
// the table of branches.

// branchAt returns the SQL for the branch of the visible message of session s with a number.
// user is the SQL for the user's id.
func branchAt(number, user string) string {
	return `CASE WHEN s.branches = 0 THEN 0 ELSE (
		    SELECT b.branch FROM branches b
		    WHERE b.user_id = ` + user + ` AND b.session_id = s.id AND b.shown = 1 AND b.first <= ` + number + `
		    ORDER BY b.first DESC LIMIT 1) END`
}

// isVisible returns the SQL condition that message m of session s is visible.
func isVisible(user string) string { return `m.branch = ` + branchAt(`m.number`, user) }

// questionBranch returns the SQL for the branch of the question to a reply, given the SQL for
// the reply's number and branch. If a branch begins with the reply, it is the parent's question.
func questionBranch(number, branch, user, session string) string {
	return `COALESCE((
		    SELECT CASE WHEN b.first = ` + number + ` THEN b.parent ELSE b.branch END FROM branches b
		    WHERE b.user_id = ` + user + ` AND b.session_id = ` + session + ` AND b.branch = ` + branch + `), 0)`
}

// maxBranches is how many branches a session can have beside the first.
const maxBranches = 1000

// setAside stores where the visible messages of a session end, in the branch of the last one.
func setAside(userID int64, sessionID string) db.Step {
	const column = ` FROM sessions WHERE user_id = $1 AND id = $2)`
	return db.Do(`
		UPDATE branches SET message_count = (SELECT message_count`+column+`,
		    last_message_at = (SELECT last_message_at`+column+`
		WHERE user_id = $1 AND session_id = $2 AND branch = (SELECT branch`+column, userID, sessionID)
}

// addBranch adds a branch to a session for another version of the visible message with a number, and shows it instead
// of that message and all after it. number is SQL: $1 is the user, $2 the session and $3 the argument. The caller must
// set the session's counters afterwards. It returns parley.ErrTooManyVersions if there are too many branches.
func addBranch(userID int64, sessionID, number string, argument any) []db.Step {
	return []db.Step{
		db.Do(`
			INSERT INTO branches (user_id, session_id, branch, parent, first, shown, ended, message_count, last_message_at)
			SELECT s.user_id, s.id, 0, 0, 0, 1, 0, 0, 0 FROM sessions s
			WHERE s.user_id = $1 AND s.id = $2 AND s.branches = 0`, userID, sessionID),
		setAside(userID, sessionID),
		db.Require(parley.ErrTooManyVersions, `
			INSERT INTO branches (user_id, session_id, branch, parent, first, shown, ended, message_count, last_message_at)
			SELECT s.user_id, s.id, s.branches + 1, CASE WHEN b.first = `+number+` THEN b.parent ELSE b.branch END, `+
			number+`, 1, (SELECT max(e.ended) + 1 FROM branches e WHERE e.user_id = $1 AND e.session_id = $2), 0, 0
			FROM sessions s
			JOIN branches b ON b.user_id = $1 AND b.session_id = $2 AND b.branch = `+branchAt(number, `$1`)+`
			WHERE s.user_id = $1 AND s.id = $2 AND s.branches < $4`, userID, sessionID, argument, maxBranches),
		db.Do(`
			UPDATE branches SET shown = 0 WHERE user_id = $1 AND session_id = $2 AND shown = 1 AND first >= `+number+`
			AND branch <= (SELECT s.branches FROM sessions s WHERE s.user_id = $1 AND s.id = $2)`,
			userID, sessionID, argument),
		db.Do(`UPDATE sessions SET branch = branches + 1, branches = branches + 1 WHERE user_id = $1 AND id = $2`,
			userID, sessionID),
	}
}

// dropBranch removes the last branch of a session, which a turn has begun, and shows what was visible before.
func (all branches) dropBranch(userID int64, sessionID string) []db.Step {
	last := len(all) - 1
	steps := deleteMessages(` AND branch = $3`, userID, sessionID, last)
	steps = append(steps,
		db.Do(`DELETE FROM branches WHERE user_id = $1 AND session_id = $2 AND branch = $3`, userID, sessionID, last),
		db.Do(`UPDATE sessions SET branches = branches - 1 WHERE user_id = $1 AND id = $2`, userID, sessionID))
	rest := all[:last]
	steps = append(steps, rest.show(userID, sessionID, rest.latest())...)
	if len(rest) == 1 {
		steps = append(steps,
			db.Do(`DELETE FROM branches WHERE user_id = $1 AND session_id = $2 AND branch = 0`, userID, sessionID))
	}
	return steps
}
