package chat

import (
	"context"
	"strings"

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

// ExportMarkdown returns a whole session as a Markdown document, and the document's file name.
func (s *Service) ExportMarkdown(
	ctx context.Context, userID int64, sessionID string,
) (name, document string, err error) {
	export, err := s.Export(ctx, userID, sessionID)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	b.WriteString(markdownTitle(export.Title))
	for _, m := range export.Messages {
		b.WriteString(markdownMessage(m))
	}
	return exportName(export.Title), b.String(), nil
}
