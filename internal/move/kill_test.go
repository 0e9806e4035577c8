package move

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/internal/store"
	"parley/internal/testtier"
)

// The test binary is also the process to kill. If childVariable is set, it is a move in JSON, and the process runs it.
// If looksVariable is n, the process kills itself when it looks at its context for the nth time.
const (
	childVariable = "PARLEY_TEST_MOVE"
	looksVariable = "PARLEY_TEST_MOVE_LOOKS"
)

func child() int {
	var c Config
	if err := json.Unmarshal([]byte(os.Getenv(childVariable)), &c); err != nil {
		fmt.Println(err)
		return 2
	}
	c.Progress = silent
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if looks, err := strconv.ParseInt(os.Getenv(looksVariable), 10, 64); err == nil {
		mortal := &mortalContext{Context: ctx}
		mortal.looks.Store(looks)
		ctx = mortal
	}
	if _, err := Run(ctx, c); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// mortalContext kills the process when somebody looks at it. database/sql looks a few times for each statement. So a
// statement of the schema is killed as often as one that copies thousands of rows.
type mortalContext struct {
	context.Context
	looks atomic.Int64
}

func (m *mortalContext) Done() <-chan struct{} {
	if m.looks.Add(-1) == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // it can't fail
		select {}
	}
	return m.Context.Done()
}

// setting reads a number from the environment.
func setting(t testing.TB, name string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	must(t, err)
	return n
}

// TestAMoveSurvivesKills kills moves at random moments and statements until each is done, and compares what has
// arrived. TORTURE_KILLS is how often in each direction, TORTURE_SEED chooses the moments.
func TestAMoveSurvivesKills(t *testing.T) {
	testtier.Slow(t)
	seed := setting(t, "TORTURE_SEED", time.Now().UnixNano()%1_000_000)
	enough := setting(t, "TORTURE_KILLS", 2)
	t.Logf("TORTURE_SEED=%d", seed)
	for _, direction := range directions {
		t.Run(direction.from+" to "+direction.to, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 0))
			var kills, moved int64
			for kills < enough {
				kills += survive(t, newPlace(t, direction.from), newPlace(t, direction.to), random)
				moved++
			}
			t.Logf("%d moves were killed %d times, lost: 0, doubled: 0", moved, kills)
		})
	}
}

// survive runs one move, kills it now and then, and checks what has arrived in the end.
func survive(t *testing.T, from, to Place, random *rand.Rand) (kills int64) {
	t.Helper()
	fill(t, from, 60)
	addFiles(t, from, 30)
	rows, files := dump(t, from), contents(t, from)
	spec, err := json.Marshal(map[string]any{"From": from, "To": to, "Version": "test"})
	must(t, err)
	most, mostLooks := 500*time.Millisecond, int64(500)
	for done, byTime := false, false; !done; byTime = !byTime {
		limit, looks := time.Hour, random.Int64N(mostLooks)
		if byTime {
			limit, looks = time.Duration(random.Int64N(int64(most))), 0
		}
		killed, said, err := runChild(t, string(spec), limit, looks)
		switch {
		case killed:
			kills++
			most += most / 4 // it gets done soon on a slow machine too
			mostLooks += mostLooks / 4
			checkUnfinished(t, from, to)
		case err != nil && strings.Contains(said, "all of the data was moved to "+to.Database()+" already"):
			done = true // the last kill came after the last step
		case err != nil:
			t.Fatalf("the move failed: %v\n%s", err, said)
		default:
			done = true
		}
	}
	if got := dump(t, to); got != rows {
		t.Errorf("there is\n%s\nwant\n%s", got, rows)
	}
	sameFiles(t, to, files)
	refused(t, from, "was moved to")
	must(t, open(t, to).Close())
	return kills
}

// runChild runs a move in a process of its own. It is killed after a time, or kills itself after a number of looks at
// its context.
func runChild(t *testing.T, spec string, limit time.Duration, looks int64) (killed bool, said string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "/proc/self/exe")
	command.Env = append(os.Environ(), childVariable+"="+spec, fmt.Sprintf("%s=%d", looksVariable, looks))
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	must(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err = <-ended:
	case <-time.After(limit):
		_ = command.Process.Kill() // it may have ended
		err = <-ended
	}
	return command.ProcessState.ExitCode() == -1, output.String(), err
}

// checkUnfinished checks that nobody uses an incomplete target: it is refused, or is empty because nothing was copied
// yet. It leaves an unfinished schema to the next run.
func checkUnfinished(t *testing.T, from, to Place) {
	t.Helper()
	opened, err := store.Attach(t.Context(), to.Data, to.DatabaseURL)
	if err != nil {
		return
	}
	defer opened.Close() //nolint:errcheck // it was only read
	users, err := opened.Users(t.Context(), 0, 1)
	must(t, err)
	if len(users) > 0 {
		refused(t, from, "was moved to") // the kill came after the last step
	}
}
