package api

import (
	"context"

	"parley"
	"parley/internal/account"
	"parley/internal/language"
)

// adminPath is the prefix of the paths for administrators.
const adminPath = "/api/admin/"

func (a *API) claimAdmin(ctx context.Context, in *body[parley.ClaimInput]) (parley.UserInfo, error) {
	return a.accounts.Claim(ctx, identity(ctx), in.Body, caller(ctx))
}

func (a *API) listUsers(ctx context.Context, in *struct {
	Page20
	Search
},
) (parley.UsersOutput, error) {
	return a.accounts.Users(ctx, in.Keyword, in.page())
}

// addUserInput is the input of addUser. The mail uses the language that the request prefers.
type addUserInput struct {
	AcceptLanguage string `header:"Accept-Language" hidden:"true"`
	Body           parley.AddUserInput
}

func (a *API) addUser(ctx context.Context, in *addUserInput) (parley.AddUserOutput, error) {
	written := language.Accepted([]string{in.AcceptLanguage})
	return a.accounts.Invite(ctx, operator(ctx).Writing(written), in.Body)
}

// AccountPath is a path with the id of an account.
type AccountPath struct {
	UserID int64 `path:"user_id" doc:"The account, as GET /api/admin/users lists it." example:"2"`
}

// operator returns the administrator who makes a request.
func operator(ctx context.Context) account.Operator {
	return account.Administrator(identity(ctx), caller(ctx))
}

func (a *API) disableUser(ctx context.Context, in *AccountPath) (parley.Done, error) {
	return parley.Done{}, a.accounts.Disable(ctx, operator(ctx), in.UserID)
}

func (a *API) enableUser(ctx context.Context, in *AccountPath) (parley.Done, error) {
	return parley.Done{}, a.accounts.Enable(ctx, operator(ctx), in.UserID)
}

func (a *API) resetUserPassword(ctx context.Context, in *AccountPath) (parley.ResetPasswordOutput, error) {
	password := account.NewPassword()
	if err := a.accounts.ResetPassword(ctx, operator(ctx), in.UserID, password); err != nil {
		return parley.ResetPasswordOutput{}, err
	}
	return parley.ResetPasswordOutput{Password: password}, nil
}

func (a *API) setUserQuota(ctx context.Context, in *struct {
	AccountPath
	Body parley.QuotaInput
},
) (parley.Done, error) {
	_, err := a.accounts.SetQuota(ctx, operator(ctx), in.UserID, in.Body.Quota)
	return parley.Done{}, err
}

func (a *API) promoteUser(ctx context.Context, in *AccountPath) (parley.Done, error) {
	return parley.Done{}, a.accounts.Promote(ctx, operator(ctx), in.UserID)
}

func (a *API) demoteUser(ctx context.Context, in *AccountPath) (parley.Done, error) {
	return parley.Done{}, a.accounts.Demote(ctx, operator(ctx), in.UserID)
}

func (a *API) removeUser(ctx context.Context, in *AccountPath) (parley.Done, error) {
	if err := a.accounts.Remove(ctx, operator(ctx), in.UserID); err != nil {
		return parley.Done{}, err
	}
	a.chat.EndUser(in.UserID)
	return parley.Done{}, nil
}
