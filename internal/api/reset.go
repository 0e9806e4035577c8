package api

import (
	"context"

	"parley"
	"parley/internal/language"
)

// resetInput is the input of requestReset. The mail uses the language that the request prefers.
type resetInput struct {
	AcceptLanguage string `header:"Accept-Language" hidden:"true"`
	Body           parley.ResetInput
}

func (a *API) resetStatus(context.Context, *none) (parley.ResetStatus, error) {
	return parley.ResetStatus{Email: a.accounts.SendsMail(), SignOnName: a.signOnName}, nil
}

func (a *API) requestReset(ctx context.Context, in *resetInput) (parley.Done, error) {
	if err := a.entries.resets.limit(ctx); err != nil {
		return parley.Done{}, err
	}
	written := language.Accepted([]string{in.AcceptLanguage})
	return parley.Done{}, a.accounts.RequestReset(in.Body, written, caller(ctx))
}

func (a *API) checkReset(ctx context.Context, in *body[parley.CheckResetInput]) (parley.CheckResetOutput, error) {
	if err := a.entries.logins.limit(ctx); err != nil {
		return parley.CheckResetOutput{}, err
	}
	return a.accounts.CheckReset(ctx, in.Body)
}

func (a *API) confirmReset(ctx context.Context, in *body[parley.ConfirmResetInput]) (parley.Done, error) {
	if err := a.entries.logins.limit(ctx); err != nil {
		return parley.Done{}, err
	}
	return parley.Done{}, a.accounts.ConfirmReset(ctx, in.Body, caller(ctx))
}
