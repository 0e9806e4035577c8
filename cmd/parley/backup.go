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

	"parley"
	"parley/internal/backup"
	"parley/internal/config"
)

// backUp writes an archive of the data folder.
func backUp(ctx context.Context, settings *config.Settings, options config.Options) error {
	if advice := backUpAdvice(settings); advice != "" {
		return errors.New(advice)
	}
	report, err := backup.Create(ctx, backup.CreateConfig{
		Data:     settings.Store.Data,
		File:     options.File,
		Force:    options.Force,
		Version:  version,
		Progress: newProgress("backup").print,
		Now:      time.Now,
	})
	if errors.Is(err, context.Canceled) {
		return errors.New("backup: interrupted; no archive was written")
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	warnMissing(report)
	fmt.Printf("%s: %d documents, %s\n", options.File, report.Documents, parley.FormatSize(report.Size))
	return nil
}

// restore restores the data folder from an archive.
func restore(ctx context.Context, settings *config.Settings, options config.Options) error {
	if advice := restoreAdvice(settings); advice != "" {
		return errors.New(advice)
	}
	report, err := backup.Restore(ctx, backup.RestoreConfig{
		Data:     settings.Store.Data,
		File:     options.File,
		Force:    options.Force,
		Progress: newProgress("restore").print,
		Now:      time.Now,
	})
	if report.Aside != "" {
		fmt.Fprintf(os.Stderr, "restore: the previous data is in %s; delete it when you no longer need it\n", report.Aside)
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("restore: interrupted; nothing was replaced")
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	warnMissing(report)
	fmt.Printf("%s: %d documents, as of %s (parley %s)\n",
		settings.Store.Data, report.Documents, report.Created.Format(time.RFC3339), report.Parley)
	return nil
}

func warnMissing(report backup.Report) {
	for _, id := range report.Missing {
		fmt.Fprintf(os.Stderr,
			"warning: document %s lacks some of its bytes; bring them back, or let its user delete it\n", id)
	}
}

// backUpAdvice returns the commands to use instead if some data is outside of the data folder.
func backUpAdvice(settings *config.Settings) string {
	if settings.Store.DatabaseURL == "" && settings.Files.URL == "" {
		return ""
	}
	lines := []string{"backup is for SQLite with documents in the data folder. Here use these instead, in this order:"}
	if settings.Store.DatabaseURL != "" {
		lines = append(lines, `  pg_dump --format=custom --file=parley.dump "$PARLEY_DATABASE_URL"`)
	} else {
		database := filepath.Join(settings.Store.Data, "parley.db")
		lines = append(lines, fmt.Sprintf("  stop the server, copy %s*, start the server", database))
	}
	if settings.Files.URL != "" {
		lines = append(lines, "  "+syncBucket(settings)+"   (or the store's own replication or versioning)")
	} else {
		folder := filepath.Join(settings.Store.Data, "files")
		lines = append(lines, fmt.Sprintf("  rsync -a %s/ parley-files/", folder))
	}
	return strings.Join(lines, "\n")
}

// restoreAdvice returns the commands to use instead if some data is outside of the data folder.
func restoreAdvice(settings *config.Settings) string {
	if settings.Store.DatabaseURL == "" && settings.Files.URL == "" {
		return ""
	}
	return `restore is for SQLite with documents in the data folder. Here stop all servers, ` +
		`bring the documents back with the tool that copied them, then
  pg_restore --clean --if-exists --dbname="$PARLEY_DATABASE_URL" parley.dump   (PostgreSQL), ` +
		`or copy parley.db* back (SQLite)`
}

// syncBucket returns a command that copies the bucket in the settings. It contains no secrets.
func syncBucket(settings *config.Settings) string {
	bucket, options := "s3://BUCKET/PREFIX", ""
	if u, err := url.Parse(settings.Files.URL.Reveal()); err == nil {
		bucket = "s3://" + u.Host + strings.TrimSuffix(u.Path, "/")
		if endpoint := u.Query().Get("endpoint"); endpoint != "" {
			options = " --endpoint-url " + endpoint
		}
	}
	return "aws s3 sync " + bucket + " parley-files" + options
}
