package ocr

import (
	"fmt"
	"os"
	"testing"

	"parley/internal/programtest"
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
	return programtest.MainLeak(m, "./testdata/program", &program)
}
