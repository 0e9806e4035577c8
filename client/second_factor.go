package client

import (
	"context"
	"encoding/json"
	"net/http"

	"parley"
)

// SetUpSecondFactor makes the secret of a new second factor. ConfirmSecondFactor turns it on.
func (c *Client) SetUpSecondFactor(ctx context.Context) (out parley.SecondFactorOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/user/totp", nil, &out)
	return out, err
}

// ConfirmSecondFactor turns on the second factor that was set up. From now on a Login needs a code.
func (c *Client) ConfirmSecondFactor(
	ctx context.Context, in parley.ConfirmSecondFactorInput,
) (out parley.RecoveryCodesOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/user/totp/confirm", in, &out)
	return out, err
}

// RemoveSecondFactor turns the second factor off.
func (c *Client) RemoveSecondFactor(ctx context.Context, in parley.RemoveSecondFactorInput) error {
	return c.do(ctx, http.MethodDelete, "/api/user/totp", in, nil)
}

// NeedsCode reports whether a Login had the right password and needs a code of the second factor, or a right one.
func (e *Error) NeedsCode() bool {
	var failure parley.LoginFailure
	err := json.Unmarshal(e.Body, &failure)
	return err == nil && e.Code == parley.CodeWrongPassword && failure.Reason == parley.ReasonTOTP
}
