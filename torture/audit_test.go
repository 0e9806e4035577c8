package torture

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// audits are queries that count inconsistent rows, which the API may not show.
var audits = map[string]string{
	"counts of messages": `SELECT count(*) FROM sessions s
		WHERE message_count <> (SELECT count(DISTINCT number) FROM messages m WHERE m.user_id = s.user_id
			AND m.session_id = s.id AND m.branch = COALESCE((SELECT b.branch FROM branches b WHERE b.user_id = s.user_id
			AND b.session_id = s.id AND b.shown = 1 AND b.first <= m.number ORDER BY b.first DESC LIMIT 1), 0))`,
	"counts of sessions": `SELECT count(*) FROM users u
		WHERE session_count <> (SELECT count(*) FROM sessions WHERE user_id = u.id)`,
	"counts of favorites": `SELECT count(*) FROM users u
		WHERE favorite_count <> (SELECT count(*) FROM messages WHERE user_id = u.id AND favorite_id IS NOT NULL)`,
	"contiguous numbers": `SELECT count(*) FROM sessions s
		WHERE message_count <> (SELECT COALESCE(max(number), 0) FROM messages
			WHERE user_id = s.user_id AND session_id = s.id AND branch = s.branch AND number > 0)`,
	"whole branches": `SELECT count(*) FROM (
			SELECT m.user_id, m.session_id, m.branch, count(*) AS size, min(m.number) AS low, max(m.number) AS high
			FROM messages m GROUP BY m.user_id, m.session_id, m.branch) r
		LEFT JOIN branches b ON b.user_id = r.user_id AND b.session_id = r.session_id AND b.branch = r.branch
		WHERE r.size <> r.high - r.low + 1 OR r.high % 2 = 1 OR r.low <> CASE WHEN r.branch = 0 THEN 1 ELSE b.first END
		OR b.branch IS NULL AND r.branch > 0`,
	"branches without messages": `SELECT count(*) FROM branches b WHERE NOT EXISTS (SELECT 1 FROM messages m
		WHERE m.user_id = b.user_id AND m.session_id = b.session_id AND m.branch = b.branch)`,
	"shares": `SELECT
		abs((SELECT count(*) FROM share_links) - (SELECT count(*) FROM shares) - (SELECT count(*) FROM ended_shares))
		+ abs((SELECT COALESCE(sum(parts), 0) FROM shares) - (SELECT count(*) FROM share_parts))
		+ (SELECT count(*) FROM shares s WHERE NOT EXISTS (SELECT 1 FROM share_links l WHERE l.id = s.id))`,
	"open imports":      `SELECT count(*) FROM imports WHERE ended_at = 0 OR state <> 'done'`,
	"open turns":        `SELECT count(*) FROM turns`,
	"unanswered":        `SELECT count(*) FROM messages WHERE content = ''`,
	"files and intents": `SELECT count(*) FROM files f JOIN file_intents i ON i.user_id = f.user_id AND i.id = f.id`,
}

// audit checks the rows and the stored bytes. No reply may be open.
func (w *world) audit() {
	w.Helper()
	dir := w.dir
	if w.disk != nil { // SQLite can't open a database in another mount namespace
		w.kill()
		dir = w.TempDir()
		must(w.T, os.CopyFS(dir, os.DirFS(w.disk.path(w.dir))))
	}
	driver, address := "sqlite", "file:"+filepath.Join(dir, "parley.db")+"?_query_only=1&_pragma=busy_timeout(5000)"
	if w.databaseURL != "" {
		driver, address = "pgx", w.databaseURL
	}
	db, err := sql.Open(driver, address)
	must(w.T, err)
	defer db.Close()
	for name, query := range audits {
		var wrong int
		must(w.T, db.QueryRowContext(w.Context(), query).Scan(&wrong))
		if wrong != 0 {
			w.Errorf("audit, %s: %d rows are wrong", name, wrong)
		}
	}
	if w.databaseURL == "" {
		var verdict string
		must(w.T, db.QueryRowContext(w.Context(), `PRAGMA integrity_check`).Scan(&verdict))
		if verdict != "ok" {
			w.Errorf("the database is damaged: %s", verdict)
		}
	}
	w.auditBytes(db, dir)
}

// auditBytes checks that all stored bytes belong to a file, an intent or an import.
func (w *world) auditBytes(db *sql.DB, dir string) {
	w.Helper()
	must(w.T, filepath.WalkDir(filepath.Join(dir, "files"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "partial") {
			return err
		}
		id, _, _ := strings.Cut(entry.Name(), ".")
		var known int
		err = db.QueryRowContext(w.Context(), `
			SELECT (SELECT count(*) FROM files WHERE id = $1) + (SELECT count(*) FROM file_intents WHERE id = $1)
			    + (SELECT count(*) FROM imports WHERE file_id = $1)`,
			id).Scan(&known)
		if err == nil && known != 1 {
			w.Errorf("no row refers to the bytes in %s", path)
		}
		return err
	}))
}
