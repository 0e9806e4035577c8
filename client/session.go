package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"parley"
)

// CreateSession creates a session.
func (c *Client) CreateSession(
	ctx context.Context, in parley.CreateSessionInput,
) (out parley.CreateSessionOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/chat/session", in, &out)
	return out, err
}

// Sessions lists a page of the sessions that are not archived, latest activity first. With a keyword it lists those
// with the keyword in the title or a message. The zero page is the server's default.
func (c *Client) Sessions(ctx context.Context, keyword string, page parley.Page) (parley.SessionsOutput, error) {
	return c.FindSessions(ctx, parley.SessionFilter{Keyword: keyword}, page)
}

// FindSessions lists a page of the sessions that the filter selects, latest activity first.
func (c *Client) FindSessions(
	ctx context.Context, filter parley.SessionFilter, page parley.Page,
) (out parley.SessionsOutput, err error) {
	query := keywordQuery(filter.Keyword)
	if filter.Pinned {
		query.Set("pinned", "true")
	}
	if filter.Archived {
		query.Set("archived", "true")
	}
	err = c.do(ctx, http.MethodGet, withPage("/api/chat/sessions", page, query), nil, &out)
	return out, err
}

// Session returns one session.
func (c *Client) Session(ctx context.Context, sessionID string) (out parley.Session, err error) {
	err = c.do(ctx, http.MethodGet, sessionPath(sessionID), nil, &out)
	return out, err
}

// UpdateSession changes the given fields of a session.
func (c *Client) UpdateSession(ctx context.Context, sessionID string, in parley.UpdateSessionInput) error {
	return c.do(ctx, http.MethodPatch, sessionPath(sessionID), in, nil)
}

// RenameSession changes the title of a session.
func (c *Client) RenameSession(ctx context.Context, sessionID string, in parley.RenameSessionInput) error {
	return c.UpdateSession(ctx, sessionID, parley.UpdateSessionInput{Title: &in.Title})
}

// DeleteSession deletes a session with its messages, favorites and files.
func (c *Client) DeleteSession(ctx context.Context, sessionID string) error {
	return c.do(ctx, http.MethodDelete, sessionPath(sessionID), nil, nil)
}

// ClearSession deletes the messages of a session and keeps the session.
func (c *Client) ClearSession(ctx context.Context, sessionID string) error {
	return c.do(ctx, http.MethodPost, sessionPath(sessionID)+"/clear", nil, nil)
}

// Fork copies a session up to a visible message to a new session.
func (c *Client) Fork(ctx context.Context, sessionID string, in parley.ForkInput) (out parley.ForkOutput, err error) {
	err = c.do(ctx, http.MethodPost, sessionPath(sessionID)+"/fork", in, &out)
	return out, err
}

// Export returns a session with all its messages.
func (c *Client) Export(ctx context.Context, sessionID string) (out parley.Export, err error) {
	err = c.do(ctx, http.MethodGet, sessionPath(sessionID)+"/export?format=json", nil, &out)
	return out, err
}

// ExportMarkdown returns a session as a Markdown document of any length. The caller must close
// it.
func (c *Client) ExportMarkdown(ctx context.Context, sessionID string) (io.ReadCloser, error) {
	return c.download(ctx, sessionPath(sessionID)+"/export?format=markdown")
}

// ExportHTML returns a session as one HTML page of any length, which needs nothing else. The
// caller must close it.
func (c *Client) ExportHTML(ctx context.Context, sessionID string) (io.ReadCloser, error) {
	return c.download(ctx, sessionPath(sessionID)+"/export?format=html")
}

// download returns a response that has no envelope. The caller must close it.
func (c *Client) download(ctx context.Context, path string) (io.ReadCloser, error) {
	r, err := c.newRequest(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	response, err := open(c.http, r)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

func sessionPath(sessionID string) string {
	return "/api/chat/session/" + url.PathEscape(sessionID)
}

func keywordQuery(keyword string) url.Values {
	if keyword == "" {
		return url.Values{}
	}
	return url.Values{"keyword": {keyword}}
}
