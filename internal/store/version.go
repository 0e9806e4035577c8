package store

import (
	"context"
	"database/sql"
	"fmt"

	"parley"
	"parley/internal/db"
)

// SessionOf returns the session of a user's message, visible or not, or
// parley.ErrNoSuchMessage.
func (s *Store) SessionOf(ctx context.Context, userID int64, messageID string) (string, error) {
	sessions, err := db.ReadList(ctx, s.db, db.ScanOne[string],
		`SELECT session_id FROM messages WHERE user_id = $1 AND id = $2 LIMIT 1`, userID, messageID)
	if err != nil {
		return "", fmt.Errorf("find the session of a message: %w", err)
	}
	if len(sessions) == 0 {
		return "", parley.ErrNoSuchMessage
	}
	return sessions[0], nil
}

// CheckReplaceable returns nil if a message of a user's session is a visible question, an error
// of parley.Invalid if it is a reply, and otherwise parley.ErrNoSuchMessage.
func (s *Store) CheckReplaceable(ctx context.Context, userID int64, sessionID, messageID string) error {
	roles, err := db.ReadList(ctx, s.db, db.ScanOne[string], `
		SELECT m.role FROM sessions s
		JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.id = $3 AND `+isVisible(`$1`)+`
		WHERE s.user_id = $1 AND s.id = $2`, userID, sessionID, messageID)
	switch {
	case err != nil:
		return fmt.Errorf("find the message to replace: %w", err)
	case len(roles) == 0:
		return parley.ErrNoSuchMessage
	case roles[0] != parley.RoleUser:
		return parley.Invalid("replaces must be the id of a question; a reply can be regenerated")
	}
	return nil
}

// ShowVersion makes a version of a message of a user's session visible, with the messages that followed it when they
// were last visible. Versions are numbered from 1. Version 0 means the one with the id messageID. It returns
// parley.ErrNoSuchMessage if there is no such message in the session, an error of parley.Invalid if it has no such
// version, and ErrTurnOpen if the session has an open turn.
func (s *Store) ShowVersion(ctx context.Context, userID int64, sessionID, messageID string, version int64) error {
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		err := s.db.RunSteps(ctx, q, []db.Step{
			s.lockSession(userID, sessionID, parley.ErrNoSuchMessage),
			requireNoTurn(userID, sessionID),
		})
		if err != nil {
			return err
		}
		var branch, number int64
		err = db.Require(parley.ErrNoSuchMessage, `
			SELECT m.branch, m.number FROM sessions s
			JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.id = $3
			WHERE s.user_id = $1 AND s.id = $2
			ORDER BY CASE WHEN `+isVisible(`$1`)+` THEN 0 ELSE 1 END, m.branch DESC LIMIT 1`,
			userID, sessionID, messageID).Into(&branch, &number).Run(ctx, q)
		if err != nil {
			return err
		}
		all, err := readBranches(ctx, q, userID, sessionID)
		if err != nil {
			return err
		}
		if version != 0 {
			versions := all.versions(branch, number)
			if version < 1 || version > int64(len(versions)) {
				return parley.Invalid("version must be the number of a version of the message")
			}
			branch = versions[version-1]
		}
		if len(all) == 0 {
			return nil
		}
		steps := append([]db.Step{setAside(userID, sessionID)}, all.show(userID, sessionID, all.end(branch, number))...)
		return s.db.RunSteps(ctx, q, steps)
	})
	if err != nil {
		return fmt.Errorf("show version: %w", err)
	}
	return nil
}

// requireNoTurn returns ErrTurnOpen if the session has an open turn.
func requireNoTurn(userID int64, sessionID string) db.Step {
	return db.Require(ErrTurnOpen, `
		SELECT 1 FROM sessions s WHERE s.user_id = $1 AND s.id = $2
		AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.user_id = $1 AND t.session_id = $2)`,
		userID, sessionID).Into(new(int))
}

// branch is a row of a session's branches.
type branch struct {
	parent, first int64
	shown         bool
	ended         int64
}

// branches are all branches of a session, by number. There are none if it has no versions.
// A branch has a greater number than its parent.
type branches []branch

func readBranches(ctx context.Context, q db.Querier, userID int64, sessionID string) (branches, error) {
	return db.List(ctx, q, func(rows *sql.Rows) (b branch, err error) {
		var shown int64
		err = rows.Scan(&b.parent, &b.first, &shown, &b.ended)
		b.shown = shown == 1
		return b, err
	}, `SELECT parent, first, shown, ended FROM branches WHERE user_id = $1 AND session_id = $2 ORDER BY branch`,
		userID, sessionID)
}

// versions returns the branches that have a version of a message, in order.
func (all branches) versions(branch, number int64) []int64 {
	if len(all) == 0 {
		return []int64{0}
	}
	if all[branch].first == number {
		branch = all[branch].parent
	}
	versions := []int64{branch}
	for n, b := range all {
		if b.parent == branch && b.first == number {
			versions = append(versions, int64(n))
		}
	}
	return versions
}

// end returns the last branch of the visible messages, as they were when the given message was last one of them.
func (all branches) end(branch, number int64) int64 {
	follows := make([]bool, len(all))
	end := branch
	for n := int(branch); n < len(all); n++ {
		b := all[n]
		switch {
		case int64(n) == branch:
			follows[n] = true
		case b.parent == branch:
			follows[n] = b.first > number
		default:
			follows[n] = follows[b.parent]
		}
		if follows[n] && b.ended > all[end].ended {
			end = int64(n)
		}
	}
	return end
}

// latest returns the branch that the visible messages ended in most recently.
func (all branches) latest() (latest int64) {
	for n, b := range all {
		if b.ended > all[latest].ended {
			latest = int64(n)
		}
	}
	return latest
}

// show makes the messages up to the end of a branch visible.
func (all branches) show(userID int64, sessionID string, end int64) []db.Step {
	visible := map[int64]bool{0: true}
	for n := end; n != 0; n = all[n].parent {
		visible[n] = true
	}
	var steps []db.Step
	for n, b := range all {
		if b.shown != visible[int64(n)] {
			steps = append(steps, db.Do(`
				UPDATE branches SET shown = 1 - shown WHERE user_id = $1 AND session_id = $2 AND branch = $3`,
				userID, sessionID, n))
		}
	}
	const column = ` FROM branches WHERE user_id = $1 AND session_id = $2 AND branch = $3)`
	return append(steps,
		db.Do(`UPDATE branches SET ended = $4 WHERE user_id = $1 AND session_id = $2 AND branch = $3`,
			userID, sessionID, end, all[all.latest()].ended+1),
		db.Do(`
			UPDATE sessions SET branch = $3, message_count = (SELECT message_count`+column+`,
			    last_message_at = (SELECT last_message_at`+column+`, active_at = (SELECT last_message_at`+column+`
			WHERE user_id = $1 AND id = $2`, userID, sessionID, end))
}
