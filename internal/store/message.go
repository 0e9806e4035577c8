package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/db"
)

// Message is a message of a session. Most who read one pass its details on as they are, so they are not decoded.
type Message struct {
	parley.Message
	// Stored are the details in JSON, as the API has them. If it is empty, Details has them.
	Stored string
}

// Decode returns the message with its details.
func (m Message) Decode() (parley.Message, error) {
	var err error
	if m.Stored != "" {
		m.Details, err = decodeDetails(m.Stored)
	}
	return m.Message, err
}

// Messages returns a page of a session, oldest first, and the session's number of
// messages. A page is a range of numbers, so any page costs the same. If it has more than
// MaxBatch bytes of text, only its first messages are returned: as many as fit, but at
// least one. MessagesAfter returns the next.
func (s *Store) Messages(
	ctx context.Context, userID int64, sessionID string, page parley.Page,
) ([]Message, int64, error) {
	skip, size := pageRange(page)
	return s.messages(ctx, userID, sessionID, skip, skip+size, "")
}

// MessagesAfter returns the messages after a number, up to the number last, bounded like
// a page. If previous is the id of a message, that message must still have the number
// after. Otherwise the session was cleared or shows another version since, and the error is
// parley.ErrNoSuchSession, as if it was deleted.
func (s *Store) MessagesAfter(
	ctx context.Context, userID int64, sessionID string, after, last int64, previous string,
) ([]Message, int64, error) {
	return s.messages(ctx, userID, sessionID, after, last, previous)
}

func (s *Store) messages(
	ctx context.Context, userID int64, sessionID string, after, last int64, previous string,
) ([]Message, int64, error) {
	args := []any{sessionID, userID, after, last}
	unchanged := ""
	if previous != "" {
		unchanged = ` AND EXISTS (
		    SELECT 1 FROM messages p WHERE p.user_id = $2 AND p.session_id = $1 AND p.number = $3 AND p.id = $5
		    AND p.branch = ` + branchAt(`p.number`, `$2`) + `)`
		args = append(args, previous)
	}
	// Every row has the total, which keeps the page and the total consistent. If the page is empty, there is one row with
	// nothing but the total. Without a session there is no row.
	row := messageRow{total: -1}
	messages, err := db.ReadList(ctx, s.db, row.scan, `
		SELECT s.message_count, m.id, m.role, m.created_at, `+isFavorite+`,
		       m.id = (SELECT message_id FROM turns WHERE user_id = $2 AND session_id = $1), m.details,
		       CASE WHEN m.id = (SELECT message_id FROM turns WHERE user_id = $2 AND session_id = $1
		                AND (redo = 0 OR redo = 2 AND content <> ''))
		            THEN (SELECT content FROM turns WHERE user_id = $2 AND session_id = $1) ELSE m.content END,
		       m.status, m.rating, `+versionColumns+`
		FROM sessions s
		LEFT JOIN messages m ON m.user_id = $2 AND m.session_id = $1 AND m.number > $3 AND m.number <= $4
		    AND `+isVisible(`$2`)+`
		LEFT JOIN branches o ON o.user_id = $2 AND o.session_id = $1 AND o.branch = m.branch
		WHERE s.user_id = $2 AND s.id = $1`+unchanged+`
		ORDER BY m.number`, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list messages: %w", err)
	}
	if row.total < 0 {
		return nil, 0, parley.ErrNoSuchSession
	}
	if messages[0].ID == "" {
		messages = messages[:0]
	}
	return messages, row.total, nil
}

// isFavorite is the SQL for whether message m of session s and user $2 is a favorite. The versions of a
// reply share their id and favorite.
const isFavorite = `m.favorite_id IS NOT NULL OR s.branches > 0 AND EXISTS (
		    SELECT 1 FROM messages v WHERE v.user_id = $2 AND v.id = m.id AND v.favorite_id IS NOT NULL)`

// versionColumns are the version number of message m of session s and user $2, and how many versions there are. o is
// the branch of m. If o begins with m, the first version is in the parent.
const (
	versionColumns = `CASE WHEN s.branches > 0 AND o.first = m.number
		           THEN (SELECT 1 + count(*)` + otherVersions + ` AND v.branch <= o.branch) ELSE 1 END,
		       CASE WHEN s.branches > 0 THEN (SELECT 1 + count(*)` + otherVersions + `) ELSE 1 END`
	otherVersions = ` FROM branches v WHERE v.user_id = $2 AND v.session_id = s.id AND v.first = m.number
		           AND v.parent = CASE WHEN o.first = m.number THEN o.parent ELSE o.branch END`
)

// messageRow is a row of a page. It is used again for each of them, since each of its fields would be allocated.
type messageRow struct {
	total                              int64 // messages of the session
	id, role, details, content, status sql.NullString
	at, rating                         sql.NullInt64
	favorited                          bool
	open                               sql.NullBool // its reply is being generated
	version, versions                  int64
	batch                              batch
}

// scan reads the next message. It returns db.ErrStop if the page is full.
func (r *messageRow) scan(rows *sql.Rows) (m Message, err error) {
	err = rows.Scan(&r.total, &r.id, &r.role, &r.at, &r.favorited, &r.open, &r.details, &r.content, &r.status,
		&r.rating, &r.version, &r.versions)
	if err != nil {
		return m, err
	}
	if !r.batch.add(len(r.content.String) + len(r.details.String)) {
		return m, db.ErrStop
	}
	m = Message{Message: parley.Message{
		ID: r.id.String, Role: r.role.String, Content: r.content.String, Timestamp: seconds(r.at.Int64),
		IsFavorited: r.favorited, Status: publicStatus(r.status.String), Rating: r.rating.Int64,
	}}
	if r.open.Bool {
		m.Status = parley.StatusPending
	}
	if r.versions > 1 {
		m.Version, m.Versions = r.version, r.versions
	}
	if m.Role != parley.RoleUser && !hasEscape(r.details.String) {
		m.Stored = r.details.String
		return m, nil
	}
	err = setDetails(&m.Message, r.details.String)
	return m, err
}

// hasEscape reports whether JSON may differ from what the API sends: earlier versions stored <, > and & as \u003c,
// \u003e and \u0026.
func hasEscape(details string) bool { return strings.Contains(details, `\u`) }

// setDetails sets the stored details of a message: the pictures of a question, or how a reply was generated.
func setDetails(m *parley.Message, details string) (err error) {
	if m.Role == parley.RoleUser {
		m.Images, err = decodeImages(details)
		return err
	}
	m.Details, err = decodeDetails(details)
	return err
}

// HistoryTurn is a question and its reply.
type HistoryTurn struct {
	Question string
	Reply    string
	// Images are the ids of the pictures that went with the question. They may have been deleted.
	Images []string
}

// History returns up to limit turns of the session of t before the question with a number, newest first.
// Like a page it is a range of numbers.
func (s *Store) History(ctx context.Context, t *Turn, question, limit int64) ([]HistoryTurn, error) {
	type text struct{ content, details string }
	columns := `m.content`
	if !t.NoPictures { // most sessions have none
		columns += `, CASE WHEN m.role = 'user' THEN m.details ELSE '' END`
	}
	texts, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (one text, err error) {
		if t.NoPictures {
			err = rows.Scan(&one.content)
		} else {
			err = rows.Scan(&one.content, &one.details)
		}
		return one, err
	}, `
		SELECT `+columns+` FROM sessions s
		JOIN messages m ON m.user_id = $4 AND m.session_id = $1 AND m.number >= $2 AND m.number < $3
		    AND `+isVisible(`$4`)+`
		WHERE s.user_id = $4 AND s.id = $1
		ORDER BY m.number DESC`, t.SessionID, question-2*limit, question, t.UserID)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	turns := make([]HistoryTurn, len(texts)/2)
	for i := range turns {
		turns[i] = HistoryTurn{Reply: texts[2*i].content, Question: texts[2*i+1].content}
		if turns[i].Images, err = decodeImages(texts[2*i+1].details); err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
	}
	return turns, nil
}

// deleteMessages deletes the messages of a session that meet a condition, with their favorites. The arguments of the
// condition begin with the user and the session. The session must be locked: no favorite may be added or removed
// meanwhile.
func deleteMessages(condition string, args ...any) []db.Step {
	condition = `user_id = $1 AND session_id = $2` + condition
	return []db.Step{
		db.Do(`UPDATE users SET favorite_count = favorite_count - (
			    SELECT count(*) FROM messages WHERE `+condition+` AND favorite_id IS NOT NULL)
			WHERE id = $1 AND favorite_count > 0`, args...),
		db.Do(`DELETE FROM messages WHERE `+condition, args...),
	}
}

// encodeDetails returns the stored form of a message's details: empty if there are none.
func encodeDetails(d parley.Details) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // as in the API
	if err := encoder.Encode(d); err != nil {
		return "", fmt.Errorf("encode details: %w", err)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	if text == "{}" {
		return "", nil
	}
	return text, nil
}

func decodeDetails(text string) (d parley.Details, err error) {
	if text == "" {
		return d, nil
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("decode details: %w", err)
	}
	return d, nil
}
