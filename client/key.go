package client

import (
	"context"
	"net/http"
	"net/url"

	"parley"
)

// CreateKey creates a key. The client goes on with its token: give the key to WithToken.
func (c *Client) CreateKey(ctx context.Context, in parley.KeyInput) (out parley.KeyOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/user/keys", in, &out)
	return out, err
}

// Keys lists the account's keys, newest first.
func (c *Client) Keys(ctx context.Context) (out parley.KeysOutput, err error) {
	err = c.do(ctx, http.MethodGet, "/api/user/keys", nil, &out)
	return out, err
}

// DeleteKey ends one of the account's keys.
func (c *Client) DeleteKey(ctx context.Context, keyID string) error {
	return c.do(ctx, http.MethodDelete, "/api/user/keys/"+url.PathEscape(keyID), nil, nil)
}
