package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/backup"
	"parley/internal/config"
)

// backUp writes an archive of the data folder.
func backUp(ctx context.Context, settings *config.Settings, options config.Options) error {
	if instead := backUpInstead(settings); instead != "" {
		return errors.New(instead)
	}
	said := newProgress("backup")
	report, err := backup.Create(ctx, backup.CreateConfig{
		Data: settings.Store.Data, File: options.File, Force: options.Force, Version: version, Progress: said.tell, Now: time.Now,
	})
	if errors.Is(err, context.Canceled) {
		return errors.New("backup: interrupted; no archive was written")
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	warnMissing(report)
	fmt.Printf("%s: %d documents, %s\n", options.File, report.Documents, size(report.Size))
	return nil
}

// restore puts an archive in place.
func restore(ctx context.Context, settings *config.Settings, options config.Options) error {
	if instead := restoreInstead(settings); instead != "" {
		return errors.New(instead)
	}
	said := newProgress("restore")
	report, err := backup.Restore(ctx, backup.RestoreConfig{
		Data: settings.Store.Data, File: options.File, Force: options.Force, Progress: said.tell, Now: time.Now,
	})
	if report.Aside != "" {
		fmt.Fprintf(os.Stderr, "restore: what was there is in %s; delete it when you are sure that you do not need it\n", report.Aside)
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("restore: interrupted; nothing was replaced")
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	warnMissing(report)
	fmt.Printf("%s: %d documents, as of %s (parley %s)\n", settings.Store.Data, report.Documents, report.Created.Format(time.RFC3339), report.Parley)
	return nil
}

func warnMissing(report backup.Report) {
	for _, id := range report.Missing {
		fmt.Fprintf(os.Stderr, "warning: document %s lacks some of its bytes; bring them back, or let its user delete it\n", id)
	}
}

// backUpInstead says what to use where the data is not all in the data folder, or nothing.
func backUpInstead(settings *config.Settings) string {
	if settings.Store.DatabaseURL == "" && settings.Files.URL == "" {
		return ""
	}
	lines := []string{"backup is for SQLite with documents in the data folder. Here use these instead, in this order:"}
	if settings.Store.DatabaseURL != "" {
		lines = append(lines, `  pg_dump --format=custom --file=parley.dump "$PARLEY_DATABASE_URL"`)
	} else {
		lines = append(lines, fmt.Sprintf("  stop the server, copy %s*, start the server", filepath.Join(settings.Store.Data, "parley.db")))
	}
	if settings.Files.URL != "" {
		lines = append(lines, "  "+syncBucket(settings)+"   (or the store's own replication or versioning)")
	} else {
		lines = append(lines, fmt.Sprintf("  rsync -a %s/ parley-files/", filepath.Join(settings.Store.Data, "files")))
	}
	return strings.Join(lines, "\n")
}

// restoreInstead is backUpInstead for the way back.
func restoreInstead(settings *config.Settings) string {
	if settings.Store.DatabaseURL == "" && settings.Files.URL == "" {
		return ""
	}
	return `restore is for SQLite with documents in the data folder. Here stop all servers, bring the documents back with the tool that copied them, then
  pg_restore --clean --if-exists --dbname="$PARLEY_DATABASE_URL" parley.dump   (PostgreSQL), or copy parley.db* back (SQLite)`
}

// syncBucket is a command that copies the bucket of the settings. It holds no secret.
func syncBucket(settings *config.Settings) string {
	from, more := "s3://BUCKET/PREFIX", ""
	if u, err := url.Parse(settings.Files.URL.Reveal()); err == nil {
		from = "s3://" + u.Host + strings.TrimSuffix(u.Path, "/")
		if endpoint := u.Query().Get("endpoint"); endpoint != "" {
			more = " --endpoint-url " + endpoint
		}
	}
	return "aws s3 sync " + from + " parley-files" + more
}
