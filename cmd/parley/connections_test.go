package main_test

import (
	"context"
	"errors"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// crowdedCluster starts a PostgreSQL with few connections. ask runs a statement as the superuser, who has reserved
// connections. address returns the URL for another role.
func crowdedCluster(t *testing.T) (ask func(statement string), address func(role string) string) {
	t.Helper()
	superuser, restart := ownCluster(t)
	ask = func(statement string) {
		t.Helper()
		// Connections that are refused still count for a moment.
		until(t, statement, func() bool {
			err := tell(t.Context(), superuser, statement)
			if !isFull(err) {
				must(t, err)
			}
			return err == nil
		})
	}
	ask(`ALTER SYSTEM SET max_connections = 16`)
	if out, err := exec.CommandContext(t.Context(), restart).CombinedOutput(); err != nil {
		t.Fatalf("restart PostgreSQL: %v\n%s", err, out)
	}
	for _, role := range []string{"server", "crowd"} {
		ask(`CREATE ROLE ` + role + ` LOGIN PASSWORD 'hunter2'`)
		ask(`CREATE DATABASE ` + role + ` OWNER ` + role)
	}
	return ask, func(role string) string {
		u, err := url.Parse(superuser)
		must(t, err)
		u.User, u.Path = url.UserPassword(role, "hunter2"), "/"+role
		return u.String()
	}
}

func tell(ctx context.Context, address, statement string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// isFull reports whether PostgreSQL has no connections left.
func isFull(err error) bool {
	var full *pgconn.PgError
	return errors.As(err, &full) && full.Code == "53300"
}

// crowd takes all remaining connections until leave is called.
func crowd(t *testing.T, address string) (leave func()) {
	t.Helper()
	var taken []*pgx.Conn
	leave = func() {
		for _, conn := range taken {
			_ = conn.Close(context.WithoutCancel(t.Context())) // it may be closed already
		}
	}
	t.Cleanup(leave)
	for {
		conn, err := pgx.Connect(t.Context(), address)
		if isFull(err) {
			t.Logf("the crowd has %d connections", len(taken))
			return leave
		}
		must(t, err)
		taken = append(taken, conn)
	}
}

func TestAStartWithoutAConnectionToPostgreSQLIsOneClearLine(t *testing.T) {
	t.Parallel()
	_, address := crowdedCluster(t)
	leave := crowd(t, address("crowd"))
	settings := []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + address("server")}
	_, stderr, err := operate(t, settings, "serve")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.HasPrefix(stderr, "parley: ") ||
		strings.Count(stderr, "\n") != 1 ||
		!strings.Contains(stderr, "SQLSTATE 53300") || strings.Contains(stderr, "hunter2") {
		t.Errorf("it ended with %v and said %q", err, stderr)
	}
	leave()
	start(t, settings...)
}

// TestConnectionsToPostgreSQLRunOut first takes the connections that the server has not opened yet, then its own.
func TestConnectionsToPostgreSQLRunOut(t *testing.T) {
	t.Parallel()
	ask, address := crowdedCluster(t)
	_, settings := shared(t, address("server"))
	p := start(t, settings...)
	leave := crowd(t, address("crowd"))
	const count = 12
	var visits tally
	stop := visitors(t, count, p.user, func(ctx context.Context, v *visitor, n int) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		visits.count(t, v.visit(ctx, n))
	})
	until(t, "the visitors are served with the connections that there are",
		func() bool { return visits.served.Load() >= 3*count })
	t.Logf("%d visits, %d failed", visits.served.Load(), visits.failed.Load())
	if n := visits.failed.Load(); n > 0 {
		t.Errorf("%d visits failed though there were connections", n)
	}

	ask(`ALTER ROLE server CONNECTION LIMIT 0`)
	ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'server'`)
	before := visits.failed.Load()
	until(t, "visits fail", func() bool { return visits.failed.Load() >= before+count })
	if err := p.client(nil).Ready(t.Context()); err == nil {
		t.Error("it is ready without a connection")
	}
	must(t, p.client(nil).Health(t.Context()))

	ask(`ALTER ROLE server CONNECTION LIMIT -1`)
	leave()
	before = visits.served.Load()
	until(t, "the visitors are served again", func() bool { return visits.served.Load() >= before+count })
	accountForAll(t, stop())
	must(t, p.client(nil).Ready(t.Context()))
	t.Logf("%d visits were served, %d failed meanwhile", visits.served.Load(), visits.failed.Load())
}
