package api

import (
	"context"

	"parley"
)

func (a *API) createKey(ctx context.Context, in *body[parley.KeyInput]) (parley.KeyOutput, error) {
	return a.accounts.CreateKey(ctx, identity(ctx), in.Body, caller(ctx))
}

func (a *API) listKeys(ctx context.Context, _ *none) (parley.KeysOutput, error) {
	keys, err := a.accounts.Keys(ctx, userID(ctx))
	return parley.KeysOutput{Keys: keys}, err
}

type keyPath struct {
	KeyID string `path:"key_id" doc:"The key, as GET /api/user/keys lists it." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f16"`
}

func (a *API) deleteKey(ctx context.Context, in *keyPath) (parley.Done, error) {
	return parley.Done{}, a.accounts.DeleteKey(ctx, identity(ctx), in.KeyID, caller(ctx))
}
