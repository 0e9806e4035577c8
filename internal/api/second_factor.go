package api

import (
	"context"

	"parley"
)

func (a *API) setUpSecondFactor(
	ctx context.Context, in *body[parley.SecondFactorInput],
) (parley.SecondFactorOutput, error) {
	return a.accounts.SetUpSecondFactor(ctx, identity(ctx), in.Body, caller(ctx))
}

func (a *API) confirmSecondFactor(
	ctx context.Context, in *body[parley.ConfirmSecondFactorInput],
) (parley.RecoveryCodesOutput, error) {
	return a.accounts.ConfirmSecondFactor(ctx, identity(ctx), in.Body, caller(ctx))
}

func (a *API) removeSecondFactor(ctx context.Context, in *body[parley.RemoveSecondFactorInput]) (parley.Done, error) {
	return parley.Done{}, a.accounts.RemoveSecondFactor(ctx, identity(ctx), in.Body, caller(ctx))
}
