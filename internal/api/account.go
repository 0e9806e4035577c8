package api

import (
	"context"

	"parley"
)

// body is the input of an operation that has nothing but a JSON body.
type body[T any] struct {
	Body T
}

// none is the input of an operation without input.
type none struct{}

func (a *API) registrationStatus(ctx context.Context, _ *none) (parley.RegistrationStatus, error) {
	return a.accounts.Registration(ctx)
}

func (a *API) register(ctx context.Context, in *body[parley.RegisterInput]) (parley.RegisterOutput, error) {
	if err := a.entries.registrations.limit(ctx); err != nil {
		return parley.RegisterOutput{}, err
	}
	return a.accounts.Register(ctx, in.Body, caller(ctx))
}

func (a *API) login(ctx context.Context, in *body[parley.LoginInput]) (parley.LoginOutput, error) {
	if err := a.entries.logins.limit(ctx); err != nil {
		return parley.LoginOutput{}, err
	}
	return a.accounts.Login(ctx, in.Body, caller(ctx))
}

func (a *API) logout(ctx context.Context, _ *none) (parley.Done, error) {
	return parley.Done{}, a.accounts.Logout(ctx, identity(ctx), caller(ctx))
}

func (a *API) userInfo(ctx context.Context, _ *none) (parley.UserInfo, error) {
	return a.accounts.Info(identity(ctx).User), nil
}

func (a *API) updateProfile(ctx context.Context, in *body[parley.ProfileInput]) (parley.UserInfo, error) {
	return a.accounts.UpdateProfile(ctx, identity(ctx), in.Body)
}

func (a *API) changePassword(ctx context.Context, in *body[parley.PasswordInput]) (parley.Done, error) {
	return parley.Done{}, a.accounts.ChangePassword(ctx, identity(ctx), in.Body, caller(ctx))
}

func (a *API) deleteUser(ctx context.Context, in *body[parley.DeleteUserInput]) (parley.Done, error) {
	who := identity(ctx)
	if err := a.accounts.Delete(ctx, who, in.Body, caller(ctx)); err != nil {
		return parley.Done{}, err
	}
	a.chat.EndUser(who.User.ID)
	return parley.Done{}, nil
}

func (a *API) listTokens(ctx context.Context, _ *none) (parley.TokensOutput, error) {
	tokens, err := a.accounts.Tokens(ctx, identity(ctx))
	return parley.TokensOutput{Tokens: tokens}, err
}

type tokenPath struct {
	TokenID string `path:"token_id" doc:"The login, as GET /api/user/tokens lists it." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
}

func (a *API) endToken(ctx context.Context, in *tokenPath) (parley.Done, error) {
	return parley.Done{}, a.accounts.EndToken(ctx, identity(ctx), in.TokenID, caller(ctx))
}
