package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"parley/internal/backup"
	"parley/internal/config"
	"parley/internal/store"
)

// openDatabase opens the database of a server. If the schema is older than this release, it upgrades the schema. On
// SQLite it writes a backup first.
func openDatabase(
	ctx context.Context, settings *config.Settings, options config.Options, log *slog.Logger,
) (*store.Store, error) {
	upgrade := backup.Upgrade{
		Data:      settings.Store.Data,
		Documents: settings.Files.URL == "",
		Version:   version,
		Now:       time.Now,
	}
	open := store.OpenConfig{
		Dir:         settings.Store.Data,
		URL:         settings.Store.DatabaseURL.Reveal(),
		Release:     version,
		NoMigration: options.Migrate == config.MigrateNever,

		AfterUpgrade: upgrade.Done,
	}
	open.BeforeUpgrade = func(ctx context.Context, from, to int64) error {
		file := "none"
		if settings.Store.DatabaseURL == "" && settings.Store.BackUp {
			written, err := upgrade.BackUp(ctx, from)
			if err != nil {
				return fmt.Errorf("back up before the upgrade: %w; the database is as it was: make that possible, "+
					"or run parley backup with the old release and set PARLEY_BACKUP_BEFORE_MIGRATION=off", err)
			}
			file = written
		}
		log.Info("upgrading the database", "from", from, "to", to, "backup", file)
		return nil
	}
	return open.Open(ctx)
}
