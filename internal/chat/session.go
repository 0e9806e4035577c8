package chat

import (
	"context"
	"strings"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// CreateSession creates a session.
func (s *Service) CreateSession(
	ctx context.Context, userID int64, in parley.CreateSessionInput,
) (parley.CreateSessionOutput, error) {
	title, err := trimTitle(in.Title)
	if err != nil {
		return parley.CreateSessionOutput{}, err
	}
	expires, err := s.expiry(in.ExpiresIn)
	if err != nil {
		return parley.CreateSessionOutput{}, err
	}
	if in.Temporary {
		if in.Pinned || in.Archived || in.ExpiresIn != 0 {
			return parley.CreateSessionOutput{}, errTemporary
		}
		expires = s.now().Add(parley.TemporaryLife)
	}
	session := store.NewSession{
		ID:           id.New(),
		UserID:       userID,
		Title:        title,
		Pinned:       in.Pinned,
		Archived:     in.Archived,
		Instructions: in.Instructions,
		ExpiresAt:    expires,
		Temporary:    in.Temporary,
		Now:          s.now(),
	}
	if err := s.store.CreateSession(ctx, session); err != nil {
		return parley.CreateSessionOutput{}, err
	}
	return parley.CreateSessionOutput{
		SessionID: session.ID,
		Title:     ShownTitle(session.Title),
		Untitled:  session.Title == "",
		CreatedAt: session.Now.Unix(),
		ExpiresAt: unixOrZero(expires),
		Temporary: in.Temporary,
	}, nil
}

// errTemporary refuses what a temporary session can't have.
var errTemporary = parley.Invalid(
	"a temporary session can't be pinned or archived, and takes no expires_in")

// Sessions returns a page of the user's sessions that the filter selects, latest activity first.
func (s *Service) Sessions(
	ctx context.Context, userID int64, filter parley.SessionFilter, page parley.Page,
) (parley.SessionsOutput, error) {
	var out parley.SessionsOutput
	var err error
	page = page.Clamp()
	if strings.TrimSpace(filter.Keyword) == "" {
		kept := store.SessionFilter{Pinned: filter.Pinned, Archived: filter.Archived}
		out.Sessions, out.Total, err = s.store.Sessions(ctx, userID, kept, page)
	} else {
		key := newKeyword(filter.Keyword)
		key.Pinned, key.Archived = filter.Pinned, filter.Archived
		out.Sessions, out.Total, err = s.store.FindSessions(ctx, userID, key, page)
	}
	for i := range out.Sessions {
		out.Sessions[i].Untitled = out.Sessions[i].Title == ""
		out.Sessions[i].Title = ShownTitle(out.Sessions[i].Title)
	}
	out.HasMore = page.More(out.Total)
	return out, err
}

// Session returns one of the user's sessions.
func (s *Service) Session(ctx context.Context, userID int64, sessionID string) (parley.Session, error) {
	head, err := s.session(ctx, userID, sessionID)
	if err != nil {
		return parley.Session{}, err
	}
	return parley.Session{
		ID:              sessionID,
		Title:           ShownTitle(head.Title),
		Untitled:        head.Title == "",
		MessageCount:    head.MessageCount,
		LastMessageTime: head.LastMessageAt,
		Pinned:          head.Pinned,
		Archived:        head.Archived,
		Instructions:    head.Instructions,
		ExpiresAt:       head.ExpiresAt,
		Temporary:       head.Temporary,
	}, nil
}

// UpdateSession changes the given fields of a session.
func (s *Service) UpdateSession(
	ctx context.Context, userID int64, sessionID string, in parley.UpdateSessionInput,
) error {
	if in == (parley.UpdateSessionInput{}) {
		return parley.Invalid("title is required")
	}
	change := store.SessionChange{Pinned: in.Pinned, Archived: in.Archived, Instructions: in.Instructions}
	if in.Title != nil {
		title, err := trimTitle(*in.Title)
		if err != nil {
			return err
		}
		if title == "" {
			return parley.Invalid("title must not be blank")
		}
		change.Title = &title
	}
	if in.ExpiresIn != nil {
		expires, err := s.expiry(*in.ExpiresIn)
		if err != nil {
			return err
		}
		change.ExpiresAt = &expires
	}
	if !id.Valid(sessionID) {
		return parley.ErrNoSuchSession
	}
	if in.Pinned != nil || in.Archived != nil || in.ExpiresIn != nil {
		head, err := s.store.Session(ctx, userID, sessionID)
		if err != nil {
			return err
		}
		if head.Temporary {
			return errTemporary
		}
	}
	return s.store.UpdateSession(ctx, userID, sessionID, change)
}

// DeleteSession deletes a session with its messages and files, and ends its open turn.
func (s *Service) DeleteSession(ctx context.Context, userID int64, sessionID string) error {
	if !id.Valid(sessionID) {
		return parley.ErrNoSuchSession
	}
	endTurns := s.turns.Ending(sessionID)
	if err := s.store.DeleteSession(ctx, userID, sessionID); err != nil {
		return err
	}
	endTurns()
	s.library.TriggerCleanup()
	return nil
}

// ClearSession deletes a session's messages and ends its open turn.
func (s *Service) ClearSession(ctx context.Context, userID int64, sessionID string) error {
	if !id.Valid(sessionID) {
		return parley.ErrNoSuchSession
	}
	endTurns := s.turns.Ending(sessionID)
	if err := s.store.ClearSession(ctx, userID, sessionID); err != nil {
		return err
	}
	endTurns()
	return nil
}

// EndUser ends the open turns of a deleted account and removes its files.
func (s *Service) EndUser(userID int64) {
	s.turns.EndUser(userID)
	s.library.TriggerCleanup()
}
