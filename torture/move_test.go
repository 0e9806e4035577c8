package torture

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

var needsRoom = regexp.MustCompile(`has \d+ bytes free, the data needs (\d+)`)

// TestAMoveToAFullDiskGoesOn moves to a disk without room, then to one that becomes full on the way, because SQLite's
// log needs room too, and then to one with room.
func TestAMoveToAFullDiskGoesOn(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	disk := newDisk(t, to)
	settings := []string{"PARLEY_DATA=" + from}
	s := launch(t, settings)
	s.waitReady(t)
	user := parley.RegisterInput{Email: "ada@example.com", Password: "password"}
	ada := s.guest()
	_, err := ada.Register(t.Context(), user)
	must(t, err)
	made, err := ada.CreateSession(t.Context(), parley.CreateSessionInput{})
	must(t, err)
	_, err = ada.Upload(t.Context(), made.SessionID, "notes.txt", strings.NewReader("The ferry leaves at nine."))
	must(t, err)
	for n := range 150 {
		content := fmt.Sprint(n, " ", strings.Repeat("渡船", 5_000))
		_, err := ada.Send(t.Context(), parley.SendInput{SessionID: made.SessionID, Content: content})
		must(t, err)
	}
	before := lastMessages(t, ada, made.SessionID)
	s.kill()

	target := filepath.Join(to, "data")
	filler := filepath.Join(disk.path(to), "filler")
	must(t, os.WriteFile(filler, make([]byte, diskSize-2<<20), 0o600)) // leaves room for an empty database only
	said := runMove(t, disk, settings, target, false)
	found := needsRoom.FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("without room it says %s", said)
	}
	needed, err := strconv.ParseInt(found[1], 10, 64)
	must(t, err)
	must(t, os.Truncate(filler, diskSize-needed-1<<20))
	if said := runMove(t, disk, settings, target, false); !strings.Contains(said, "full") &&
		!strings.Contains(said, "no space left") {
		t.Errorf("on a full disk it says %s", said)
	}
	must(t, os.Remove(filler))
	runMove(t, disk, settings, target, true)

	s = launch(t, []string{"PARLEY_DATA=" + target}, disk.enter()...)
	s.waitReady(t)
	if after := lastMessages(t, s.guest().WithToken(ada.Token()), made.SessionID); after != before {
		t.Error("the messages are not the same")
	}
}

// lastMessages returns the last messages of a session as text.
func lastMessages(t *testing.T, c *client.Client, sessionID string) string {
	t.Helper()
	out, err := c.Messages(t.Context(), sessionID, parley.Page{Number: 2, Size: 200})
	must(t, err)
	if len(out.Messages) != 100 {
		t.Errorf("there are %d messages", len(out.Messages))
	}
	text, err := json.Marshal(out)
	must(t, err)
	return string(text)
}

// runMove moves data to a folder of a disk and returns what the program prints.
func runMove(t *testing.T, d *disk, settings []string, target string, succeeds bool) string {
	t.Helper()
	args := append(d.enter(), binary, "move", "--to", "sqlite:"+target)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(baseSettings[:len(baseSettings):len(baseSettings)], settings...)
	said, err := cmd.CombinedOutput()
	if (err == nil) != succeeds {
		t.Errorf("the move ended with %v: %s", err, said)
	}
	return string(said)
}
