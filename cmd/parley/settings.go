package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/account"
	"parley/internal/admin"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/store"
)

// changeSettings runs a command on the settings that can be changed. The server may be running.
func changeSettings(ctx context.Context, command config.Command) (err error) {
	database, err := store.Attach(ctx, command.Settings.Store.Data, command.Settings.Store.DatabaseURL.Reveal())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	log := newLog(command.Settings.Log)
	live := app.NewLive(command.Settings.Live, database, log, time.Now)
	if err := live.Load(ctx); err != nil {
		return err
	}
	if command.Name == config.CommandSettingsList {
		return printSettings(os.Stdout, live.All(), command.Options.JSON)
	}
	changes := map[string]*string{command.Options.Setting: nil}
	if command.Name == config.CommandSettingsSet {
		changes[command.Options.Setting] = &command.Options.Value
	}
	changed, err := live.Change(ctx, changes, command.Options.Yes)
	if err != nil {
		return explainRetention(err)
	}
	accounts := account.New(account.Config{
		Store: database, Log: log, Audit: newAuditLog(command.Settings.Log), Now: time.Now,
	})
	for _, name := range changed {
		accounts.AuditSetting(ctx, account.Shell(), name)
	}
	for _, setting := range live.All() {
		if setting.Name == command.Options.Setting {
			_, err = fmt.Printf("%s is %s (%s)\n", setting.Name, printable(setting.Text), setting.From)
		}
	}
	return err
}

// explainRetention explains, in terms of the command, why a retention that deletes chats is refused. It returns other
// errors unchanged.
func explainRetention(err error) error {
	var refused *parley.Error
	if !errors.As(err, &refused) || !errors.Is(err, parley.ErrRetentionUnconfirmed) {
		return err
	}
	if aged, known := refused.Body.(parley.AgedSessions); known {
		return fmt.Errorf("nothing was changed: this retention deletes %d chats of %d users, from an hour after the "+
			"change on; add --yes to set it", aged.Sessions, aged.Users)
	}
	return err
}

func printSettings(w io.Writer, entries []admin.Setting, asJSON bool) error {
	out := bufio.NewWriter(w)
	if asJSON {
		for _, entry := range entries {
			if err := json.NewEncoder(out).Encode(entry); err != nil {
				return err
			}
		}
		return out.Flush()
	}
	_, _ = fmt.Fprintln(out, "NAME          FROM           VALUE") // Flush returns the error
	for _, entry := range entries {
		note := ""
		if entry.Ignored {
			note = "  (another value is stored, without effect)"
		}
		_, _ = fmt.Fprintf(out, "%-13s %-14s %s%s\n", entry.Name, entry.From, printable(entry.Text), note)
	}
	return out.Flush()
}

// printable returns a value on one line.
func printable(text string) string {
	if text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}
