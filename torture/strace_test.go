package torture

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// needsStrace skips a test without strace, or fails it if PARLEY_TEST_STRACE requires it.
func needsStrace(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		if os.Getenv("PARLEY_TEST_STRACE") == "required" {
			t.Fatal(err)
		}
		t.Skip("needs strace: install it (Debian, Ubuntu: sudo apt-get install strace)")
	}
}

// tracer is a strace attached to a server and its children.
type tracer struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// wait waits until strace exits, which it does by itself when all processes are gone.
func (s *tracer) wait() { <-s.ended }

// detach kills strace, and the processes continue. An interrupted strace would wait for
// their threads, which deadlocks if a process ends meanwhile.
func (s *tracer) detach() {
	_ = s.cmd.Process.Kill() // it may have exited
	s.wait()
}

// attach attaches strace to a server.
func attach(t *testing.T, s *server, args ...string) *tracer {
	t.Helper()
	needsStrace(t)
	args = append(args, "-f", "-p", strconv.Itoa(s.cmd.Process.Pid))
	cmd := exec.CommandContext(t.Context(), "strace", args...)
	messages, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	attachment := &tracer{cmd: cmd, ended: make(chan struct{})}
	t.Cleanup(attachment.detach)
	lines := bufio.NewScanner(messages)
	attached := false
	for !attached && lines.Scan() {
		if attached = strings.Contains(lines.Text(), "attached"); !attached {
			t.Log(lines.Text())
		}
	}
	go func() {
		defer close(attachment.ended)
		_, _ = io.Copy(io.Discard, messages)
		_ = cmd.Wait() // it exits as the server does, or is killed
	}()
	if !attached {
		t.Fatal("strace could not attach to the server")
	}
	return attachment
}

// call is a system call of a traced program: its position at the start and end in the
// order of all events, its arguments, and whether it succeeded.
type call struct {
	name, path, text string
	begin, end       int
	ok               bool
}

var (
	callLine    = regexp.MustCompile(`^(\d+) +(\w+)\((.*)$`)
	resumedLine = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
	descriptor  = regexp.MustCompile(`^\d+<([^>]*)>`)
)

// readTrace parses an output file of strace. A call takes two lines if others interrupt it.
func readTrace(t *testing.T, path string) []call {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	var calls []call
	open := map[string]int{} // indexes of unfinished calls, by thread
	for i, line := range strings.Split(string(text), "\n") {
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
