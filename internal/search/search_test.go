package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"parley"
	"parley/internal/casefold"
	"parley/internal/db"
	"parley/internal/id"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/store/storetest"
	"parley/internal/testdb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// letters are few, which makes keywords occur often, and of many scripts.
var letters = []rune("aAbBß ẞsSkKéÉe\u0301iİıΣσς渡船🚢 \n\u3000%_\"*^")

func texts() *rapid.Generator[string] { return rapid.StringOfN(rapid.SampledFrom(letters), 0, 40, -1) }

func keywords() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom(letters), 1, 5, -1).
		Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
}

// world is a store, its search index, and a clock that advances with each use.
type world struct {
	*store.Store
	t        testing.TB
	database *db.DB
	index    *search.Index
	now      time.Time
}

func newWorld(t testing.TB, url string) *world {
	t.Helper()
	database, err := db.Open(t.Context(), store.Config(t.TempDir(), url))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		Store: store.New(database), t: t, database: database, index: search.New(database), now: time.Unix(1_767_225_600, 0),
	}
	t.Cleanup(func() {
		if !t.Failed() {
			w.audit()
		}
		if err := database.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return w
}

// each runs a test on both databases, and audits the store at the end.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testdb.Each(t, func(t *testing.T, url string) { test(t, newWorld(t, url)) })
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) tick() time.Time {
	w.now = w.now.Add(1300 * time.Millisecond)
	return w.now
}

// user creates an account and returns its id.
func (w *world) user() int64 {
	w.t.Helper()
	return storetest.User(w.t, w.Store, w.tick())
}

// session creates a session and returns its id.
func (w *world) session(userID int64, title string) string {
	w.t.Helper()
	session := store.NewSession{ID: id.New(), UserID: userID, Title: title, Now: w.tick()}
	w.must(w.CreateSession(w.t.Context(), session))
	return session.ID
}

// begin opens a turn.
func (w *world) begin(userID int64, sessionID, content string) store.Turn {
	w.t.Helper()
	turn, err := w.BeginTurn(w.t.Context(), store.NewTurn{
		UserID: userID, SessionID: sessionID, QuestionID: id.New(), ReplyID: id.New(),
		Content: content, Owner: "owner", Now: w.tick(),
	})
	w.must(err)
	return turn
}

// say stores a question and its complete reply.
func (w *world) say(userID int64, sessionID, question, reply string) {
	w.t.Helper()
	w.must(w.FinishTurn(w.t.Context(), w.begin(userID, sessionID, question), reply, parley.Details{}))
}

// update brings the search index up to date.
func (w *world) update() {
	w.t.Helper()
	for more := true; more; {
		var err error
		more, err = w.index.Update(w.t.Context())
		w.must(err)
	}
}

// found returns the titles of the sessions that a search finds, and their total.
func (w *world) found(userID int64, keyword string, page parley.Page) ([]string, int64) {
	w.t.Helper()
	sessions, total, err := w.index.Find(w.t.Context(), userID, search.Keyword{Key: casefold.Key(keyword)}, page)
	w.must(err)
	titles := []string{}
	for _, s := range sessions {
		titles = append(titles, s.Title)
	}
	return titles, total
}

// run runs statements in a transaction.
func (w *world) run(statements ...string) {
	w.t.Helper()
	w.must(w.database.Write(w.t.Context(), func(ctx context.Context, q db.Querier) error {
		for _, statement := range statements {
			if _, err := q.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}))
}

// count reads one number.
func (w *world) count(query string) int64 {
	w.t.Helper()
	n, err := db.ReadOne[int64](w.t.Context(), w.database, query)
	w.must(err)
	return n
}

// indexed is how many texts are in the search index.
func (w *world) indexed() int64 {
	w.t.Helper()
	return w.count(`SELECT COALESCE(CAST(sum(size - gone) AS BIGINT), 0) FROM search_blocks`)
}

// audit fails the test if the database contradicts itself.
func (w *world) audit() {
	w.t.Helper()
	findings, err := w.Audit(context.WithoutCancel(w.t.Context()))
	w.must(err)
	for _, finding := range findings {
		w.t.Errorf("audit, %s: %d rows are wrong", finding.Rule, finding.Rows)
	}
}

var failure = parley.ErrAIUnavailable.WithCause(errors.New("the model is asleep"))

func numbered(prefix string, i int) string { return fmt.Sprintf("%s %d", prefix, i) }
