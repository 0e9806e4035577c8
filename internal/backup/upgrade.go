package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley/internal/fsutil"
	"parley/internal/store"
)

const (
	// upgradesDir is the folder in the data folder that has the backup from before the last upgrade.
	upgradesDir = "backups"
	// upgradeMark is a file in that folder that exists until the upgrade is done. It has the number of the schema in the
	// backup.
	upgradeMark   = "upgrade.unfinished"
	upgradePrefix = "before-"
)

// Upgrade writes the backup before a new release changes the schema of SQLite in a data folder.
type Upgrade struct {
	// Data is the data folder.
	Data string
	// Documents is whether the documents are in the data folder. Otherwise the backup is a copy of the database.
	Documents bool
	// Version is the version of this program.
	Version string
	// Now is the clock.
	Now func() time.Time
}

// BackUp writes the backup, removes those of earlier upgrades and returns its path. schema is the database's schema. If
// an upgrade was interrupted between two changes of the schema, its backup is kept and no other is written.
func (u Upgrade) BackUp(ctx context.Context, schema int64) (string, error) {
	file := u.file()
	if err := fsutil.Make(filepath.Dir(file)); err != nil {
		return "", err
	}
	interrupted, err := u.isInterrupted(file, schema)
	if err != nil || interrupted {
		return file, err
	}
	if err := u.checkRoom(); err != nil {
		return "", err
	}
	if err := u.write(ctx, file); err != nil {
		return "", err
	}
	mark := filepath.Join(filepath.Dir(file), upgradeMark)
	if err := os.WriteFile(mark, []byte(strconv.FormatInt(schema, 10)), 0o600); err != nil {
		return "", err
	}
	return file, errors.Join(removeOthers(file), fsutil.Sync(filepath.Dir(file)))
}

// Done is called after the upgrade.
func (u Upgrade) Done() error {
	err := os.Remove(filepath.Join(u.Data, upgradesDir, upgradeMark))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// file returns the path of the backup.
func (u Upgrade) file() string {
	safe := strings.Map(func(r rune) rune {
		if r == filepath.Separator {
			return '-'
		}
		return r
	}, u.Version)
	end := ".tar"
	if !u.Documents {
		end = ".db"
	}
	return filepath.Join(u.Data, upgradesDir, upgradePrefix+safe+end)
}

// isInterrupted reports whether the database was partly changed since the backup was written.
func (u Upgrade) isInterrupted(file string, schema int64) (bool, error) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), upgradeMark))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	before, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || before >= schema { // it was not written completely, or nothing was changed since
		return false, nil
	}
	_, err = os.Stat(file)
	return err == nil, nil
}

// write writes the backup.
func (u Upgrade) write(ctx context.Context, file string) error {
	if u.Documents {
		_, err := Create(ctx, CreateConfig{
			Data: u.Data, File: file, Force: true, Version: u.Version, Progress: func(string) {}, Now: u.Now,
		})
		return err
	}
	partial := file + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := store.Copy(ctx, u.Data, partial); err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return errors.Join(os.Chmod(partial, 0o600), fsutil.Sync(partial), os.Rename(partial, file))
}

// checkRoom returns an error if there is no room for the backup and, while it is written, a copy of the database.
func (u Upgrade) checkRoom() error {
	var needed int64
	for _, name := range databaseFiles {
		if info, err := os.Stat(filepath.Join(u.Data, name)); err == nil {
			needed += 2 * info.Size()
		}
	}
	err := filepath.WalkDir(filepath.Join(u.Data, filesDir), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !u.Documents {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			needed += info.Size()
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	free, err := fsutil.Free(u.Data)
	if err == nil && free < needed {
		return fmt.Errorf("%s has %d bytes free, the backup needs %d", u.Data, free, needed)
	}
	return err
}

// removeOthers removes the backups of earlier upgrades, and what killed ones have left.
func removeOthers(file string) error {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		name := entry.Name()
		if name != filepath.Base(file) && (strings.HasPrefix(name, upgradePrefix) || strings.HasPrefix(name, workPrefix)) {
			errs = append(errs, os.RemoveAll(filepath.Join(filepath.Dir(file), name)))
		}
	}
	return errors.Join(errs...)
}
