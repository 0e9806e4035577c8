package testdb

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Template is a database with all tables and no rows. Tests get copies of it: to make the tables costs more than most
// tests. With Citus each node copies its own part, with the shards and what it knows of the other nodes.
type Template struct {
	migrations fs.FS
	open       func(ctx context.Context, dir, databaseURL string) error

	once     sync.Once // for SQLite
	files    map[string][]byte
	filesErr error

	clusterOnce sync.Once
	name        string // of the database in the cluster
	nameErr     error
}

// NewTemplate returns a template. The function opens a database, which makes its tables, and closes it.
func NewTemplate(migrations fs.FS, open func(ctx context.Context, dir, databaseURL string) error) *Template {
	return &Template{migrations: migrations, open: open}
}

// Each is the function Each with copies of the template. For SQLite the test calls CopyTo.
func (p *Template) Each(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	eachAfter(t, func(*testing.T) {}, p.Postgres, test)
}

// EachParallel is the function EachParallel with copies of the template.
func (p *Template) EachParallel(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	eachAfter(t, (*testing.T).Parallel, p.Postgres, test)
}

// Postgres is the function Postgres with a copy of the template.
func (p *Template) Postgres(t testing.TB) string {
	t.Helper()
	c := findCluster(t)
	p.clusterOnce.Do(func() { p.name, p.nameErr = p.make(t.Context(), c) })
	if p.nameErr != nil {
		t.Fatalf("make the template: %v", p.nameErr)
	}
	return provide(t, c, func(ctx context.Context, name string) error { return c.copy(ctx, p.name, name) })
}

// CopyTo copies the template's SQLite database to a folder, unless the folder has files already.
func (p *Template) CopyTo(t testing.TB, dir string) {
	t.Helper()
	p.once.Do(func() { p.files, p.filesErr = p.makeFiles(t.Context()) })
	if p.filesErr != nil {
		t.Fatalf("make the template: %v", p.filesErr)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		return
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range p.files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// makeFiles makes a SQLite database and returns its files.
func (p *Template) makeFiles(ctx context.Context) (files map[string][]byte, err error) {
	dir, err := os.MkdirTemp("", "template")
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(dir)) }()
	if err := p.open(ctx, dir, ""); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files = map[string][]byte{}
	for _, entry := range entries {
		if files[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// make makes the database in the cluster, unless this process or another one has. Its name tells the migrations. It
// stays in the cluster, for the next run.
func (p *Template) make(ctx context.Context, c cluster) (name string, err error) {
	hash, err := p.hash()
	if err != nil {
		return "", err
	}
	name = "parley_template_" + hash
	unlock, err := c.lock(ctx, templateLock)
	if err != nil {
		return "", err
	}
	defer unlock()
	const find = `SELECT count(*) FROM pg_database WHERE datistemplate AND datname = '%s'`
	found, err := query(ctx, "pgx", c[0].String(), fmt.Sprintf(find, name))
	if err != nil || found != "0" {
		return name, err
	}
	// A run that was interrupted has left one without all tables.
	if err := c.drop(ctx, name); err != nil {
		return "", err
	}
	if err := c.create(ctx, name); err != nil {
		return "", err
	}
	if err := p.open(ctx, "", c.database(name)); err != nil {
		return "", err
	}
	return name, c.finish(ctx, name)
}

// hash returns a short hash of the migrations.
func (p *Template) hash() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(p.migrations, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(p.migrations, path)
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", path, len(content), content)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}
