package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/extract/history"
	"parley/internal/id"
	"parley/internal/store"
)

// newSession returns the session of a conversation. Times that are missing, in the future or out of order are replaced
// by the nearest possible ones.
func newSession(c history.Conversation, knows func(model string) bool, now time.Time) store.ImportedSession {
	created := startOf(c, now.UnixMicro())
	session := store.ImportedSession{
		ID: id.New(), Title: titleOf(c), CreatedAt: time.UnixMicro(created), Archived: c.Archived, Digest: digest(c),
	}
	at := created
	for _, m := range c.Messages {
		at = max(at, min(m.At, now.UnixMicro()))
		made := store.ImportedMessage{
			ID: id.New(), Role: m.Role, Content: m.Content, Status: m.Status, At: time.UnixMicro(at),
			Details: parley.Details{Thinking: m.Thinking, Sources: m.Sources},
		}
		if m.Model != "" && knows(m.Model) {
			made.Details.Model = m.Model
		}
		session.Messages = append(session.Messages, made)
	}
	return session
}

// startOf returns when a conversation was created: at its own time or that of its first message, whichever is earlier.
func startOf(c history.Conversation, now int64) int64 {
	start := now
	for _, m := range c.Messages {
		if m.At > 0 {
			start = min(start, m.At)
			break
		}
	}
	if c.CreatedAt > 0 {
		start = min(start, c.CreatedAt)
	}
	return start
}

func titleOf(c history.Conversation) string {
	if c.Title != "" {
		return c.Title
	}
	return chat.TitleFrom(c.Messages[0].Content)
}

// digest identifies a conversation by its messages and their times. A conversation that was continued since then counts
// as another one.
func digest(c history.Conversation) string {
	hash := sha256.New()
	for _, m := range c.Messages {
		_, _ = fmt.Fprintf(hash, "%s %d %d\n%s\n", m.Role, m.At, len(m.Content), m.Content) // never fails
	}
	return hex.EncodeToString(hash.Sum(nil))
}
