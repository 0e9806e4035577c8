package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"parley"
	"parley/internal/account"
	"parley/internal/config"
	"parley/internal/store"
)

// usersAtOnce is how many accounts a list reads at a time.
const usersAtOnce = 500

// userCommand is one of the commands on accounts, with what it works on.
type userCommand struct {
	database *store.Store
	accounts *account.Service
	options  config.Options
	out      *bufio.Writer
}

// users runs a command on accounts. A server may be running.
func users(ctx context.Context, command config.Command) (err error) {
	database, err := store.Attach(ctx, command.Settings.Store.Data, command.Settings.Store.DatabaseURL.Reveal())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	c := &userCommand{
		database: database, options: command.Options, out: bufio.NewWriter(os.Stdout),
		accounts: account.New(account.Config{
			Store: database, Log: newLog(command.Settings.Log), Audit: newAuditLog(command.Settings.Log), Now: time.Now,
		}),
	}
	defer func() { err = errors.Join(err, c.out.Flush()) }()
	if command.Name == config.CommandUserList {
		return c.list(ctx)
	}
	user, err := c.accounts.Find(ctx, c.options.User)
	if errors.Is(err, parley.ErrNoSuchUser) {
		return fmt.Errorf("there is no account %s; parley user list shows all", c.options.User)
	}
	if err != nil {
		return err
	}
	switch command.Name {
	case config.CommandUserShow:
		return c.show(ctx, user)
	case config.CommandUserDisable:
		return c.done(user, "is disabled", c.accounts.Disable(ctx, user.ID))
	case config.CommandUserEnable:
		return c.done(user, "is enabled", c.accounts.Enable(ctx, user.ID))
	case config.CommandResetPassword:
		return c.resetPassword(ctx, user)
	default:
		return c.delete(ctx, user)
	}
}

func (c *userCommand) done(user parley.User, what string, err error) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s (%d) %s\n", user.Email, user.ID, what)
	return err
}

// list prints all accounts, some at a time, so that it takes little memory and begins
// at once however many there are.
func (c *userCommand) list(ctx context.Context) error {
	if !c.options.JSON {
		_, _ = fmt.Fprintln(c.out, "ID       STATE     CREATED     E-MAIL") // the flush tells
	}
	for after := int64(0); ; {
		some, err := c.database.Users(ctx, after, usersAtOnce)
		if err != nil {
			return err
		}
		for _, user := range some {
			if err := c.line(user); err != nil {
				return err
			}
			after = user.ID
		}
		if err := c.out.Flush(); err != nil || len(some) < usersAtOnce {
			return err
		}
	}
}

func (c *userCommand) line(user parley.User) error {
	if c.options.JSON {
		return json.NewEncoder(c.out).Encode(view(user))
	}
	state := "active"
	if user.DisabledAt != 0 {
		state = "disabled"
	}
	_, err := fmt.Fprintf(c.out, "%-8d %-9s %s  %s\n", user.ID, state, time.Unix(user.CreatedAt, 0).UTC().Format(time.DateOnly), user.Email)
	return err
}

// userView is an account as these commands show it to programs.
type userView struct {
	ID         int64  `json:"id"`
	Email      string `json:"email"`
	Nickname   string `json:"nickname"`
	CreatedAt  int64  `json:"created_at"`
	DisabledAt int64  `json:"disabled_at"`
}

func view(user parley.User) userView {
	return userView{ID: user.ID, Email: user.Email, Nickname: user.Nickname, CreatedAt: user.CreatedAt, DisabledAt: user.DisabledAt}
}

func (c *userCommand) show(ctx context.Context, user parley.User) error {
	owns, err := c.database.Holdings(ctx, user.ID, time.Now())
	if err != nil {
		return err
	}
	if c.options.JSON {
		return json.NewEncoder(c.out).Encode(struct {
			userView
			store.Holdings
		}{view(user), owns})
	}
	state := "active"
	if user.DisabledAt != 0 {
		state = "disabled since " + moment(user.DisabledAt)
	}
	for _, line := range []struct {
		name  string
		value any
	}{
		{"id", user.ID},
		{"e-mail", user.Email},
		{"nickname", user.Nickname},
		{"state", state},
		{"registered", moment(user.CreatedAt)},
		{"last active", moment(owns.ActiveAt)},
		{"logins", owns.Logins},
		{"sessions", owns.Sessions},
		{"messages", owns.Messages},
		{"favorites", owns.Favorites},
		{"documents", fmt.Sprintf("%d, %s", owns.Files, size(owns.FileBytes))},
	} {
		if _, err := fmt.Fprintf(c.out, "%-12s %v\n", line.name, line.value); err != nil {
			return err
		}
	}
	return nil
}

// moment is a time in Unix seconds for people.
func moment(seconds int64) string {
	if seconds == 0 {
		return "never"
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}

func (c *userCommand) resetPassword(ctx context.Context, user parley.User) error {
	if c.options.Stdin {
		password, err := readPassword(os.Stdin)
		if err != nil {
			return err
		}
		return c.done(user, "has the new password", c.accounts.ResetPassword(ctx, user.ID, password))
	}
	password := account.NewPassword()
	return c.done(user, "has the new password "+password, c.accounts.ResetPassword(ctx, user.ID, password))
}

// readPassword reads the first line. A line break at its end does not belong to it.
func readPassword(r io.Reader) (string, error) {
	// Room for the longest password, of four bytes a character, and a little more.
	line, err := bufio.NewReader(io.LimitReader(r, 4*parley.MaxPassword+8)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func (c *userCommand) delete(ctx context.Context, user parley.User) error {
	if !c.options.Yes {
		owns, err := c.database.Holdings(ctx, user.ID, time.Now())
		if err != nil {
			return err
		}
		return fmt.Errorf("this would delete %s (%d) with %d sessions, %d messages and %d documents, for good: add --yes to do it",
			user.Email, user.ID, owns.Sessions, owns.Messages, owns.Files)
	}
	return c.done(user, "is deleted; the bytes of its documents go within 10 minutes of a running server", c.accounts.Remove(ctx, user.ID))
}
