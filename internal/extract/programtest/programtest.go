// Package programtest runs the tests of a package with a program that they start.
package programtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// Run builds the program whose source is in a folder, runs the tests and checks that no goroutine is left. The path of
// the program is set before the tests run. It returns the exit code. The program is built without the race detector,
// which does not fit into the memory limit of confined processes.
func Run(m *testing.M, source string, program *string) (code int) {
	folder, err := os.MkdirTemp("", "program")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is temporary
	*program = filepath.Join(folder, "program")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", *program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fail(fmt.Errorf("build %s: %w\n%s", source, err, out))
	}
	if code = m.Run(); code != 0 {
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
