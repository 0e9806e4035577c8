package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/store"
	"parley/internal/testdb"
)

// applied returns the number of the last migration of a database.
func applied(t *testing.T, data, databaseURL string) int {
	t.Helper()
	p := &past{process: &process{t: t}, data: data, databaseURL: databaseURL}
	return p.count(`SELECT max(version_id) FROM goose_db_version`)
}

// TestAnUpgradeOfSQLiteBeginsWithABackup upgrades recorded data and restores the backup.
func TestAnUpgradeOfSQLiteBeginsWithABackup(t *testing.T) {
	t.Parallel()
	release := releases[0]
	data := recorded(t, release, "", "before").restore("")
	settings := []string{"PARLEY_DATA=" + data, "PARLEY_LOG_LEVEL=error"}
	backups := filepath.Join(data, "backups")
	fails(t, settings, "run parley serve --migrate=only", "serve", "--migrate=never")
	must(t, os.WriteFile(backups, nil, 0o600)) // now no backup can be written
	fails(t, settings, "back up before the upgrade: ", "serve")
	fails(t, settings, "PARLEY_BACKUP_BEFORE_MIGRATION=off", "serve", "--migrate=only")
	if got := applied(t, data, ""); got != int(release) {
		t.Fatalf("without a backup the database has schema %d", got)
	}
	must(t, os.Remove(backups))
	must(t, os.Mkdir(backups, 0o700))
	must(t, os.WriteFile(filepath.Join(backups, "before-0.0.9.tar"), nil, 0o600))

	for range 2 { // the second time has nothing to do
		works(t, settings, "serve", "--migrate=only")
		if got := applied(t, data, ""); got != int(store.Schema()) {
			t.Fatalf("the database has schema %d", got)
		}
		left, err := filepath.Glob(filepath.Join(backups, "*"))
		must(t, err)
		if len(left) != 1 || filepath.Base(left[0]) != "before-dev.tar" {
			t.Fatalf("the backups are %v", left)
		}
	}
	start(t, append(settings, "PARLEY_LOG_LEVEL=info")...).kill()
	restored := filepath.Join(t.TempDir(), "restored")
	works(t, []string{"PARLEY_DATA=" + restored}, "restore", filepath.Join(backups, "before-dev.tar"))
	if got := applied(t, restored, ""); got != int(release) {
		t.Errorf("the backup has schema %d", got)
	}
	p := start(t, "PARLEY_DATA="+restored)
	want := fmt.Sprintf(`msg="upgrading the database" from=%d to=%d backup=%s`, release, store.Schema(),
		filepath.Join(restored, "backups", "before-dev.tar"))
	if !strings.Contains(p.said(), want) {
		t.Errorf("the log does not say %s", want)
	}
}

// TestAnUpgradeWithoutABackup turns the backup off, or uses a database that other means back up.
func TestAnUpgradeWithoutABackup(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		data := recorded(t, releases[0], databaseURL, "before").restore(databaseURL)
		settings := []string{"PARLEY_DATA=" + data, "PARLEY_DATABASE_URL=" + databaseURL}
		if databaseURL == "" {
			settings = append(settings, "PARLEY_BACKUP_BEFORE_MIGRATION=off")
		}
		works(t, settings, "serve", "--migrate=only")
		if _, err := os.Stat(filepath.Join(data, "backups")); err == nil {
			t.Error("there is a backup")
		}
		start(t, append(settings, "PARLEY_AI_BASE_URL=builtin")...)
	})
}

// TestADatabaseOfALaterReleaseIsRefused pretends that a later release has upgraded the database. On PostgreSQL, the
// release just before it still starts.
func TestADatabaseOfALaterReleaseIsRefused(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		data := t.TempDir()
		settings := []string{"PARLEY_DATA=" + data, "PARLEY_DATABASE_URL=" + databaseURL, "PARLEY_LOG_LEVEL=error"}
		works(t, settings, "serve", "--migrate=only")
		damage(t, data, databaseURL, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, `+
			map[bool]string{true: "1", false: "true"}[databaseURL == ""]+`)`)
		damage(t, data, databaseURL, `UPDATE bookkeeping SET value = '9.9.9' WHERE name = 'release'`)
		damage(t, data, databaseURL, `UPDATE bookkeeping SET value = '9998' WHERE name = 'oldest'`)
		says := fmt.Sprintf("the database was upgraded by parley 9.9.9 (schema 9999, this program knows %d): "+
			"use that release or a later one", store.Schema())
		fails(t, settings, says, "serve")
		fails(t, settings, says, "user", "list")
		damage(t, data, databaseURL, fmt.Sprintf(`UPDATE bookkeeping SET value = '%d' WHERE name = 'oldest'`, store.Schema()))
		if databaseURL == "" {
			fails(t, settings, says, "serve")
			return
		}
		start(t, append(settings, "PARLEY_LOG_LEVEL=info")...)
	})
}
