package db

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/testdb"
)

// server returns the engine of a PostgreSQL database.
func (w *world) server() *postgres { return w.engine.(*postgres) }

func TestIdleTransactionsEndUnlessTheURLSaysOtherwise(t *testing.T) {
	url := testdb.Postgres(t)
	for more, want := range map[string]string{"": "30s", "&idle_in_transaction_session_timeout=0": "0"} {
		w := newWorld(t, url+more)
		got, err := ReadOne[string](t.Context(), w.DB, `SHOW idle_in_transaction_session_timeout`)
		if err != nil || got != want {
			t.Errorf("with %q it is %q, want %q (%v)", more, got, want, err)
		}
	}
}

// TestConnectingToASilentServerEnds opens a database that accepts connections and says nothing.
func TestConnectingToASilentServerEnds(t *testing.T) {
	proxy := testdb.NewProxy(t, testdb.Postgres(t))
	proxy.Silence()
	_, err := Open(t.Context(), testConfig("", proxy.URL+"&connect_timeout=1"))
	if err == nil || !strings.HasPrefix(err.Error(), "can't reach PostgreSQL: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error is %v", err)
	}
	config, err := parsePostgres(proxy.URL)
	if err != nil || config.ConnectTimeout != connectTimeout {
		t.Errorf("without a setting, connecting may take %v (%v)", config.ConnectTimeout, err)
	}
}

// TestListeningOnASilentConnectionEnds checks that a listener finds out that it hears nothing, and
// that it misses nothing while nobody speaks.
func TestListeningOnASilentConnectionEnds(t *testing.T) {
	proxy := testdb.NewProxy(t, testdb.Postgres(t))
	w := newWorld(t, proxy.URL)
	w.server().pingInterval = 100 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun, heard, ended := make(chan struct{}), make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- w.Listen(ctx, func() { close(begun) }, func(payload string) { heard <- payload })
	}()
	<-begun
	time.Sleep(5 * w.server().pingInterval) // several checks
	w.must(w.Notify(t.Context(), "渡船"))
	if got := <-heard; got != "渡船" {
		t.Errorf("heard %q", got)
	}
	proxy.Silence()
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("listening ended with %v", err)
	}
}

// TestSilentConnectionsOfThePoolAreReplaced has idle connections that went silent. Callers without a deadline get
// others.
func TestSilentConnectionsOfThePoolAreReplaced(t *testing.T) {
	proxy := testdb.NewProxy(t, testdb.Postgres(t))
	w := newWorld(t, proxy.URL)
	const connections = 8
	ping := func(int) error { return w.Ping(t.Context()) }
	hold := func(int) error {
		return w.Read(t.Context(), func(ctx context.Context, q Querier) error {
			_, err := q.ExecContext(ctx, `SELECT pg_sleep(0.5)`)
			return err
		})
	}
	w.must(errors.Join(parallel(connections, hold)...))
	time.Sleep(1100 * time.Millisecond) // a connection is pinged if it was idle for a second
	proxy.Silence()
	proxy.Restore()
	w.must(errors.Join(parallel(connections, ping)...))
	if w.server().pool.Stats().MaxIdleTimeClosed != 0 {
		t.Error("the connections were too old to show anything")
	}
}
