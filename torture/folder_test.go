package torture

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley"
)

// TestNewFoldersAreSynced traces a start in a folder that does not exist, and an upload.
// The parent of each new folder must be synced, because syncing the content of a folder
// does not sync its entry. The folder of partial uploads is an exception.
func TestNewFoldersAreSynced(t *testing.T) {
	t.Parallel()
	needsStrace(t)
	file := filepath.Join(t.TempDir(), "trace")
	data := filepath.Join(t.TempDir(), "new", "data")
	// With -D, strace is a grandchild, and the process we start is the program.
	s := launch(t, []string{"PARLEY_DATA=" + data},
		"strace", "-D", "-f", "-y", "-o", file, "-e", "trace=mkdirat,fsync,write")
	s.waitReady(t)
	c := s.guest()
	_, err := c.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "password"})
	must(t, err)
	out, err := c.CreateSession(t.Context(), parley.CreateSessionInput{})
	must(t, err)
	_, err = c.Upload(t.Context(), out.SessionID, "notes.txt", strings.NewReader("The ferry leaves at nine."))
	must(t, err)
	s.kill()
	calls := readTrace(t, file)
	var made []string
	for _, c := range calls {
		if c.name != "mkdirat" || !c.ok {
			continue
		}
		folder := madeFolder(c)
		made = append(made, folder)
		if filepath.Base(folder) == "partial" {
			continue
		}
		if !synced(calls, filepath.Dir(folder), c.end, nextResponse(calls, c.end)) {
			t.Errorf("%s is not synced into its parent", folder)
		}
	}
	if len(made) != 5 || made[1] != data {
		t.Errorf("the new folders are %q", made)
	}
}

var relativeTo = regexp.MustCompile(`^(?:\d+|AT_FDCWD)<([^>]*)>, "([^"]*)"`)

// madeFolder returns the path argument of mkdirat.
func madeFolder(c call) string {
	found := relativeTo.FindStringSubmatch(c.text)
	if filepath.IsAbs(found[2]) {
		return found[2]
	}
	return filepath.Join(found[1], found[2])
}

// nextResponse returns the position of the next write to a client.
func nextResponse(calls []call, after int) int {
	for _, c := range calls {
		if c.name == "write" && strings.HasPrefix(c.path, "socket:") && c.begin > after {
			return c.begin
		}
	}
	return 0
}
