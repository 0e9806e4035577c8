package torture

import (
	"bufio"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
)

// server is the program, running.
type server struct {
	cmd   *exec.Cmd
	ready chan struct{} // closed when it takes requests
	over  chan struct{} // closed when it has ended

	mu  sync.Mutex
	url string
	log strings.Builder
}

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

// launch starts the program with nothing but the given settings, as NAME=value, and
// does not wait for it. Words before the program, such as those of strace, run it.
func launch(t *testing.T, settings []string, before ...string) *server {
	t.Helper()
	words := append(before, binary)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PARLEY_AI_BASE_URL=builtin"}, settings...) // no Ollama of this machine
	s := &server{cmd: cmd, ready: make(chan struct{}), over: make(chan struct{})}
	output, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	go func() {
		defer close(s.over)
		lines := bufio.NewScanner(output)
		lines.Buffer(nil, 1<<20) // a stack is one line
		for lines.Scan() {
			s.note(lines.Text())
		}
		_ = cmd.Wait() // it is killed
	}()
	t.Cleanup(s.kill)
	return s
}

func (s *server) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.Contains(line, "msg=request") {
		s.log.WriteString(line + "\n")
	}
	if found := readyLine.FindStringSubmatch(line); found != nil && s.url == "" {
		s.url = found[1]
		close(s.ready)
	}
}

// said is the log, without the lines of requests.
func (s *server) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// await waits until the server takes requests.
func (s *server) await(t *testing.T) {
	t.Helper()
	select {
	case <-s.ready:
	case <-s.over:
		t.Fatalf("the program ended before it was ready:\n%s", s.said())
	case <-time.After(patience):
		t.Fatalf("the program was not ready after %v:\n%s", patience, s.said())
	}
}

// kill ends the program as kill -9 does.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.over
}

// guest is a client that is not logged in.
func (s *server) guest() *client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return client.New(s.url)
}
