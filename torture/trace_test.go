package torture

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// call is a system call of a traced program: where it began and ended in the order of
// all events, what it was given, and whether it succeeded.
type call struct {
	name, path, text string
	begin, end       int
	ok               bool
}

// trace notes the system calls of a running server that have to do with durability.
type trace struct {
	strace *exec.Cmd
	server *server
	file   string
}

// needsStrace skips a test without strace, unless the run is to have it.
func needsStrace(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		if os.Getenv("PARLEY_TEST_STRACE") == "required" {
			t.Fatal(err)
		}
		t.Skip("needs strace: install it (Debian, Ubuntu: sudo apt-get install strace)")
	}
}

// watch attaches strace to a server.
func watch(t *testing.T, s *server) *trace {
	t.Helper()
	needsStrace(t)
	file := filepath.Join(t.TempDir(), "trace")
	cmd := exec.CommandContext(t.Context(), "strace", "-f", "-y", "-s", "16384", "-o", file,
		"-e", "trace=read,write,pwrite64,fsync,fdatasync,renameat,renameat2", "-p", strconv.Itoa(s.cmd.Process.Pid))
	said, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if strings.Contains(lines.Text(), "attached") {
			return &trace{cmd, s, file}
		}
		t.Log(lines.Text())
	}
	t.Fatal("strace could not attach to the server")
	return nil
}

// calls ends the server, and strace with it, and returns what the server did.
func (r *trace) calls(t *testing.T) []call {
	t.Helper()
	r.server.kill()
	_ = r.strace.Wait() // it ends as the server did
	text, err := os.ReadFile(r.file)
	must(t, err)
	return parseTrace(string(text))
}

var (
	callLine    = regexp.MustCompile(`^(\d+) +(\w+)\((.*)$`)
	resumedLine = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
	descriptor  = regexp.MustCompile(`^\d+<([^>]*)>`)
)

// parseTrace reads the output of strace, in which a call that others come between is
// told in two lines.
func parseTrace(text string) []call {
	var calls []call
	open := map[string]int{} // by thread, the call that is not over
	for i, line := range strings.Split(text, "\n") {
		if found := resumedLine.FindStringSubmatch(line); found != nil {
			if at, known := open[found[1]]; known {
				delete(open, found[1])
				calls[at].text += found[2]
				calls[at].finish(i)
			}
			continue
		}
		found := callLine.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		c := call{name: found[2], text: found[3], begin: i}
		if on := descriptor.FindStringSubmatch(c.text); on != nil {
			c.path = on[1]
		}
		before, unfinished := strings.CutSuffix(c.text, "<unfinished ...>")
		if unfinished {
			c.text, open[found[1]] = before, len(calls)
		} else {
			c.finish(i)
		}
		calls = append(calls, c)
	}
	return calls
}

var succeeded = regexp.MustCompile(`= \d+$`)

func (c *call) finish(at int) {
	c.end = at
	c.ok = succeeded.MatchString(c.text)
}
