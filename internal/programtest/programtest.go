// Package programtest builds programs for the tests that start them.
package programtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

const (
	// parley is the package of the program that several packages test.
	parley = "parley/cmd/parley"
	// parleyVariable has the path of a parley that was built for all of them.
	parleyVariable = "PARLEY_TEST_PROGRAM"
)

// Build builds the program of a package, from its path. The caller must call remove. It is built without the race
// detector, which does not fit into the memory limit of confined processes.
func Build(source string) (program string, remove func(), err error) {
	if built := os.Getenv(parleyVariable); built != "" && source == parley {
		return built, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "program")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) } // it is temporary
	program = filepath.Join(folder, "program")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("build %s: %w\n%s", source, err, out)
	}
	return program, remove, nil
}

// Main builds a program, sets its path and runs the tests. It returns the exit code.
func Main(m *testing.M, source string, program *string) (code int) {
	path, remove, err := Build(source)
	if err != nil {
		return fail(err)
	}
	defer remove()
	*program = path
	return m.Run()
}

// MainLeak is Main that also fails if a goroutine is left.
func MainLeak(m *testing.M, source string, program *string) (code int) {
	if code = Main(m, source, program); code != 0 {
		return code
	}
	return fail(goleak.Find())
}

// fail prints an error, if there is one, and returns the exit code.
func fail(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// ShareEngine lets a server use the PDF engine that earlier tests have compiled. To compile it takes as much time as
// most tests. settings are NAME=value. The data folder in them is used, if it exists.
func ShareEngine(t testing.TB, settings []string) {
	t.Helper()
	for _, setting := range settings {
		data, found := strings.CutPrefix(setting, "PARLEY_DATA=")
		if !found {
			continue
		}
		if info, err := os.Stat(data); err != nil || !info.IsDir() {
			continue
		}
		cache := filepath.Join(data, "cache")
		if err := os.Symlink(Engine(t), cache); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
}

// Engine returns the folder where tests keep the compiled PDF engine.
func Engine(t testing.TB) string {
	t.Helper()
	folder, err := filepath.Abs(".")
	for ; err == nil && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			engine := filepath.Join(folder, ".cache", "pdf")
			if err := os.MkdirAll(engine, 0o700); err != nil {
				t.Fatal(err)
			}
			return engine
		}
	}
	t.Fatal("the test does not run in the repository", err)
	return ""
}
