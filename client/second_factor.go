package client

import (
	"context"
	"encoding/json"
	"net/http"

	"parley"
)

// SetUpSecondFactor makes the secret of a new second factor. ConfirmSecondFactor turns it on. If there is a second
// factor already, one of its codes is needed.
func (c *Client) SetUpSecondFactor(
	ctx context.Context, in parley.SecondFactorInput,
) (out parley.SecondFactorOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/user/totp", in, &out)
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

// NeedsCode reports whether a code of the second factor is missing or wrong. Of a Login it means that the password is
// right.
func (e *Error) NeedsCode() bool {
	var failure parley.LoginFailure
	err := json.Unmarshal(e.Body, &failure)
	return err == nil && e.Code == parley.CodeWrongPassword && failure.Reason == parley.ReasonTOTP
}
