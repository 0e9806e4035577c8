package move

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/store"
)

// Place is where the data of a service is, as the settings of its server say it.
type Place struct {
	// Data is the data folder.
	Data string
	// DatabaseURL is empty for SQLite in the data folder.
	DatabaseURL string
	// FilesURL is empty for the data folder.
	FilesURL string
}

// Database describes the database, without a password.
func (p Place) Database() string {
	if p.DatabaseURL == "" {
		return "SQLite in " + absolute(p.Data)
	}
	u, err := url.Parse(p.DatabaseURL)
	if err != nil {
		return "PostgreSQL"
	}
	return "PostgreSQL at " + u.Host + u.Path
}

// Files describes the place of the files, without a secret.
func (p Place) Files() string {
	if p.FilesURL == "" {
		return "files in " + filepath.Join(absolute(p.Data), "files")
	}
	u, err := url.Parse(p.FilesURL)
	if err != nil {
		return "files in S3"
	}
	return "files in bucket " + u.Host + strings.TrimSuffix(u.Path, "/")
}

// String describes the place, without secrets.
func (p Place) String() string { return p.Database() + " with " + p.Files() }

// absolute returns the path of a folder without symbolic links, also if the folder does not exist yet: the description
// of a place must not change when it is made.
func absolute(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(whole); err == nil {
		return real
	}
	if parent := filepath.Dir(whole); parent != whole {
		return filepath.Join(absolute(parent), filepath.Base(whole))
	}
	return whole
}

// SameFolder reports whether two paths name one folder.
func SameFolder(a, b string) bool { return absolute(a) == absolute(b) }

func (p Place) sameDatabase(other Place) bool {
	return p.DatabaseURL == other.DatabaseURL && (p.DatabaseURL != "" || SameFolder(p.Data, other.Data))
}

func (p Place) sameFiles(other Place) bool {
	return p.FilesURL == other.FilesURL && (p.FilesURL != "" || SameFolder(p.Data, other.Data))
}

// lock keeps servers from using SQLite in the data folder.
func (p Place) lock() (release func() error, err error) {
	if p.DatabaseURL != "" {
		return func() error { return nil }, nil
	}
	if _, err := db.FindSQLite(p.Data); err != nil {
		return nil, err
	}
	release, err = db.LockFolder(p.Data)
	if err != nil {
		return nil, fmt.Errorf("%w: stop the server first", err)
	}
	return release, nil
}

// attach opens the database, which may be marked.
func (p Place) attach(ctx context.Context) (*db.DB, error) {
	config := store.Config(p.Data, p.DatabaseURL)
	config.Before = nil
	return db.Attach(ctx, config)
}

// openFiles opens the files, which may be marked.
func (p Place) openFiles(ctx context.Context) (blob.Place, error) {
	return blob.OpenPlace(ctx, filepath.Join(p.Data, "files"), p.FilesURL)
}
