package chat

import (
	"context"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/casefold"
	"parley/internal/id"
	"parley/internal/store"
)

// CreateSession makes a session.
func (s *Service) CreateSession(ctx context.Context, userID int64, in parley.CreateSessionInput) (parley.CreateSessionOutput, error) {
	session := store.NewSession{ID: id.New(), UserID: userID, Title: strings.TrimSpace(in.Title), Now: s.Now()}
	if err := s.Store.CreateSession(ctx, session); err != nil {
		return parley.CreateSessionOutput{}, err
	}
	return parley.CreateSessionOutput{SessionID: session.ID, Title: shownTitle(session.Title), CreatedAt: session.Now.Unix()}, nil
}

// Sessions reads a page of the user's sessions, latest activity first; with a keyword
// those whose title or one of whose messages holds it.
func (s *Service) Sessions(ctx context.Context, userID int64, keyword string, page parley.Page) (parley.SessionsOutput, error) {
	var out parley.SessionsOutput
	var err error
	page = page.Clamp()
	if strings.TrimSpace(keyword) == "" {
		out.Sessions, out.Total, err = s.Store.Sessions(ctx, userID, page)
	} else {
		key := casefold.Key(keyword)
		untitled := strings.Contains(casefold.Key(parley.DefaultTitle), key)
		out.Sessions, out.Total, err = s.Store.FindSessions(ctx, userID, store.Keyword{Key: key, Untitled: untitled}, page)
	}
	for i := range out.Sessions {
		out.Sessions[i].Title = shownTitle(out.Sessions[i].Title)
	}
	out.HasMore = page.More(out.Total)
	return out, err
}

// RenameSession gives a session another title.
func (s *Service) RenameSession(ctx context.Context, userID int64, sessionID string, in parley.RenameSessionInput) error {
	title := strings.TrimSpace(in.Title)
	if title == "" {
		return parley.Invalid("title must not be blank")
	}
	if !id.Valid(sessionID) {
		return parley.ErrNoSuchSession
	}
	return s.Store.RenameSession(ctx, userID, sessionID, title)
}

// DeleteSession removes a session with all that belongs to it and ends its turn.
func (s *Service) DeleteSession(ctx context.Context, userID int64, sessionID string) error {
	if !id.Valid(sessionID) {
		return parley.ErrNoSuchSession
	}
	if err := s.Store.DeleteSession(ctx, userID, sessionID); err != nil {
		return err
	}
	s.endSession(sessionID)
	s.Library.TriggerCleanup()
	return nil
}

// ClearSession removes a session's messages and ends its turn.
func (s *Service) ClearSession(ctx context.Context, userID int64, sessionID string) error {
	if !id.Valid(sessionID) {
		return parley.ErrNoSuchSession
	}
	if err := s.Store.ClearSession(ctx, userID, sessionID); err != nil {
		return err
	}
	s.endSession(sessionID)
	return nil
}

// endSession ends the turn of a session whose messages are gone, wherever it is made.
func (s *Service) endSession(sessionID string) {
	s.endTurns(func(t *turn) bool { return t.SessionID == sessionID })
	s.news.tell(store.TurnStopped, sessionID)
	s.news.tell(store.SessionFree, sessionID)
}

// EndUser ends the turns of a user whose account is gone.
func (s *Service) EndUser(userID int64) {
	s.endTurns(func(t *turn) bool { return t.UserID == userID })
	s.Library.TriggerCleanup()
}

func shownTitle(title string) string {
	if title == "" {
		return parley.DefaultTitle
	}
	return title
}

// titleFrom makes a session's title from its first message: the first line that says
// something, not too long, cut between words where there are any.
func titleFrom(content string) string {
	const most = 60
	line := ""
	for candidate := range strings.Lines(content) {
		line = strings.Join(strings.Fields(strings.TrimLeft(candidate, "#>*- \t")), " ")
		if line != "" {
			break
		}
	}
	if line == "" {
		line = strings.Join(strings.Fields(content), " ")
	}
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	cut := string([]rune(line)[:most])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return cut + "…"
}
