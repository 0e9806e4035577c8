package api

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"parley"
	"parley/internal/account"
	"parley/internal/chat"
	"parley/internal/chat/export"
)

// SessionPath is a path with the id of a session.
type SessionPath struct {
	SessionID string `path:"session_id" doc:"The session." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
}

// Search is the keyword of a search.
type Search struct {
	Keyword string `query:"keyword" maxLength:"1000" doc:"Text to search for, in any script and of any length; blank means no search. Case is ignored. % and _ are plain characters." example:"ferry"`
}

// Resolve validates what a schema can't express.
func (k *Search) Resolve(huma.Context) []error {
	if !utf8.ValidString(k.Keyword) || strings.ContainsRune(k.Keyword, 0) {
		return []error{parley.Invalid("keyword must be valid text")}
	}
	return nil
}

func (a *API) createSession(
	ctx context.Context, in *body[parley.CreateSessionInput],
) (parley.CreateSessionOutput, error) {
	return a.chat.CreateSession(ctx, userID(ctx), in.Body)
}

// Page20 selects a page of a list, by default with 20 entries.
type Page20 struct {
	Page     int64 `query:"page" default:"1" minimum:"1" doc:"Page, from 1." example:"1"`
	PageSize int64 `query:"page_size" default:"20" minimum:"1" doc:"Entries per page. Values over 200 count as 200." example:"20"`
}

func (p Page20) page() parley.Page { return parley.Page{Number: p.Page, Size: p.PageSize} }

func (a *API) listSessions(ctx context.Context, in *struct {
	Page20
	Search
	Pinned   bool `query:"pinned" doc:"Whether to list pinned sessions only." example:"false"`
	Archived bool `query:"archived" doc:"Whether to list archived sessions only. Otherwise they are left out, but a search finds them." example:"false"`
},
) (parley.SessionsOutput, error) {
	filter := parley.SessionFilter{Keyword: in.Keyword, Pinned: in.Pinned, Archived: in.Archived}
	return a.chat.Sessions(ctx, userID(ctx), filter, in.page())
}

func (a *API) getSession(ctx context.Context, in *SessionPath) (parley.Session, error) {
	return a.chat.Session(ctx, userID(ctx), in.SessionID)
}

func (a *API) updateSession(ctx context.Context, in *struct {
	SessionPath
	Body parley.UpdateSessionInput
},
) (parley.Done, error) {
	return parley.Done{}, a.chat.UpdateSession(ctx, userID(ctx), in.SessionID, in.Body)
}

func (a *API) deleteSession(ctx context.Context, in *SessionPath) (parley.Done, error) {
	if err := a.chat.DeleteSession(ctx, userID(ctx), in.SessionID); err != nil {
		return parley.Done{}, err
	}
	a.accounts.AuditDeletion(ctx, account.SessionDeleted, identity(ctx), in.SessionID, caller(ctx))
	return parley.Done{}, nil
}

func (a *API) clearSession(ctx context.Context, in *SessionPath) (parley.Done, error) {
	if err := a.chat.ClearSession(ctx, userID(ctx), in.SessionID); err != nil {
		return parley.Done{}, err
	}
	a.accounts.AuditDeletion(ctx, account.SessionCleared, identity(ctx), in.SessionID, caller(ctx))
	return parley.Done{}, nil
}

func (a *API) forkSession(ctx context.Context, in *struct {
	SessionPath
	Body parley.ForkInput
},
) (parley.ForkOutput, error) {
	return a.chat.Fork(ctx, userID(ctx), in.SessionID, in.Body)
}

// exportSession sends a session as a Markdown document or an HTML page, or as JSON in the envelope.
func (a *API) exportSession(ctx context.Context, in *struct {
	SessionPath
	Format string `query:"format" default:"markdown" enum:"markdown,html,json" doc:"markdown: a document to download; html: a page to download; json: in the envelope." example:"json"`
},
) (pieces, error) {
	session, messages, err := a.chat.Export(ctx, userID(ctx), in.SessionID)
	if err != nil {
		return pieces{}, err
	}
	switch in.Format {
	case "json":
		session.Messages = []parley.Message{}
		return jsonEntries(messages, "messages", encodeMessage, func() any { return newEnvelope(session) }), nil
	case "html":
		return document(messages, export.HTML(session)), nil
	default:
		return document(messages, export.Markdown(session)), nil
	}
}

// document returns a session as a document to download.
func document(messages *chat.List[chat.Message], to export.Document) pieces {
	begun := false
	next := func(ctx context.Context, out *bytes.Buffer) (bool, error) {
		if begun {
			if err := messages.Next(ctx); err != nil {
				return false, err
			}
		} else {
			out.WriteString(to.Begin)
		}
		begun = true
		for _, stored := range messages.Batch {
			m, err := stored.Decode()
			if err != nil {
				return false, err
			}
			out.WriteString(to.Message(m))
		}
		messages.Batch = nil
		if !messages.More() {
			out.WriteString(to.End)
		}
		return messages.More(), nil
	}
	return pieces{next: next, contentType: to.Type, filename: to.Name}
}
