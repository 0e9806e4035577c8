package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley"
)

// TestNewFoldersAreSynced traces a start in a folder that is not there, and an upload:
// the entry of each new folder is brought to disk, since no sync of what is in the
// folder does that. Only the one of bytes on their way in may get lost.
func TestNewFoldersAreSynced(t *testing.T) {
	t.Parallel()
	needsStrace(t)
	file := filepath.Join(t.TempDir(), "trace")
	data := filepath.Join(t.TempDir(), "new", "data")
	// -D: strace is beside the program, not before it, so that a kill reaches the program.
	s := launch(t, []string{"PARLEY_ADDR=127.0.0.1:0", "PARLEY_AI_BASE_URL=builtin", "PARLEY_DATA=" + data},
		"strace", "-D", "-f", "-y", "-o", file, "-e", "trace=mkdirat,fsync,write")
	s.await(t)
	c := s.guest()
	_, err := c.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "password"})
	must(t, err)
	out, err := c.CreateSession(t.Context(), parley.CreateSessionInput{})
	must(t, err)
	_, err = c.Upload(t.Context(), out.SessionID, "notes.txt", strings.NewReader("The ferry leaves at nine."))
	must(t, err)
	s.kill()
	calls := parseTrace(finished(t, s, file))
	var made []string
	for _, c := range calls {
		if c.name != "mkdirat" || !c.ok {
			continue
		}
		folder := madeFolder(c)
		made = append(made, folder)
		if filepath.Base(folder) != "partial" && !synced(calls, filepath.Dir(folder), c.end, nextAnswer(calls, c.end)) {
			t.Errorf("%s is not synced into its parent", folder)
		}
	}
	if len(made) != 5 || made[1] != data {
		t.Errorf("the folders made are %q", made)
	}
}

// finished waits until strace has told all of a server that was killed.
func finished(t *testing.T, s *server, file string) string {
	t.Helper()
	end := regexp.MustCompile(fmt.Sprintf(`(?m)^%d +\+\+\+ killed`, s.cmd.Process.Pid))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < patience; <-tick.C {
		text, err := os.ReadFile(file)
		must(t, err)
		if end.Match(text) {
			return string(text)
		}
	}
	t.Fatal("strace has not ended")
	return ""
}

var relativeTo = regexp.MustCompile(`^(?:\d+|AT_FDCWD)<([^>]*)>, "([^"]*)"`)

// madeFolder is the path that was given to mkdirat.
func madeFolder(c call) string {
	found := relativeTo.FindStringSubmatch(c.text)
	if filepath.IsAbs(found[2]) {
		return found[2]
	}
	return filepath.Join(found[1], found[2])
}

// nextAnswer is when the next thing is said to a client after a moment.
func nextAnswer(calls []call, after int) int {
	for _, c := range calls {
		if c.name == "write" && strings.HasPrefix(c.path, "socket:") && c.begin > after {
			return c.begin
		}
	}
	return 0
}
