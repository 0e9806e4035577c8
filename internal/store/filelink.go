package store

import (
	"context"
	"fmt"
	"slices"

	"parley"
	"parley/internal/db"
)

// A file belongs to one session. It may be in others too, which were forked: those are its links. If its session is
// deleted, it moves to one of them. A link to the file's own session means nothing.

// moveFiles removes a session that is about to be deleted from its files. Those that are in no other session stay.
func moveFiles(userID int64, sessionID string) []db.Step {
	const others = ` FROM file_links l WHERE l.user_id = $1 AND l.file_id = files.id AND l.session_id <> $2)`
	return []db.Step{
		db.Do(`
			UPDATE files SET session_id = (SELECT min(l.session_id)`+others+`
			WHERE user_id = $1 AND session_id = $2 AND EXISTS (SELECT 1`+others, userID, sessionID),
		db.Do(`DELETE FROM file_links WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
	}
}

// DeleteFileOf removes a file from one of a user's sessions, and deletes it if it is in no other. It returns
// parley.ErrNoSuchFile if the file is not in the session.
func (s *Store) DeleteFileOf(ctx context.Context, userID int64, sessionID, fileID string) error {
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		var own string
		err := db.Require(parley.ErrNoSuchFile, `
			SELECT session_id FROM files WHERE user_id = $1 AND id = $2`+s.db.ForUpdate(), userID, fileID).
			Into(&own).Run(ctx, q)
		if err != nil {
			return err
		}
		links, err := db.List(ctx, q, db.ScanOne[string],
			`SELECT session_id FROM file_links WHERE user_id = $1 AND file_id = $2 ORDER BY session_id`, userID, fileID)
		if err != nil {
			return err
		}
		if own != sessionID && !slices.Contains(links, sessionID) {
			return parley.ErrNoSuchFile
		}
		others := slices.DeleteFunc(append(links, own), func(id string) bool { return id == sessionID })
		if len(others) == 0 {
			return s.db.RunSteps(ctx, q, deleteFiles(parley.ErrNoSuchFile, `user_id = $1 AND id = $2`, userID, fileID))
		}
		return s.db.RunSteps(ctx, q, []db.Step{
			db.Do(`UPDATE files SET session_id = $3 WHERE user_id = $1 AND id = $2 AND session_id = $4`,
				userID, fileID, others[0], sessionID),
			db.Do(`DELETE FROM file_links WHERE user_id = $1 AND session_id = $2 AND file_id = $3`,
				userID, sessionID, fileID),
		})
	})
	if err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	s.search.Wake()
	s.deleted.Store(true)
	return nil
}
