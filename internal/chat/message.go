package chat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/id"
)

// Messages returns a page of a session's messages, oldest first. A reply in progress has its text so far.
func (s *Service) Messages(
	ctx context.Context, userID int64, sessionID string, page parley.Page,
) (parley.MessagesOutput, error) {
	var out parley.MessagesOutput
	if !id.Valid(sessionID) {
		return out, parley.ErrNoSuchSession
	}
	var err error
	out.Messages, out.Total, err = s.store.Messages(ctx, userID, sessionID, page.Clamp())
	s.turns.ShowLive(out.Messages)
	return out, err
}

// exportBatch is how many messages an export reads at a time.
const exportBatch = 200

// Export returns a whole session.
func (s *Service) Export(ctx context.Context, userID int64, sessionID string) (parley.Export, error) {
	session, err := s.session(ctx, userID, sessionID)
	if err != nil {
		return parley.Export{}, err
	}
	export := parley.Export{
		SessionID:  sessionID,
		Title:      shownTitle(session.Title),
		CreatedAt:  session.CreatedAt,
		ExportedAt: s.now().Unix(),
		Messages:   []parley.Message{},
	}
	for {
		batch, err := s.store.MessagesAfter(ctx, userID, sessionID, int64(len(export.Messages)), exportBatch)
		if err != nil {
			return parley.Export{}, err
		}
		s.turns.ShowLive(batch)
		export.Messages = append(export.Messages, batch...)
		if len(batch) < exportBatch {
			return export, nil
		}
	}
}

// ExportMarkdown returns a whole session as a Markdown document.
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
		sent := time.Unix(m.Timestamp, 0).UTC().Format("2006-01-02 15:04 MST")
		fmt.Fprintf(&b, "\n## %s · %s\n\n%s\n", who, sent, m.Content)
		for n, source := range m.Sources {
			fmt.Fprintf(&b, "\n[%d] %s <%s>\n", n+1, source.Title, source.URL)
		}
	}
	return b.String(), nil
}
