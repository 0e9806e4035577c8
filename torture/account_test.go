package torture

import (
	"context"
	"fmt"
	"strings"

	"parley"
)

// register creates an account and starts a new ledger.
func (a *actor) register(ctx context.Context) error {
	email := strings.ReplaceAll(a.unique("user"), " ", "-") + "@example.com"
	fresh := account{email: email, password: "password of " + email, nickname: a.name}
	in := parley.RegisterInput{Email: email, Password: fresh.password, Nickname: fresh.nickname}
	a.account = account{ended: a.ended, goneShares: a.goneShares}
	done := func() {
		fresh.token, fresh.ended, fresh.goneShares = a.client.Token(), a.ended, a.goneShares
		a.account = fresh
	}
	return a.change(
		func() error { _, err := a.client.Register(ctx, in); return err },
		done,
		func(ctx context.Context) error {
			_, err := a.client.Login(ctx, parley.LoginInput{Email: email, Password: fresh.password})
			if code(err) == parley.CodeNoSuchUser {
				return a.register(ctx)
			}
			done()
			return err
		})
}

func (a *actor) renameSelf(ctx context.Context) error {
	nickname := a.unique("nick")
	return a.change(
		func() error {
			_, err := a.client.UpdateProfile(ctx, parley.ProfileInput{Nickname: &nickname})
			return err
		},
		func() { a.nickname = nickname },
		func(ctx context.Context) error {
			me, err := a.client.User(ctx)
			if me.Nickname == nickname {
				a.nickname = nickname
			}
			return err
		})
}

// login gets another token and keeps the one in use.
func (a *actor) login(ctx context.Context) error {
	other := a.client.WithToken("")
	return a.change(
		func() error {
			_, err := other.Login(ctx, parley.LoginInput{Email: a.email, Password: a.password})
			return err
		},
		func() { a.logins = append(a.logins, other.Token()) },
		func(context.Context) error { return nil }) // the token never arrived
}

// logout ends an unused token.
func (a *actor) logout(ctx context.Context) error {
	if len(a.logins) == 0 {
		return nil
	}
	token := a.logins[a.random.IntN(len(a.logins))]
	return a.change(
		func() error { return a.client.WithToken(token).Logout(ctx) },
		func() { a.endToken(token) },
		func(ctx context.Context) error {
			_, err := a.client.WithToken(token).User(ctx) // of the server that runs by then
			if code(err) == parley.CodeBadToken {
				a.endToken(token)
				return nil
			}
			return err
		})
}

// changePassword ends every token but the one in use.
func (a *actor) changePassword(ctx context.Context) error {
	password := a.unique("password")
	done := func() {
		a.password = password
		a.ended, a.logins = append(a.ended, a.logins...), nil
	}
	return a.change(
		func() error {
			in := parley.PasswordInput{OldPassword: a.password, NewPassword: password}
			return a.client.ChangePassword(ctx, in)
		},
		done,
		func(ctx context.Context) error {
			_, err := a.client.WithToken("").Login(ctx, parley.LoginInput{Email: a.email, Password: password})
			if code(err) == parley.CodeWrongPassword {
				return nil
			}
			done()
			return err
		})
}

// deleteAccount deletes the account with all its data, and registers another one.
func (a *actor) deleteAccount(ctx context.Context) error {
	done := func() {
		for len(a.sessions) > 0 {
			a.drop(a.sessions[0])
		}
		a.ended = append(append(a.ended, a.logins...), a.token)
	}
	err := a.change(
		func() error { return a.client.DeleteUser(ctx, parley.DeleteUserInput{Password: a.password}) },
		done,
		func(ctx context.Context) error {
			_, err := a.client.User(ctx)
			if code(err) != parley.CodeBadToken {
				return err
			}
			done()
			return a.replaceAccount(ctx)
		})
	if err != nil {
		return err
	}
	return a.replaceAccount(ctx)
}

// replaceAccount registers another account, and checks that the old one is gone.
func (a *actor) replaceAccount(ctx context.Context) error {
	email := a.email
	if err := a.register(ctx); err != nil {
		return err
	}
	_, err := a.client.WithToken("").Login(ctx, parley.LoginInput{Email: email, Password: "password"})
	if code(err) != parley.CodeNoSuchUser && refused(err) {
		return fmt.Errorf("%w: a deleted account exists: %w", errWrong, err)
	}
	return nil
}
