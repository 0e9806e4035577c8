package main

import (
	"bufio"
	"cmp"
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

// userBatch is the number of accounts that list reads at a time.
const userBatch = 500

// userCommand runs the commands on accounts.
type userCommand struct {
	database *store.Store
	accounts *account.Service
	options  config.Options
	out      *bufio.Writer
}

// users runs a command on accounts. The server may be running.
func users(ctx context.Context, command config.Command) (err error) {
	database, err := store.Attach(ctx, command.Settings.Store.Data, command.Settings.Store.DatabaseURL.Reveal())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	accounts := account.Config{
		Store:     database,
		Log:       newLog(command.Settings.Log),
		Audit:     newAuditLog(command.Settings.Log),
		PublicURL: publicURL(command.Settings.HTTP),
		Now:       time.Now,
	}
	c := &userCommand{
		database: database, options: command.Options, out: bufio.NewWriter(os.Stdout), accounts: account.New(accounts),
	}
	defer func() { err = errors.Join(err, c.out.Flush()) }()
	switch command.Name {
	case config.CommandUserList:
		return c.list(ctx)
	case config.CommandUserAdd:
		return c.add(ctx, accounts, command.Settings.Mail)
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
		return c.report(user, "is disabled", c.accounts.Disable(ctx, account.Shell(), user.ID))
	case config.CommandUserEnable:
		return c.report(user, "is enabled", c.accounts.Enable(ctx, account.Shell(), user.ID))
	case config.CommandResetPassword:
		return c.resetPassword(ctx, user)
	case config.CommandUserQuota:
		quota, err := c.accounts.SetQuota(ctx, account.Shell(), user.ID, c.options.Quota)
		return c.report(user, "has the quota "+quota, err)
	case config.CommandUserTOTPOff:
		err := c.accounts.TurnOffSecondFactor(ctx, account.Shell(), user.ID)
		return c.report(user, "logs in without a second factor", err)
	case config.CommandUserPromote:
		return c.report(user, "is an administrator", c.accounts.Promote(ctx, account.Shell(), user.ID))
	case config.CommandUserDemote:
		return c.report(user, "is no administrator", c.accounts.Demote(ctx, account.Shell(), user.ID))
	default:
		return c.delete(ctx, user)
	}
}

// report prints what was done to an account. If err is not nil, it only returns err.
func (c *userCommand) report(user parley.User, what string, err error) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s (%d) %s\n", user.Email, user.ID, what)
	return err
}

// list prints all accounts. It reads them in batches and needs little memory for any number of accounts.
func (c *userCommand) list(ctx context.Context) error {
	if !c.options.JSON {
		_, _ = fmt.Fprintln(c.out, "ID       STATE     CREATED     E-MAIL") // Flush returns the error
	}
	for after := int64(0); ; {
		batch, err := c.database.Users(ctx, after, userBatch)
		if err != nil {
			return err
		}
		for _, user := range batch {
			if err := c.printLine(user); err != nil {
				return err
			}
			after = user.ID
		}
		if err := c.out.Flush(); err != nil || len(batch) < userBatch {
			return err
		}
	}
}

func (c *userCommand) printLine(user parley.User) error {
	if c.options.JSON {
		return json.NewEncoder(c.out).Encode(view(user))
	}
	state := "active"
	switch {
	case user.DisabledAt != 0:
		state = "disabled"
	case user.Invited():
		state = "invited"
	}
	created := time.Unix(user.CreatedAt, 0).UTC().Format(time.DateOnly)
	_, err := fmt.Fprintf(c.out, "%-8d %-9s %s  %s\n", user.ID, state, created, user.Email)
	return err
}

// userView is an account in JSON output.
type userView struct {
	ID         int64  `json:"id"`
	Email      string `json:"email"`
	Nickname   string `json:"nickname"`
	CreatedAt  int64  `json:"created_at"`
	DisabledAt int64  `json:"disabled_at"`
	TOTP       bool   `json:"totp"`
	Admin      bool   `json:"admin,omitempty"`
}

func view(user parley.User) userView {
	return userView{
		ID:         user.ID,
		Email:      user.Email,
		Nickname:   user.Nickname,
		CreatedAt:  user.CreatedAt,
		DisabledAt: user.DisabledAt,
		TOTP:       user.TOTP,
		Admin:      user.Admin,
	}
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
	switch {
	case user.DisabledAt != 0:
		state = "disabled since " + formatTime(user.DisabledAt)
	case user.Invited():
		state = "invited"
	}
	role := "user"
	if user.Admin {
		role = "administrator"
	}
	for _, line := range []struct {
		name  string
		value any
	}{
		{"id", user.ID},
		{"e-mail", user.Email},
		{"nickname", user.Nickname},
		{"state", state},
		{"role", role},
		{"registered", formatTime(user.CreatedAt)},
		{"last active", formatTime(owns.ActiveAt)},
		{"totp", onOff(user.TOTP)},
		{"last seen", formatTime(user.SeenAt)},
		{"logins", owns.Logins},
		{"keys", owns.Keys},
		{"sessions", owns.Sessions},
		{"messages", owns.Messages},
		{"favorites", owns.Favorites},
		{"quota", cmp.Or(owns.Quota, parley.QuotaDefault)},
		{"documents", fmt.Sprintf("%d, %s", owns.Files, parley.FormatSize(owns.FileBytes))},
	} {
		if _, err := fmt.Fprintf(c.out, "%-12s %v\n", line.name, line.value); err != nil {
			return err
		}
	}
	return nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// formatTime formats Unix seconds for people.
func formatTime(seconds int64) string {
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
		return c.report(user, "has the new password", c.accounts.ResetPassword(ctx, account.Shell(), user.ID, password))
	}
	password := account.NewPassword()
	err := c.accounts.ResetPassword(ctx, account.Shell(), user.ID, password)
	return c.report(user, "has the new password "+password, err)
}

// readPassword reads the first line without its line break.
func readPassword(r io.Reader) (string, error) {
	// This fits the longest password, at four bytes per character, and a line break.
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
		return fmt.Errorf("this would delete %s (%d) with %d sessions, %d messages and %d documents, for good: "+
			"add --yes to do it",
			user.Email, user.ID, owns.Sessions, owns.Messages, owns.Files)
	}
	return c.report(user, "is deleted; a running server removes the bytes of its documents within 10 minutes",
		c.accounts.Remove(ctx, account.Shell(), user.ID))
}
