package main_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
)

// binary is the program itself, built once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "parley-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		binary = filepath.Join(dir, "parley")
		build := exec.CommandContext(context.Background(), "go", "build", "-o", binary, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // compiled already, by the build and by other tests
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// patience bounds what a test waits for.
const patience = time.Minute

// command is the program with nothing but the given settings, as NAME=value. Without a setting of the model it uses
// the built-in one, not an Ollama that may run on this machine.
func command(t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = t.TempDir()
	usual := []string{"PARLEY_ADDR=127.0.0.1:0", "PARLEY_DRAIN_DELAY=0s", "PARLEY_AI_BASE_URL=builtin"}
	cmd.Env = append(usual, settings...)
	return cmd
}

// process is the program, running.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string
	over chan struct{} // closed when it has ended

	mu  sync.Mutex
	log strings.Builder
}

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

// start runs the program until it is ready. It is killed with the test.
func start(t *testing.T, settings ...string) *process {
	t.Helper()
	return launch(t, command(t, settings))
}

func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, over: make(chan struct{})}
	output, err := p.cmd.StderrPipe()
	must(t, err)
	must(t, p.cmd.Start())
	ready := make(chan string, 1)
	go func() {
		defer close(p.over)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			p.note(lines.Text())
			if found := readyLine.FindStringSubmatch(lines.Text()); found != nil {
				ready <- found[1]
			}
		}
		_ = p.cmd.Wait() // the exit code is in ProcessState
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("the log:\n%s", p.said())
		}
	})
	select {
	case p.url = <-ready:
	case <-p.over:
		t.Fatal("the program ended before it was ready")
	}
	return p
}

func (p *process) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.WriteString(line + "\n")
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// kill ends the program as a power cut would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.over
}

// client is one that uses the token of another, if given.
func (p *process) client(like *client.Client) *client.Client {
	c := client.New(p.url)
	if like != nil {
		c = c.WithToken(like.Token())
	}
	return c
}

// user registers somebody.
func (p *process) user(name string) *client.Client {
	p.t.Helper()
	c := p.client(nil)
	_, err := c.Register(p.t.Context(), parley.RegisterInput{Email: name + "@example.com", Password: "password of " + name})
	must(p.t, err)
	return c
}

func session(t *testing.T, c *client.Client) string {
	t.Helper()
	out, err := c.CreateSession(t.Context(), parley.CreateSessionInput{})
	must(t, err)
	return out.SessionID
}

func messages(t *testing.T, c *client.Client, sessionID string) []parley.Message {
	t.Helper()
	out, err := c.Messages(t.Context(), sessionID, parley.Page{})
	must(t, err)
	return out.Messages
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestVersionAndHelp(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{"version": "parley dev\n", "--help": "PARLEY_ADDR"} {
		out, err := command(t, nil, args).Output()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("parley %s: %v, %s", args, err, out)
		}
	}
}

func TestAServerIsReadyInAMomentWithNothingSetUp(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	p := start(t, "PARLEY_DATA="+filepath.Join(t.TempDir(), "new", "data"))
	if took := time.Since(begun); took > patience { // a fraction of a second where nobody else is at work
		t.Errorf("ready after %v", took)
	}
	ada := p.user("ada")
	out, err := ada.Send(t.Context(), parley.SendInput{SessionID: session(t, ada), Content: "Hello"})
	if err != nil || out.AIResponse.Content == "" {
		t.Errorf("got %+v, %v", out, err)
	}
	for _, part := range []string{"model=", "database=", "files=", "search="} {
		if !strings.Contains(p.said(), part) {
			t.Errorf("the first lines do not tell %s", part)
		}
	}
}

func TestAMisspeltVariableIsToldOf(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_MAX_UPLAOD=1MB", "PARLEY_AI_BASE_URL=builtin")
	for _, want := range []string{"variable=PARLEY_MAX_UPLAOD nearest=PARLEY_MAX_UPLOAD", "model=built-in"} {
		if !strings.Contains(p.said(), want) {
			t.Errorf("the log does not say %q", want)
		}
	}
}

// TestWhatCannotWorkIsOneClearLine starts the program where it can't run.
func TestWhatCannotWorkIsOneClearLine(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	data := t.TempDir()
	start(t, "PARLEY_DATA="+data)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, test := range []struct {
		name, setting string
		args          []string
		want          string
	}{
		{"a bad duration", "PARLEY_REQUEST_TIMEOUT=soon", nil, "PARLEY_REQUEST_TIMEOUT"},
		{"a bad address", "PARLEY_ADDR=nowhere", nil, "PARLEY_ADDR"},
		{"a bad database", "PARLEY_DATABASE_URL=mysql://root:hunter2@db/x", nil, "PARLEY_DATABASE_URL"},
		{"an unknown flag", "", []string{"--nonsense"}, "nonsense"},
		{"a port in use", "PARLEY_ADDR=" + taken.Addr().String(), nil, "in use"},
		{"a data folder in use", "PARLEY_DATA=" + data, nil, "in use by another process"},
		{"a data folder that is a file", "PARLEY_DATA=" + file, nil, file},
	} {
		var stderr strings.Builder
		cmd := command(t, []string{"PARLEY_LOG_LEVEL=error", test.setting}, test.args...)
		cmd.Stderr = &stderr
		err := cmd.Run()
		var exit *exec.ExitError
		line := strings.TrimSuffix(stderr.String(), "\n")
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Contains(line, "\n") || !strings.HasPrefix(line, "parley: ") ||
			!strings.Contains(line, test.want) || strings.Contains(line, "hunter2") {
			t.Errorf("%s: %v, %q", test.name, err, stderr.String())
		}
	}
}
