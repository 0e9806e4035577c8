package torture

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/internal/programtest"
)

// server is a running program.
type server struct {
	cmd   *exec.Cmd
	http  *http.Client  // without timeouts, for machines that are busy with other work
	ready chan struct{} // closed when it serves requests
	ended chan struct{} // closed when it and its children have exited

	mu  sync.Mutex
	url string
	log strings.Builder
}

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

// baseSettings make a server independent of the machine it runs on. A request may take a
// minute, because another test run may slow down this one. The variable of containers
// keeps it from warning about root.
var baseSettings = []string{
	"container=torture",
	"PARLEY_ADDR=127.0.0.1:0", "PARLEY_AI_BASE_URL=builtin", "PARLEY_REQUEST_TIMEOUT=1m",
	"PARLEY_TITLES=text",
}

// launch starts the program with baseSettings and settings, as NAME=value, and without
// any other environment. It does not wait until the program is ready. If wrapper is
// given, such as strace with its arguments, it runs the program.
func launch(t *testing.T, settings []string, wrapper ...string) *server {
	t.Helper()
	args := append(wrapper, binary)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = t.TempDir()
	programtest.ShareEngine(t, settings)
	cmd.Env = append(baseSettings[:len(baseSettings):len(baseSettings)], settings...)
	s := &server{
		cmd:   cmd,
		http:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * users}},
		ready: make(chan struct{}),
		ended: make(chan struct{}),
	}
	output, err := cmd.StderrPipe()
	must(t, err)
	// The program's children inherit this pipe. It ends when the last of them exits.
	family, inherited, err := os.Pipe()
	must(t, err)
	cmd.ExtraFiles = []*os.File{inherited}
	must(t, cmd.Start())
	inherited.Close()
	go func() {
		defer close(s.ended)
		lines := bufio.NewScanner(output)
		lines.Buffer(nil, 1<<20) // a stack trace is one line
		for lines.Scan() {
			s.addLog(lines.Text())
		}
		_ = cmd.Wait() // it was killed
		_, _ = io.Copy(io.Discard, family)
		family.Close()
	}()
	t.Cleanup(s.kill)
	return s
}

func (s *server) addLog(line string) {
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

// logged returns the log without the lines of requests.
func (s *server) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// waitReady waits until the server serves requests.
func (s *server) waitReady(t *testing.T) {
	t.Helper()
	select {
	case <-s.ready:
	case <-s.ended:
		t.Fatalf("the program exited before it was ready:\n%s", s.logged())
	case <-time.After(waitLimit):
		t.Fatalf("the program was not ready after %v:\n%s", waitLimit, s.logged())
	}
}

// kill kills the program with SIGKILL and waits until it and its children have exited.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have exited
	<-s.ended
	s.http.CloseIdleConnections()
}

// guest returns a client without a login.
func (s *server) guest() *client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return client.New(s.url, client.WithHTTPClient(s.http))
}

// request returns a request with a JSON body to a path of the server.
func (s *server) request(ctx context.Context, token, path, body string) (*http.Request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return r, nil
}
