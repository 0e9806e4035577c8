package api_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// database opens a second connection to the server's database.
func (w *world) database() *sql.DB {
	w.Helper()
	driver, address := "sqlite", "file:"+filepath.Join(w.Dir, "parley.db")+"?_pragma=busy_timeout(5000)"
	if w.DatabaseURL != "" {
		driver, address = "pgx", w.DatabaseURL
	}
	db, err := sql.Open(driver, address)
	w.must(err)
	w.Cleanup(func() { _ = db.Close() })
	return db
}

// count counts the rows of a table, except for those of one session and its user.
func (w *world) count(table, butSession string) int {
	w.Helper()
	db := w.database()
	defer db.Close()
	owner := "session_id"
	switch table {
	case "sessions", "file_intents", "imports":
		owner = "id"
	case "tokens", "api_keys":
		owner = "user_id"
		w.must(db.QueryRowContext(w.Context(), `SELECT CAST(user_id AS TEXT) FROM sessions WHERE id = $1`,
			butSession).Scan(&butSession))
	}
	var n int
	w.must(db.QueryRowContext(w.Context(), `SELECT count(*) FROM `+table+` WHERE CAST(`+owner+` AS TEXT) <> $1`,
		butSession).Scan(&n))
	return n
}

// onDisk reports whether a blob of a file is stored.
func (w *world) onDisk(fileID string) bool {
	w.Helper()
	found := false
	w.must(filepath.WalkDir(filepath.Join(w.Dir, "files"), func(path string, entry os.DirEntry, err error) error {
		found = found || strings.Contains(path, fileID)
		if os.IsNotExist(err) { // removed during the walk
			return nil
		}
		return err
	}))
	return found
}

// eventually waits for a condition.
func (w *world) eventually(what string, holds func() bool) {
	w.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			w.Fatalf("gave up after %v: %s", patience, what)
		}
	}
}
