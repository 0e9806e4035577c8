package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/db"
)

// addPictures returns the steps after a question was stored: the pictures of the session that no question went with go
// with this one, and if it replaces another, that one's too. Their ids are in the question's details.
func (s *Store) addPictures(ctx context.Context, t NewTurn) ([]db.Step, error) {
	if t.NoPictures {
		return nil, nil
	}
	var earlier []string
	if t.Replaces != "" { // its details never change, so they can be read before
		var err error
		if earlier, err = s.QuestionPictures(ctx, t.UserID, t.Replaces); err != nil {
			return nil, err
		}
	}
	const waiting = ` WHERE user_id = $1 AND session_id = $2 AND picture_size > 0 AND question_id = ''`
	return []db.Step{
		db.Do(`
			UPDATE messages SET details = (
			    SELECT CASE WHEN ids = '' THEN '' ELSE '{"images":[' || ids || ']}' END FROM (
			        SELECT CAST($4 AS TEXT) || CASE WHEN CAST($4 AS TEXT) <> '' AND count(*) > 0 THEN ',' ELSE '' END
			            || COALESCE(string_agg('"' || id || '"', ',' ORDER BY created_at, id), '') AS ids
			        FROM files`+waiting+`) waiting)
			WHERE user_id = $1 AND id = $3`, t.UserID, t.SessionID, t.QuestionID, jsonElements(earlier)),
		db.Do(`UPDATE files SET question_id = $3`+waiting, t.UserID, t.SessionID, t.QuestionID),
	}, nil
}

// jsonElements returns ids as the elements of a list in JSON.
func jsonElements(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return `"` + strings.Join(ids, `","`) + `"`
}

// questionDetails are the details of a question.
type questionDetails struct {
	Images []string `json:"images,omitempty"`
}

func decodeImages(details string) ([]string, error) {
	if details == "" {
		return nil, nil
	}
	var decoded questionDetails
	if err := json.Unmarshal([]byte(details), &decoded); err != nil {
		return nil, fmt.Errorf("decode details: %w", err)
	}
	return decoded.Images, nil
}

// QuestionPictures returns the ids of the pictures that went with a user's question. They may have been deleted.
func (s *Store) QuestionPictures(ctx context.Context, userID int64, questionID string) ([]string, error) {
	details, err := db.ReadList(ctx, s.db, db.ScanOne[string],
		`SELECT details FROM messages WHERE user_id = $1 AND id = $2 AND role = 'user'`, userID, questionID)
	if err != nil {
		return nil, fmt.Errorf("find the pictures of a question: %w", err)
	}
	if len(details) == 0 {
		return nil, nil
	}
	return decodeImages(details[0])
}

// freePictures moves the pictures of a removed question to the next question.
func freePictures(userID int64, sessionID, questionID string) db.Step {
	return db.Do(`UPDATE files SET question_id = '' WHERE user_id = $1 AND session_id = $2 AND question_id = $3`,
		userID, sessionID, questionID)
}

// freeAllPictures does the same for all questions of a session.
func freeAllPictures(userID int64, sessionID string) db.Step {
	return db.Do(`UPDATE files SET question_id = '' WHERE user_id = $1 AND session_id = $2 AND question_id <> ''`,
		userID, sessionID)
}
