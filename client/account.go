package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"parley"
)

// Register creates an account. The client uses its token from now on.
func (c *Client) Register(ctx context.Context, in parley.RegisterInput) (parley.RegisterOutput, error) {
	var out parley.RegisterOutput
	if err := c.do(ctx, http.MethodPost, "/api/auth/register", in, &out); err != nil {
		return parley.RegisterOutput{}, err
	}
	c.token.Store(&out.Token)
	return out, nil
}

// Login issues a new token. The client uses it from now on.
func (c *Client) Login(ctx context.Context, in parley.LoginInput) (parley.LoginOutput, error) {
	var out parley.LoginOutput
	if err := c.do(ctx, http.MethodPost, "/api/auth/login", in, &out); err != nil {
		return parley.LoginOutput{}, err
	}
	c.token.Store(&out.Token)
	return out, nil
}

// SignOn returns the provider of single sign-on. A server without one responds with HTTP 404.
func (c *Client) SignOn(ctx context.Context) (out parley.SignOn, err error) {
	err = c.do(ctx, http.MethodGet, "/api/auth/oidc", nil, &out)
	return out, err
}

// SignIn issues a new token for the code that a browser came back with from the provider. The client uses it from now
// on.
func (c *Client) SignIn(ctx context.Context, in parley.SignInInput) (parley.LoginOutput, error) {
	var out parley.LoginOutput
	if err := c.do(ctx, http.MethodPost, "/api/auth/oidc/exchange", in, &out); err != nil {
		return parley.LoginOutput{}, err
	}
	c.token.Store(&out.Token)
	return out, nil
}

// Logout ends the token in use. The client keeps it: the server refuses further calls until
// the next Login.
func (c *Client) Logout(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "/api/auth/logout", nil, nil)
}

// User returns the current account.
func (c *Client) User(ctx context.Context) (out parley.UserInfo, err error) {
	err = c.do(ctx, http.MethodGet, "/api/user/info", nil, &out)
	return out, err
}

// UpdateProfile changes the given fields and returns the updated account.
func (c *Client) UpdateProfile(ctx context.Context, in parley.ProfileInput) (out parley.UserInfo, err error) {
	err = c.do(ctx, http.MethodPatch, "/api/user/info", in, &out)
	return out, err
}

// ChangePassword changes the password and ends every token but the one in use.
func (c *Client) ChangePassword(ctx context.Context, in parley.PasswordInput) error {
	return c.do(ctx, http.MethodPost, "/api/user/password", in, nil)
}

// DeleteUser deletes the account and all it owns.
func (c *Client) DeleteUser(ctx context.Context, in parley.DeleteUserInput) error {
	return c.do(ctx, http.MethodDelete, "/api/user", in, nil)
}

// Usage returns the account's usage and quota. Zero values of in select the defaults.
func (c *Client) Usage(ctx context.Context, in parley.UsageInput) (out parley.UsageOutput, err error) {
	query := url.Values{}
	if in.From != 0 {
		query.Set("from", strconv.FormatInt(in.From, 10))
	}
	if in.To != 0 {
		query.Set("to", strconv.FormatInt(in.To, 10))
	}
	if in.By != "" {
		query.Set("by", in.By)
	}
	err = c.do(ctx, http.MethodGet, withPage("/api/user/usage", parley.Page{}, query), nil, &out)
	return out, err
}

// Tokens lists the account's logins, newest first.
func (c *Client) Tokens(ctx context.Context) (out parley.TokensOutput, err error) {
	err = c.do(ctx, http.MethodGet, "/api/user/tokens", nil, &out)
	return out, err
}

// EndToken ends one of the account's logins.
func (c *Client) EndToken(ctx context.Context, tokenID string) error {
	return c.do(ctx, http.MethodDelete, "/api/user/tokens/"+url.PathEscape(tokenID), nil, nil)
}

// ExportAccount returns a zip archive of all that the account owns, of any size. The caller
// must close it.
func (c *Client) ExportAccount(ctx context.Context) (io.ReadCloser, error) {
	return c.download(ctx, "/api/user/export")
}
