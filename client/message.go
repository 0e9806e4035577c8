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

// Regenerate replaces the last reply of a session. The reply keeps its id.
func (c *Client) Regenerate(
	ctx context.Context, sessionID string, in parley.RegenerateInput,
) (out parley.SendOutput, err error) {
	err = c.do(ctx, http.MethodPost, sessionPath(sessionID)+"/regenerate", in, &out)
	return out, err
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
