package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley"
	"parley/internal/admin"
	"parley/internal/app"
	"parley/internal/blob"
	"parley/internal/config"
	"parley/internal/db"
	"parley/internal/doctor"
	"parley/internal/fsutil"
	"parley/internal/store"
)

// probeTimeout bounds a request to the model server or the search service.
const probeTimeout = 10 * time.Second

// The check warns below lowSpace and fails below criticalSpace.
const (
	lowSpace      = 1 << 30
	criticalSpace = 100 << 20
)

// diagnose checks everything that a server needs and prints the results.
func diagnose(ctx context.Context, settings *config.Settings, options config.Options) error {
	checks := []doctor.Check{checkSettings(settings), checkSpace(settings)}
	checks = append(checks, checkData(ctx, settings, options.Fix)...)
	checks = append(checks, checkModels(ctx, settings)...)
	checks = append(checks, checkSearch(ctx, settings)...)
	checks = append(checks, checkSignOn(ctx, settings), checkReaders(ctx, settings), checkRecognizer(ctx, settings),
		checkEmbeddings(ctx, settings), checkMail(ctx, settings.Mail, options.Mail))
	problems := 0
	for _, check := range checks {
		if check.Status == doctor.Problem {
			problems++
		}
	}
	if err := printChecks(os.Stdout, checks, options.JSON); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if problems > 0 {
		return fmt.Errorf("%d of %d checks found a problem", problems, len(checks))
	}
	return nil
}

func printChecks(w io.Writer, checks []doctor.Check, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(map[string]any{"checks": checks})
	}
	out := bufio.NewWriter(w)
	for _, check := range checks {
		for i, line := range []string{check.Detail, prefixed("fixed: ", check.Fixed), prefixed("→ ", check.Advice)} {
			switch {
			case i == 0:
				_, _ = fmt.Fprintf(out, "%-8s %-13s %s\n", check.Status, check.Name, line) // Flush returns the error
			case line != "":
				_, _ = fmt.Fprintf(out, "%22s %s\n", "", line)
			}
		}
	}
	return out.Flush()
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// checkSettings warns of settings that are valid but unsafe together.
func checkSettings(settings *config.Settings) doctor.Check {
	check := doctor.Check{
		Name:   "settings",
		Status: doctor.OK,
		Detail: "data in " + settings.Store.Data + ", served on " + settings.HTTP.Addr,
	}
	if !config.IsLoopback(settings.HTTP.Addr) && settings.HTTP.TLSCert == "" && len(settings.HTTP.TrustedProxies) == 0 {
		check.Status = doctor.Warning
		check.Detail += ", without TLS and without a trusted proxy"
		check.Advice = "passwords can be read on the network: set PARLEY_TLS_CERT and PARLEY_TLS_KEY, " +
			"or PARLEY_TRUSTED_PROXIES to the proxy that serves HTTPS"
	}
	return check
}

func checkSpace(settings *config.Settings) doctor.Check {
	const name = "disk"
	free, err := fsutil.Free(settings.Store.Data)
	if err != nil {
		return doctor.Failed(name, err, "check PARLEY_DATA (--data)")
	}
	check := doctor.Check{
		Name: name, Status: doctor.OK, Detail: parley.FormatSize(free) + " free in " + settings.Store.Data,
	}
	switch {
	case free < criticalSpace:
		check.Status, check.Advice = doctor.Problem, "free some space: nothing can be stored without it"
	case free < lowSpace:
		check.Status, check.Advice = doctor.Warning, "free some space soon"
	}
	return check
}

// checkData checks the database and the documents.
func checkData(ctx context.Context, settings *config.Settings, fix bool) []doctor.Check {
	database, err := store.Attach(ctx, settings.Store.Data, settings.Store.DatabaseURL.Reveal())
	if err != nil {
		return []doctor.Check{doctor.Failed("database", err, databaseAdvice(settings, err))}
	}
	defer database.Close() //nolint:errcheck // writes are durable already
	blobs, err := blob.Open(ctx, filepath.Join(settings.Store.Data, "files"), settings.Files.URL.Reveal())
	if err != nil {
		return []doctor.Check{doctor.Failed("documents", err, "check PARLEY_FILES_URL; the database was not checked")}
	}
	defer blobs.Close() //nolint:errcheck // deletions are durable
	checks := doctor.Config{
		Store:    database,
		Blobs:    blobs,
		Fix:      fix,
		Progress: newProgress("doctor").print,
		Now:      time.Now,
	}.Run(ctx)
	return append(checks, checkLive(ctx, settings.Live, database))
}

// checkLive reports which settings come from the database and which stored settings have no effect.
func checkLive(ctx context.Context, given config.Live, database *store.Store) doctor.Check {
	check := doctor.Check{Name: "changes", Status: doctor.OK}
	live := app.NewLive(given, database, slog.New(slog.DiscardHandler), time.Now)
	if err := live.Load(ctx); err != nil {
		return doctor.Failed(check.Name, err, "")
	}
	var stored, ignored []string
	for _, setting := range live.All() {
		if setting.From == admin.FromDatabase {
			stored = append(stored, setting.Name)
		}
		if setting.Ignored {
			ignored = append(ignored, setting.Name)
		}
	}
	check.Detail = "no setting was changed at run time"
	if len(stored) > 0 {
		check.Detail = "settings from the database: " + strings.Join(stored, ", ")
	}
	if len(ignored) > 0 {
		check.Status = doctor.Warning
		check.Detail += "; stored without effect: " + strings.Join(ignored, ", ")
		check.Advice = "parley settings list shows what is in force; a flag, the environment and the settings file come first"
	}
	return check
}

// databaseAdvice returns the advice for a database that can't be opened.
func databaseAdvice(settings *config.Settings, err error) string {
	switch {
	case errors.Is(err, db.ErrNoDatabase), errors.Is(err, db.ErrNoRights):
		return "" // the error contains the advice
	case settings.Store.DatabaseURL != "":
		return "check that PostgreSQL is running, and PARLEY_DATABASE_URL"
	}
	return "if it is damaged, restore it from a backup: parley restore --force FILE"
}

// checkReaders starts a process that reads documents and checks how it is confined.
func checkReaders(ctx context.Context, settings *config.Settings) doctor.Check {
	check := doctor.Check{
		Name:   "readers",
		Status: doctor.OK,
		Detail: "documents are read without access to files and network, by Landlock and seccomp",
	}
	readers, err := newReaders(settings, 1, nil)
	if err != nil {
		return doctor.Failed(check.Name, err, "")
	}
	defer readers.Close()
	walls, err := readers.Check(ctx)
	if err != nil {
		return doctor.Failed(check.Name, err, "no document can be read")
	}
	if missing := walls.Missing(); len(missing) > 0 {
		check.Status = doctor.Warning
		check.Detail = "the processes that read documents are not fully confined: " + strings.Join(missing, "; ")
		check.Advice = "use Linux 5.13 or later with Landlock enabled; in a container allow the system calls of both"
	}
	return check
}
