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
	"testing"
	"time"

	"parley/internal/store"
)

// The test binary is also the process that is killed: if childVariable is set, it runs the move that it names as JSON.
const childVariable = "PARLEY_TEST_MOVE"

func child() int {
	var c Config
	if err := json.Unmarshal([]byte(os.Getenv(childVariable)), &c); err != nil {
		fmt.Println(err)
		return 2
	}
	c.Progress = silent
	if _, err := Run(context.Background(), c); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
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

// TestAMoveSurvivesKills kills moves at random moments until each is done, and compares what has arrived. TORTURE_KILLS
// is how often in each direction, TORTURE_SEED chooses the moments.
func TestAMoveSurvivesKills(t *testing.T) {
	seed := setting(t, "TORTURE_SEED", time.Now().UnixNano()%1_000_000)
	enough := setting(t, "TORTURE_KILLS", 4)
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
	most := 500 * time.Millisecond
	for done := false; !done; {
		killed, said, err := runChild(t, string(spec), time.Duration(random.Int64N(int64(most))))
		switch {
		case killed:
			kills++
			most += most / 4 // so that it gets done soon on a slow machine too
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

// runChild runs a move in a process of its own and kills it after a time.
func runChild(t *testing.T, spec string, limit time.Duration) (killed bool, said string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "/proc/self/exe")
	command.Env = append(os.Environ(), childVariable+"="+spec)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	must(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err = <-ended:
		return false, output.String(), err
	case <-time.After(limit):
		_ = command.Process.Kill() // it may have ended
		err = <-ended
		return command.ProcessState.ExitCode() == -1, output.String(), err
	}
}

// checkUnfinished checks that no server uses a target that is not complete: it does not start, or finds it empty
// because nothing was copied yet.
func checkUnfinished(t *testing.T, from, to Place) {
	t.Helper()
	opened, err := store.Open(t.Context(), to.Data, to.DatabaseURL)
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
