package main_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/testdb"
)

// ownCluster starts a PostgreSQL for this test only. It returns its URL and a program that restarts it.
func ownCluster(t *testing.T) (databaseURL, restart string) {
	t.Helper()
	testdb.Postgres(t) // or skip
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "../../scripts/postgres", "run", "bash", "-c",
		`echo "$PARLEY_TEST_DATABASE_URL $PARLEY_TEST_DATABASE_RESTART"; exec cat >/dev/null`)
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	must(t, err)
	output, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		must(t, hold.Close())
		must(t, cmd.Wait())
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	must(t, err)
	databaseURL, restart, _ = strings.Cut(strings.TrimSpace(line), " ")
	return databaseURL, restart
}

// tally counts visits that succeeded, and visits that failed with an error allowed while the database is down.
type tally struct{ served, failed atomic.Int64 }

func (y *tally) count(t *testing.T, err error) {
	var known *client.Error
	switch {
	case err == nil:
		y.served.Add(1)
	case errors.As(err, &known) && (known.Status >= 500 || known.Status == 200) && known.Code >= parley.CodeSendFailed:
		y.failed.Add(1)
	default:
		t.Errorf("got %v, want an error of the server's own", err)
	}
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); !holds(); <-tick.C {
		if time.Since(begun) > patience {
			t.Fatalf("gave up after %v: %s", patience, what)
		}
	}
}

// TestPostgreSQLIsRestartedUnderLoad checks that two replicas recover by themselves, that clients get clear errors
// until then, and that nothing is lost.
func TestPostgreSQLIsRestartedUnderLoad(t *testing.T) {
	t.Parallel()
	databaseURL, restart := ownCluster(t)
	_, settings := shared(t, databaseURL)
	replicas := []*process{start(t, settings...), start(t, settings...)}
	next := 0
	register := func(name string) *client.Client {
		next++
		return replicas[next%2].user(name)
	}
	const count = 4
	var visits tally
	stop := visitors(t, count, register, func(ctx context.Context, v *visitor, n int) {
		visits.count(t, v.visit(ctx, n))
	})
	until(t, "the visitors are served", func() bool { return visits.served.Load() >= count })
	command := exec.CommandContext(t.Context(), restart)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("restart PostgreSQL: %v\n%s", err, out)
	}
	before := visits.served.Load()
	until(t, "the visitors are served again", func() bool { return visits.served.Load() >= before+count })
	answered := accountForAll(t, stop())
	for _, p := range replicas {
		must(t, p.client(nil).Ready(t.Context()))
	}
	t.Logf("%d questions were answered, %d requests failed meanwhile", answered, visits.failed.Load())
}
