package chat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/id"
)

// Messages reads a page of a session, oldest first. A reply that is still being made
// shows its text so far.
func (s *Service) Messages(ctx context.Context, userID int64, sessionID string, page parley.Page) (parley.MessagesOutput, error) {
	var out parley.MessagesOutput
	if !id.Valid(sessionID) {
		return out, parley.ErrNoSuchSession
	}
	var err error
	out.Messages, out.Total, err = s.Store.Messages(ctx, userID, sessionID, page.Clamp())
	s.showLive(out.Messages)
	return out, err
}

// showLive puts the text so far of replies that this process makes into a page.
func (s *Service) showLive(messages []parley.Message) {
	for i := range messages {
		m := &messages[i]
		if m.Status != parley.StatusPending {
			continue
		}
		if t := s.liveTurn(m.ID); t != nil && !t.Redo {
			m.Content, m.Details = t.soFar()
		}
	}
}

// exportBatch is how many messages an export reads at a time.
const exportBatch = 200

// Export reads a whole session.
func (s *Service) Export(ctx context.Context, userID int64, sessionID string) (parley.Export, error) {
	if !id.Valid(sessionID) {
		return parley.Export{}, parley.ErrNoSuchSession
	}
	head, err := s.Store.Session(ctx, userID, sessionID)
	if err != nil {
		return parley.Export{}, err
	}
	export := parley.Export{
		SessionID: sessionID, Title: shownTitle(head.Title), CreatedAt: head.CreatedAt,
		ExportedAt: s.Now().Unix(), Messages: []parley.Message{},
	}
	for {
		batch, err := s.Store.MessagesAfter(ctx, userID, sessionID, int64(len(export.Messages)), exportBatch)
		if err != nil {
			return parley.Export{}, err
		}
		s.showLive(batch)
		export.Messages = append(export.Messages, batch...)
		if len(batch) < exportBatch {
			return export, nil
		}
	}
}

// ExportMarkdown reads a whole session as a Markdown document.
func (s *Service) ExportMarkdown(ctx context.Context, userID int64, sessionID string) (string, error) {
	export, err := s.Export(ctx, userID, sessionID)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", strings.Join(strings.Fields(export.Title), " "))
	for _, m := range export.Messages {
		who := "User"
		if m.Role == parley.RoleAssistant {
			who = "Assistant"
		}
		fmt.Fprintf(&b, "\n## %s · %s\n\n%s\n", who, time.Unix(m.Timestamp, 0).UTC().Format("2006-01-02 15:04 MST"), m.Content)
		for n, source := range m.Sources {
			fmt.Fprintf(&b, "\n[%d] %s <%s>\n", n+1, source.Title, source.URL)
		}
	}
	return b.String(), nil
}
