package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley/internal/db"
)

// addPictures runs the steps that store a question and its open reply. The pictures of the session that no question
// went with go with this one, and if it replaces another, that one's too. Their ids are in the question's details.
func (s *Store) addPictures(ctx context.Context, t NewTurn, steps []db.Step) error {
	if t.NoFiles {
		return s.db.Change(ctx, steps...)
	}
	return s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		if err := s.db.RunSteps(ctx, q, steps); err != nil {
			return err
		}
		pictures, err := db.List(ctx, q, db.ScanOne[string], `
			SELECT id FROM files WHERE user_id = $1 AND session_id = $2 AND picture_size > 0 AND question_id = ''
			ORDER BY created_at, id`, t.UserID, t.SessionID)
		if err != nil {
			return err
		}
		earlier, err := replacedPictures(ctx, q, t)
		if err != nil || len(earlier)+len(pictures) == 0 {
			return err
		}
		details, err := json.Marshal(questionDetails{Images: slices.Concat(earlier, pictures)})
		if err != nil {
			return fmt.Errorf("encode details: %w", err)
		}
		return s.db.RunSteps(ctx, q, []db.Step{
			db.Do(`
				UPDATE files SET question_id = $3
				WHERE user_id = $1 AND session_id = $2 AND picture_size > 0 AND question_id = ''`,
				t.UserID, t.SessionID, t.QuestionID),
			db.Do(`UPDATE messages SET details = $3 WHERE user_id = $1 AND id = $2`, t.UserID, t.QuestionID, string(details)),
		})
	})
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

func replacedPictures(ctx context.Context, q db.Querier, t NewTurn) ([]string, error) {
	if t.Replaces == "" {
		return nil, nil
	}
	return picturesOf(ctx, q, t.UserID, t.Replaces)
}

func picturesOf(ctx context.Context, q db.Querier, userID int64, questionID string) ([]string, error) {
	details, err := db.List(ctx, q, db.ScanOne[string],
		`SELECT details FROM messages WHERE user_id = $1 AND id = $2 AND role = 'user'`, userID, questionID)
	if err != nil || len(details) == 0 {
		return nil, err
	}
	return decodeImages(details[0])
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

// freePictures makes the pictures of a question that is removed go with the next one.
func freePictures(userID int64, sessionID, questionID string) db.Step {
	return db.Do(`UPDATE files SET question_id = '' WHERE user_id = $1 AND session_id = $2 AND question_id = $3`,
		userID, sessionID, questionID)
}

// freeAllPictures does the same for all questions of a session.
func freeAllPictures(userID int64, sessionID string) db.Step {
	return db.Do(`UPDATE files SET question_id = '' WHERE user_id = $1 AND session_id = $2 AND question_id <> ''`,
		userID, sessionID)
}
