package main

import (
	"context"
	"log/slog"
	"time"

	"parley/internal/config"
	"parley/internal/doctor"
	"parley/internal/mail"
)

// newMailQueue returns the queue that sends mail, or nil if mail is off.
func newMailQueue(settings config.Mail, log *slog.Logger) (*mail.Queue, error) {
	if settings.URL == "" {
		return nil, nil
	}
	server, err := newMailServer(settings)
	if err != nil {
		return nil, err
	}
	return mail.NewQueue(mail.QueueConfig{Send: server.Send, Log: log, Now: time.Now}), nil
}

func newMailServer(settings config.Mail) (*mail.Server, error) {
	return mail.NewServer(mail.Config{URL: settings.URL.Reveal(), From: settings.From})
}

// checkMail logs in to the mail server. If to is not empty, it sends a test mail there.
func checkMail(ctx context.Context, settings config.Mail, to string) doctor.Check {
	const name = "mail"
	if settings.URL == "" {
		check := doctor.Check{Name: name, Status: doctor.OK, Detail: "not set up: users who forget their password ask you"}
		if to != "" {
			check.Status, check.Advice = doctor.Problem, "no mail can be sent without PARLEY_SMTP_URL"
		}
		return check
	}
	server, err := newMailServer(settings)
	if err != nil {
		return doctor.Failed(name, err, "check PARLEY_SMTP_URL and PARLEY_SMTP_FROM")
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	check := doctor.Check{Name: name, Status: doctor.OK, Detail: server.String() + " responds; no mail was sent"}
	if to == "" {
		err = server.Check(ctx)
	} else {
		check.Detail = server.String() + " has accepted a mail to " + to
		err = server.Send(ctx, mail.Message{
			To: to, Subject: "A test mail from Parley", Text: "The mail server of Parley works.\n",
		})
	}
	if err != nil {
		return doctor.Failed(name, err, "check PARLEY_SMTP_URL and PARLEY_SMTP_FROM, and that the mail server can be reached")
	}
	return check
}
