package responses

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley/internal/store"
	"parley/internal/store/storetest"
)

// world is a Service with a database, a clock and a user.
type world struct {
	*testing.T
	*Service
	database *store.Store
	user     int64
	clock    *clock
}

// each runs a test on each database.
func each(t *testing.T, test func(w *world)) {
	t.Helper()
	t.Parallel()
	storetest.EachParallel(t, func(t *testing.T, databaseURL string) {
		c := &clock{time: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
		w := &world{T: t, clock: c, database: storetest.Open(t, t.TempDir(), databaseURL)}
		w.Service = New(Config{Store: w.database, Log: slog.New(slog.DiscardHandler), Now: c.now})
		w.user = storetest.User(t, w.database, c.now())
		test(w)
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// response returns a response of the user that was created now.
func (w *world) response(id, conversation, data string) Response {
	return Response{
		UserID: w.user, ID: id, Conversation: []byte(conversation), Data: []byte(data), Created: w.clock.now(),
	}
}

// clock is a clock that stands still unless it is moved.
type clock struct {
	mu   sync.Mutex
	time time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
}

// anySize is a hold without a limit.
func anySize(int64) bool { return true }
