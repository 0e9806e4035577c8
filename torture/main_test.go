package torture

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"parley/internal/programtest"
)

// binary is the path of the program, built once. SIEGE_BINARY names another one, such as an
// earlier release, to see how it fares.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("these tests are slow: make test runs them")
		return
	}
	if binary = os.Getenv("SIEGE_BINARY"); binary != "" {
		os.Exit(m.Run())
	}
	os.Exit(programtest.Main(m, "parley/cmd/parley", &binary))
}

// waitLimit limits every wait for a condition. It allows for a machine many times slower than usual.
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
