package importer

import (
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/extract/history"
	"parley/internal/id"
)

// isHere reports whether the session that a conversation was exported from still begins with its messages. It may have
// been cleared and used for others since. The last reply may have been continued.
func (j *job) isHere(ctx context.Context, c history.Conversation) (bool, error) {
	if !id.Valid(c.SessionID) {
		return false, nil
	}
	size := 0
	for _, m := range c.Messages {
		size += len(m.Content)
	}
	now, err := j.beginning(ctx, c.SessionID, size)
	if err != nil || len(now) < len(c.Messages) {
		return false, err
	}
	last := len(c.Messages) - 1
	for i, m := range c.Messages {
		isSame := m.Content == now[i].Content || i == last && strings.HasPrefix(now[i].Content, m.Content)
		if m.Role != now[i].Role || !isSame {
			return false, nil
		}
	}
	return true, nil
}

// beginning returns the first messages of a session, up to a size together, arranged like the messages of an export. It
// returns none if there is no such session.
func (j *job) beginning(ctx context.Context, sessionID string, size int) ([]history.Message, error) {
	const slack = history.MaxReply // for questions without a reply, which an export leaves out
	var messages []history.Message
	for after, previous := int64(0), ""; size+slack > 0; {
		batch, _, err := j.Store.MessagesAfter(ctx, j.open.UserID, sessionID, after, history.MaxMessages, previous)
		if errors.Is(err, parley.ErrNoSuchSession) {
			return nil, nil // it was deleted, or cleared meanwhile
		}
		if err != nil {
			return nil, err
		}
		if len(batch) == 0 {
			break
		}
		for _, stored := range batch {
			m, err := stored.Decode()
			if err != nil {
				return nil, err
			}
			messages = append(messages, history.Message{Role: m.Role, Content: m.Content, Thinking: m.Thinking})
			size -= len(m.Content)
		}
		after, previous = after+int64(len(batch)), batch[len(batch)-1].ID
	}
	return history.Entry{Conversation: history.Conversation{Messages: messages}}.Check().Messages, nil
}
