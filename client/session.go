package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"parley"
)

// CreateSession makes a session.
func (c *Client) CreateSession(ctx context.Context, in parley.CreateSessionInput) (out parley.CreateSessionOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/chat/session", in, &out)
	return out, err
}

// Sessions lists a page of the sessions, latest activity first; with a keyword, those
// that have it in their title or a message. The zero page is the server's default.
func (c *Client) Sessions(ctx context.Context, keyword string, page parley.Page) (out parley.SessionsOutput, err error) {
	err = c.do(ctx, http.MethodGet, withPage("/api/chat/sessions", page, keywordQuery(keyword)), nil, &out)
	return out, err
}

// RenameSession gives a session another title.
func (c *Client) RenameSession(ctx context.Context, sessionID string, in parley.RenameSessionInput) error {
	return c.do(ctx, http.MethodPatch, sessionPath(sessionID), in, nil)
}

// DeleteSession removes a session with its messages, favorites and files.
func (c *Client) DeleteSession(ctx context.Context, sessionID string) error {
	return c.do(ctx, http.MethodDelete, sessionPath(sessionID), nil, nil)
}

// ClearSession removes the messages of a session and keeps the session.
func (c *Client) ClearSession(ctx context.Context, sessionID string) error {
	return c.do(ctx, http.MethodPost, sessionPath(sessionID)+"/clear", nil, nil)
}

// Export gives the whole of a session.
func (c *Client) Export(ctx context.Context, sessionID string) (out parley.Export, err error) {
	err = c.do(ctx, http.MethodGet, sessionPath(sessionID)+"/export?format=json", nil, &out)
	return out, err
}

// ExportMarkdown gives the whole of a session as a Markdown document, however long.
// The caller closes it.
func (c *Client) ExportMarkdown(ctx context.Context, sessionID string) (io.ReadCloser, error) {
	r, err := c.newRequest(ctx, http.MethodGet, sessionPath(sessionID)+"/export?format=markdown", nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.open(r)
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
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
