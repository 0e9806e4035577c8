package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/id"
	"parley/internal/testdb"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m)
}

// each runs a test on both databases, in a fresh store, and audits the store at the end.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testdb.Each(t, func(t *testing.T, url string) { test(t, newWorld(t, url)) })
}

// world is a store, and a clock that goes on a little with each look.
type world struct {
	*Store
	t   testing.TB
	dir string
	now time.Time
}

func newWorld(t testing.TB, url string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), now: time.Unix(1_767_225_600, 0)}
	w.Store = openStore(t, w.dir, url)
	t.Cleanup(func() {
		if !t.Failed() {
			audit(t, w.Store)
		}
	})
	return w
}

func openStore(t testing.TB, dir, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func (w *world) tick() time.Time {
	w.now = w.now.Add(1300 * time.Millisecond)
	return w.now
}

// must ends the test on an error.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// usersHash is the hash of every such account's password.
const usersHash = "x"

// user makes an account and returns its id.
func (w *world) user() int64 {
	w.t.Helper()
	unique := id.New()
	email := unique + "@example.com"
	token := NewToken{ID: unique, Hash: TokenHash([]byte(unique[:32])), Now: w.tick(), Expires: w.now.Add(time.Hour)}
	userID, err := w.CreateUser(w.t.Context(), NewUser{Email: email, EmailKey: email, Nickname: "Ada", PasswordHash: usersHash}, token)
	w.must(err)
	return userID
}

// session makes a session and returns its id.
func (w *world) session(userID int64, title string) string {
	w.t.Helper()
	session := NewSession{ID: id.New(), UserID: userID, Title: title, Now: w.tick()}
	w.must(w.CreateSession(w.t.Context(), session))
	return session.ID
}

// question is the input of a turn.
func (w *world) question(userID int64, sessionID, content string) NewTurn {
	return NewTurn{
		UserID: userID, SessionID: sessionID, QuestionID: id.New(), ReplyID: id.New(),
		Content: content, Owner: "owner", Now: w.tick(),
	}
}

// begin opens a turn.
func (w *world) begin(userID int64, sessionID, content string) OpenTurn {
	w.t.Helper()
	turn, err := w.BeginTurn(w.t.Context(), w.question(userID, sessionID, content))
	w.must(err)
	return turn
}

// say stores a question and its complete reply, and returns the reply's id.
func (w *world) say(userID int64, sessionID, question, reply string) string {
	w.t.Helper()
	turn := w.begin(userID, sessionID, question)
	w.must(w.FinishTurn(w.t.Context(), turn, reply, parley.Details{}))
	return turn.ReplyID
}

// index brings the search index up to date.
func (w *world) index() {
	w.t.Helper()
	for {
		more, err := w.indexSome(w.t.Context())
		w.must(err)
		if !more {
			return
		}
	}
}

// indexed is how many texts are in the search index.
func (w *world) indexed() int64 {
	w.t.Helper()
	return number(w.t, w.Store, `SELECT COALESCE(CAST(sum(size - gone) AS BIGINT), 0) FROM search_blocks`)
}

// text is a session's messages, one a line.
func (w *world) text(userID int64, sessionID string) string {
	w.t.Helper()
	messages, total, err := w.Messages(w.t.Context(), userID, sessionID, parley.Page{Number: 1, Size: parley.MaxPageSize})
	w.must(err)
	if int64(len(messages)) != total {
		w.t.Errorf("%d messages, total %d", len(messages), total)
	}
	var lines []string
	for _, m := range messages {
		line := m.Role + ": " + m.Content
		if m.Status != "" {
			line += " (" + m.Status + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// tester is a test, of the standard library or of rapid.
type tester interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// number reads one number.
func number(t tester, s *Store, query string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := s.readRow(context.WithoutCancel(t.Context()), func(row *sql.Row) error { return row.Scan(&n) }, query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// audit makes sure that the counters, the numbers and the search agree with the rows.
func audit(t tester, s *Store) {
	t.Helper()
	findings, err := s.Audit(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("audit: %v", err)
	}
	for _, finding := range findings {
		t.Errorf("audit, %s: %d rows are wrong", finding.Rule, finding.Rows)
	}
}

func TestTheStoreAnswersAndSaysWhatItIs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.must(w.Ping(t.Context()))
		version, err := w.Version(t.Context())
		w.must(err)
		if !strings.HasPrefix(version, "SQLite 3.") && !strings.HasPrefix(version, "PostgreSQL ") {
			t.Errorf("version is %q", version)
		}
	})
}

func TestReadersOfSQLiteCannotWrite(t *testing.T) {
	w := newWorld(t, "")
	remove := func(ctx context.Context, q querier) error {
		_, err := q.ExecContext(ctx, `DELETE FROM users`)
		return err
	}
	if err := w.read(t.Context(), remove); err == nil {
		t.Error("a reader could write")
	}
	if err := w.snapshot(t.Context(), remove); err == nil {
		t.Error("a snapshot could write")
	}
}

func TestSQLiteIsDurableAndEnforcesReferences(t *testing.T) {
	w := newWorld(t, "")
	w.must(w.write(t.Context(), func(ctx context.Context, q querier) error {
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
			var got string
			if err := q.QueryRowContext(ctx, `PRAGMA `+pragma).Scan(&got); err != nil {
				return err
			}
			if got != want {
				t.Errorf("%s is %s, want %s", pragma, got, want)
			}
		}
		return nil
	}))
}

func TestADataFolderMayHaveAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b%20?mode=memory#é")
	s, err := Open(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "parley.db")); err != nil {
		t.Error(err)
	}
}

func TestAStatementThatIsWrongIsAnErrorNotAPanic(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const wrong = `SELECT nonsense FROM nowhere`
		for name, do := range map[string]func(ctx context.Context, q querier) error{
			"a row": func(ctx context.Context, q querier) error {
				var n int
				return q.QueryRowContext(ctx, wrong).Scan(&n)
			},
			"rows": func(ctx context.Context, q querier) error {
				_, err := list(ctx, q, scanOne[int], wrong)
				return err
			},
			"no rows": func(ctx context.Context, q querier) error {
				_, err := q.ExecContext(ctx, wrong)
				return err
			},
			"a panic": func(context.Context, querier) error { panic("out of order") },
		} {
			if _, postgres := w.engine.(*postgres); postgres && name == "a panic" {
				continue // it is the caller's own goroutine
			}
			if err := w.read(t.Context(), do); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		w.must(w.Ping(t.Context()))
	})
}

func TestACancelledReadFailsAlone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.Ping(ctx); err == nil {
			t.Error("a cancelled ping succeeded")
		}
		w.must(w.Ping(t.Context()))
	})
}

func TestADatabaseOfAnotherKindIsRefused(t *testing.T) {
	_, err := Open(t.Context(), t.TempDir(), "mysql://localhost/parley")
	if err == nil || !strings.Contains(err.Error(), "postgres://") {
		t.Errorf("error is %v", err)
	}
}

// parallel runs the same thing many times at once and returns the errors.
func parallel(n int, do func(i int) error) []error {
	errs := make([]error, n)
	done := make(chan struct{})
	for i := range n {
		go func() {
			errs[i] = do(i)
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
	return errs
}

// count says how many errors are nil.
func count(errs []error) (good int) {
	for _, err := range errs {
		if err == nil {
			good++
		}
	}
	return good
}

func numbered(prefix string, i int) string { return fmt.Sprintf("%s %d", prefix, i) }
