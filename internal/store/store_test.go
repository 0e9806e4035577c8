package store

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/db"
	"parley/internal/id"
	"parley/internal/testdb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// template has the tables of this release. It is made once for all tests.
var template = testdb.NewTemplate(migrations(), func(ctx context.Context, dir, url string) error {
	s, err := Open(ctx, dir, url)
	if err != nil {
		return err
	}
	return s.Close()
})

// each runs a test on both databases, in a fresh store, and audits the store at the end.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	template.Each(t, func(t *testing.T, url string) { test(t, newWorld(t, url)) })
}

// world is a store, and a clock that advances with each use.
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
	if url == "" {
		template.CopyTo(t, dir)
	}
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

// user creates an account and returns its id.
func (w *world) user() int64 {
	w.t.Helper()
	unique := id.New()
	email := unique + "@example.com"
	user := NewUser{Email: email, EmailKey: email, Nickname: "Ada", PasswordHash: usersHash}
	token := NewToken{ID: unique, Hash: TokenHash([]byte(unique[:32])), Now: w.tick(), Expires: w.now.Add(time.Hour)}
	userID, err := w.CreateUser(w.t.Context(), user, token)
	w.must(err)
	return userID
}

// remove deletes an account, unless it is gone.
func (w *world) remove(userID int64) error {
	user, _, err := w.UserByID(w.t.Context(), userID)
	if err != nil {
		return allowed(err, parley.ErrNoSuchUser)
	}
	return w.DeleteUser(w.t.Context(), userID, user.Email)
}

// session creates a session and returns its id.
func (w *world) session(userID int64, title string) string {
	w.t.Helper()
	now := w.tick()
	session := NewSession{ID: id.At(now), UserID: userID, Title: title, Now: now}
	w.must(w.CreateSession(w.t.Context(), session))
	return session.ID
}

// question returns the input of a turn.
func (w *world) question(userID int64, sessionID, content string) NewTurn {
	return NewTurn{
		UserID: userID, SessionID: sessionID, QuestionID: id.New(), ReplyID: id.New(),
		Content: content, Owner: "owner", Now: w.tick(),
	}
}

// begin opens a turn.
func (w *world) begin(userID int64, sessionID, content string) Turn {
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
		more, err := w.search.Update(w.t.Context())
		w.must(err)
		if !more {
			return
		}
	}
}

// decoded returns messages of a page with their details.
func decoded(t tester, messages []Message) []parley.Message {
	t.Helper()
	all := []parley.Message{}
	for _, m := range messages {
		message, err := m.Decode()
		if err != nil {
			t.Fatalf("%s: %v", m.Stored, err)
		}
		all = append(all, message)
	}
	return all
}

// text returns a session's messages, one on each line.
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
	n, err := db.ReadOne[int64](context.WithoutCancel(t.Context()), s.db, query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// audit fails the test if counters, numbers or the search index disagree with the rows.
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

// parallel calls do n times at once and returns the errors.
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

// count returns how many errors are nil.
func count(errs []error) (good int) {
	for _, err := range errs {
		if err == nil {
			good++
		}
	}
	return good
}

func numbered(prefix string, i int) string { return fmt.Sprintf("%s %d", prefix, i) }
