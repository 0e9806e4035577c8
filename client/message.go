package client

import (
	"context"
	"net/http"
	"net/url"

	"parley"
)

// Send sends a message and waits for the reply. If the reply takes longer than the server's time
// limit, see Error.Late.
func (c *Client) Send(
	ctx context.Context, in parley.SendInput, options ...SendOption,
) (out parley.SendOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/chat/send", in, &out, options...)
	return out, err
}

// Regenerate generates the last reply of a session again. The reply keeps its id, and its old text
// becomes another version of it.
func (c *Client) Regenerate(
	ctx context.Context, sessionID string, in parley.RegenerateInput,
) (out parley.SendOutput, err error) {
	err = c.do(ctx, http.MethodPost, sessionPath(sessionID)+"/regenerate", in, &out)
	return out, err
}

// Continue continues the last reply of a session, which was stopped or interrupted. The reply keeps
// its id.
func (c *Client) Continue(
	ctx context.Context, sessionID string, in parley.RegenerateInput,
) (out parley.SendOutput, err error) {
	err = c.do(ctx, http.MethodPost, sessionPath(sessionID)+"/continue", in, &out)
	return out, err
}

// ShowVersion shows a version of a message, from 1, and the messages that followed it. Version 0 is
// the one with this id.
func (c *Client) ShowVersion(ctx context.Context, messageID string, version int64) error {
	path := "/api/chat/message/" + url.PathEscape(messageID) + "/version"
	return c.do(ctx, http.MethodPost, path, parley.VersionInput{Version: version}, nil)
}

// Rate keeps what the user thinks of a reply: 1, -1, or 0 for nothing.
func (c *Client) Rate(ctx context.Context, messageID string, rating int64) error {
	path := "/api/chat/message/" + url.PathEscape(messageID) + "/rating"
	return c.do(ctx, http.MethodPost, path, parley.RatingInput{Rating: rating}, nil)
}

// Messages lists a page of a session's messages, oldest first. The zero page is the
// server's default.
func (c *Client) Messages(
	ctx context.Context, sessionID string, page parley.Page,
) (out parley.MessagesOutput, err error) {
	query := url.Values{"session_id": {sessionID}}
	err = c.do(ctx, http.MethodGet, withPage("/api/chat/messages", page, query), nil, &out)
	return out, err
}

// Models lists the available models, the default first.
func (c *Client) Models(ctx context.Context) (out parley.ModelsOutput, err error) {
	err = c.do(ctx, http.MethodGet, "/api/models", nil, &out)
	return out, err
}
