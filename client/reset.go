package client

import (
	"context"
	"net/http"

	"parley"
)

// RegistrationStatus returns whether people can register themselves. It needs no token.
func (c *Client) RegistrationStatus(ctx context.Context) (out parley.RegistrationStatus, err error) {
	err = c.do(ctx, http.MethodGet, "/api/auth/registration", nil, &out)
	return out, err
}

// ResetStatus returns how the server helps with forgotten passwords. It needs no token.
func (c *Client) ResetStatus(ctx context.Context) (out parley.ResetStatus, err error) {
	err = c.do(ctx, http.MethodGet, "/api/auth/reset", nil, &out)
	return out, err
}

// RequestReset asks for a mail with a link to set a new password. It needs no token, and succeeds also if no account
// has the address.
func (c *Client) RequestReset(ctx context.Context, in parley.ResetInput) error {
	return c.do(ctx, http.MethodPost, "/api/auth/reset", in, nil)
}

// CheckReset returns the account of a link to set a new password, or of an invitation. It needs no token.
func (c *Client) CheckReset(ctx context.Context, in parley.CheckResetInput) (out parley.CheckResetOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/auth/reset/check", in, &out)
	return out, err
}

// ConfirmReset sets a new password by the code of a link and ends every token and key of the account. It needs no
// token.
func (c *Client) ConfirmReset(ctx context.Context, in parley.ConfirmResetInput) error {
	return c.do(ctx, http.MethodPost, "/api/auth/reset/confirm", in, nil)
}
