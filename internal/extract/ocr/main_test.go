package ocr

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// program is the path of a program that attempts what its input says, instead of Tesseract.
var program string

// becomeArgument makes the test binary the process that Become confines.
const becomeArgument = "become"

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	if len(os.Args) > 1 && os.Args[1] == becomeArgument { // this process was started by a test
		fmt.Fprintln(os.Stderr, Become(os.Args[2:]))
		return 1
	}
	folder, err := os.MkdirTemp("", "ocr")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is temporary
	program = filepath.Join(folder, "program")
	build := exec.Command("go", "build", "-o", program, "./testdata/program")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
