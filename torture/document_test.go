package torture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest   = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]+)(?:/[^`]*)?`")
	writtenTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z][A-Za-z0-9]+)\(`)
)

// TestTheReliabilityTableNamesTestsThatExist reads docs/reliability.md.
func TestTheReliabilityTableNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../docs/reliability.md")
	must(t, err)
	written := map[string]bool{}
	must(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		code, err := os.ReadFile(path)
		for _, found := range writtenTest.FindAllSubmatch(code, -1) {
			written[string(found[1])] = true
		}
		return err
	}))
	named := namedTest.FindAllSubmatch(table, -1)
	if len(named) == 0 {
		t.Fatal("the table names no test")
	}
	for _, name := range named {
		if !written[string(name[1])] {
			t.Errorf("there is no %s", name[1])
		}
	}
}
