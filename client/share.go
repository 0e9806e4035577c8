package client

import (
	"context"
	"net/http"
	"net/url"

	"parley"
)

// Share makes a snapshot of a session that anyone with its link can read.
func (c *Client) Share(
	ctx context.Context, sessionID string, in parley.ShareInput,
) (out parley.ShareOutput, err error) {
	err = c.do(ctx, http.MethodPost, sessionPath(sessionID)+"/share", in, &out)
	return out, err
}

// Shares lists the shares that have not ended, newest first.
func (c *Client) Shares(ctx context.Context) (out parley.SharesOutput, err error) {
	err = c.do(ctx, http.MethodGet, "/api/shares", nil, &out)
	return out, err
}

// DeleteShare withdraws a share.
func (c *Client) DeleteShare(ctx context.Context, shareID string) error {
	return c.do(ctx, http.MethodDelete, "/api/shares/"+url.PathEscape(shareID), nil, nil)
}

// ReadShare returns a shared session. It needs no token.
func (c *Client) ReadShare(ctx context.Context, shareID string) (out parley.SharedSession, err error) {
	err = c.do(ctx, http.MethodGet, "/api/share/"+url.PathEscape(shareID), nil, &out)
	return out, err
}
