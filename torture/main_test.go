package torture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// binary is the path of the program, built once. SIEGE_BINARY names another one, such as an
// earlier release, to see how it fares.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if binary = os.Getenv("SIEGE_BINARY"); binary != "" {
			return m.Run()
		}
		dir, err := os.MkdirTemp("", "parley-torture-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
		binary = filepath.Join(dir, "parley")
		build := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "parley/cmd/parley")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// waitLimit limits every wait for a condition. It allows for a machine that is many times
// slower than usual.
const waitLimit = 5 * time.Minute

// setting returns a number from the environment.
func setting(t *testing.T, name string, defaultValue int64) int64 {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		return defaultValue
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
