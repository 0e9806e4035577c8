package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"parley"
	"parley/internal/account"
	"parley/internal/config"
	"parley/internal/mail"
)

// publicURL returns the address of the server for links. Without the setting it is that on this machine.
func publicURL(settings config.HTTP) string {
	if settings.PublicURL != "" {
		return settings.PublicURL
	}
	scheme := "http"
	if settings.TLSCert != "" {
		scheme = "https"
	}
	host, port, _ := net.SplitHostPort(settings.Addr)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// add invites somebody and prints the link. The mail with it is sent before the command ends.
func (c *userCommand) add(ctx context.Context, accounts account.Config, settings config.Mail) error {
	ctx, sent := context.WithCancel(ctx)
	defer sent()
	var failure error
	if settings.URL != "" {
		server, err := newMailServer(settings)
		if err != nil {
			return err
		}
		accounts.Mail = mail.NewQueue(mail.QueueConfig{
			Log: slog.New(slog.DiscardHandler), // the command reports the failure
			Now: time.Now,
			Send: func(ctx context.Context, m mail.Message) error {
				defer sent()
				failure = server.Send(ctx, m)
				return failure
			},
		})
	}
	out, err := account.New(accounts).Invite(ctx, account.Shell(), parley.AddUserInput{
		Email: c.options.User, Nickname: c.options.Nickname, Admin: c.options.Admin,
	})
	if errors.Is(err, parley.ErrEmailTaken) {
		return fmt.Errorf("%s has an account already", c.options.User)
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(c.out, "%s (%d) can choose a password until %s, once, at this link:\n%s\n",
		c.options.User, out.UserID, formatTime(out.ExpiresAt), out.InviteURL)
	if err := c.out.Flush(); err != nil || !out.Mailed {
		return err
	}
	accounts.Mail.Run(ctx)
	if failure != nil {
		_, err = fmt.Fprintf(c.out, "No mail was sent: %v. Give the link to the user.\n", failure)
		return err
	}
	_, err = fmt.Fprintln(c.out, "The link was sent by mail too.")
	return err
}
