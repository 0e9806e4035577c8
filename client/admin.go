package client

import (
	"context"
	"fmt"
	"net/http"

	"parley"
)

// The operations in this file but Claim are for administrators. To others their paths do not exist.

// Claim makes the user the first administrator, by the code in the server's log.
func (c *Client) Claim(ctx context.Context, in parley.ClaimInput) (out parley.UserInfo, err error) {
	err = c.do(ctx, http.MethodPost, "/api/admin/claim", in, &out)
	return out, err
}

// Users lists a page of the accounts, newest first. With a keyword it lists those with the keyword in the address or
// nickname. The zero page is the server's default.
func (c *Client) Users(ctx context.Context, keyword string, page parley.Page) (out parley.UsersOutput, err error) {
	err = c.do(ctx, http.MethodGet, withPage("/api/admin/users", page, keywordQuery(keyword)), nil, &out)
	return out, err
}

// AddUser creates an account without a password and returns a link to choose it. Whoever was invited before and has not
// chosen one gets a new link.
func (c *Client) AddUser(ctx context.Context, in parley.AddUserInput) (out parley.AddUserOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/admin/users", in, &out)
	return out, err
}

// DisableUser ends the logins and keys of an account and refuses new ones.
func (c *Client) DisableUser(ctx context.Context, userID int64) error {
	return c.do(ctx, http.MethodPost, accountPath(userID)+"/disable", nil, nil)
}

// EnableUser allows a disabled account to log in again.
func (c *Client) EnableUser(ctx context.Context, userID int64) error {
	return c.do(ctx, http.MethodPost, accountPath(userID)+"/enable", nil, nil)
}

// ResetUserPassword gives an account of somebody else a new password and ends its logins and keys.
func (c *Client) ResetUserPassword(ctx context.Context, userID int64) (out parley.ResetPasswordOutput, err error) {
	err = c.do(ctx, http.MethodPost, accountPath(userID)+"/reset-password", nil, &out)
	return out, err
}

// SetUserQuota sets what an account may use in a day.
func (c *Client) SetUserQuota(ctx context.Context, userID int64, in parley.QuotaInput) error {
	return c.do(ctx, http.MethodPost, accountPath(userID)+"/quota", in, nil)
}

// PromoteUser makes an account an administrator.
func (c *Client) PromoteUser(ctx context.Context, userID int64) error {
	return c.do(ctx, http.MethodPost, accountPath(userID)+"/promote", nil, nil)
}

// DemoteUser makes an administrator an ordinary user.
func (c *Client) DemoteUser(ctx context.Context, userID int64) error {
	return c.do(ctx, http.MethodPost, accountPath(userID)+"/demote", nil, nil)
}

// RemoveUser deletes the account of another user and all it owns.
func (c *Client) RemoveUser(ctx context.Context, userID int64) error {
	return c.do(ctx, http.MethodDelete, accountPath(userID), nil, nil)
}

func accountPath(userID int64) string { return fmt.Sprintf("/api/admin/users/%d", userID) }
