// Package testtier leaves tests that take long to longer runs. `make test-go` runs the quick tests (-short),
// `make test` those and the slow ones, and `make test-all` also the rare ones.
package testtier

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const (
	// allVariable is set by make test-all.
	allVariable = "PARLEY_TEST_ALL"
	// reportVariable has the path of the report of the run.
	reportVariable = "PARLEY_TEST_REPORT"
)

// All reports whether rare tests run.
func All() bool { return os.Getenv(allVariable) != "" }

// Slow leaves a test to `make test`.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it is slow: make test runs it")
	}
}

// Rare leaves a test to `make test-all`. It is counted in the report of the run.
func Rare(t testing.TB) {
	t.Helper()
	if All() {
		return
	}
	if err := report(t.Name()); err != nil {
		t.Fatal(err)
	}
	t.Skip("it is rare: make test-all runs it")
}

// report adds the line "rare package test" to the report of the run, if there is one.
func report(test string) error {
	path := os.Getenv(reportVariable)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the report: %w", err)
	}
	defer f.Close() //nolint:errcheck // what is written is checked
	if _, err := fmt.Fprintln(f, "rare", filepath.Base(os.Args[0]), test); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
