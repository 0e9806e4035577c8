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

// TestTheTablesNameTestsThatExist reads docs/reliability.md and SECURITY.md.
func TestTheTablesNameTestsThatExist(t *testing.T) {
	t.Parallel()
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
	for _, document := range []string{"../docs/reliability.md", "../SECURITY.md"} {
		table, err := os.ReadFile(document)
		must(t, err)
		named := namedTest.FindAllSubmatch(table, -1)
		if len(named) == 0 {
			t.Fatalf("%s names no test", document)
		}
		for _, name := range named {
			if !written[string(name[1])] {
				t.Errorf("%s: there is no %s", document, name[1])
			}
		}
	}
}
