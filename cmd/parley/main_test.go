package main_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/programtest"
)

// binary is the path of the program, which is built once.
var binary string

func TestMain(m *testing.M) { os.Exit(programtest.Main(m, "parley/cmd/parley", &binary)) }

// patience is how long a test waits for a condition. It is long because the machine may be busy.
const patience = 5 * time.Minute

// command returns the program with only the given settings (NAME=value) and none of the machine's. The default model
// is the built-in one: a test must not use an Ollama of the machine. A request may take a minute because the machine
// may be busy.
func command(t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = t.TempDir()
	programtest.ShareEngine(t, settings)
	cmd.Env = append([]string{
		"PARLEY_ADDR=127.0.0.1:0", "PARLEY_DRAIN_DELAY=0s", "PARLEY_AI_BASE_URL=builtin",
		"PARLEY_REQUEST_TIMEOUT=1m",
		"PARLEY_TITLES=text", // scripted models must get no other requests
	}, settings...)
	return cmd
}

// process is a running program.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string // set once it is ready
	ready chan string
	over  chan struct{} // closed when it has ended
	alive *os.File      // a pipe, open while the program or one of its children runs

	mu  sync.Mutex
	log strings.Builder
}

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

// start runs the program and waits until it is ready. It is killed at the end of the test.
func start(t *testing.T, settings ...string) *process {
	t.Helper()
	return launch(t, command(t, settings))
}

func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := spawn(t, cmd)
	p.waitUntilReady()
	return p
}

// spawn is like launch but does not wait.
func spawn(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, ready: make(chan string, 1), over: make(chan struct{})}
	output, err := cmd.StderrPipe()
	must(t, err)
	alive, inherited, err := os.Pipe()
	must(t, err)
	p.alive = alive
	cmd.ExtraFiles = []*os.File{inherited} // children of the program inherit it too
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	must(t, errors.Join(cmd.Start(), inherited.Close()))
	go func() {
		defer close(p.over)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			p.note(lines.Text())
			if found := readyLine.FindStringSubmatch(lines.Text()); found != nil {
				p.ready <- found[1]
			}
		}
		_ = cmd.Wait() // the exit code is in ProcessState
	}()
	t.Cleanup(func() {
		p.kill()
		must(t, alive.Close())
		if t.Failed() {
			t.Logf("the log:\n%s", p.said())
		}
	})
	return p
}

func (p *process) waitUntilReady() {
	p.t.Helper()
	select {
	case p.url = <-p.ready:
	case <-p.over:
		p.t.Fatal("the program ended before it was ready")
	}
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

// kill ends the program and its children as a power failure would, and waits for them. Otherwise they could still
// write into the test's folders while the test removes them.
func (p *process) kill() {
	select {
	case <-p.over:
	default:
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		<-p.over
	}
	_, _ = io.Copy(io.Discard, p.alive) // until the last one has ended
}

// client returns a client. If like is given, the client uses its token.
func (p *process) client(like *client.Client) *client.Client {
	// No timeout: on a busy machine a document may wait for minutes.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	c := client.New(p.url, client.WithHTTPClient(&http.Client{Transport: transport}))
	if like != nil {
		c = c.WithToken(like.Token())
	}
	return c
}

// user registers a user and returns a client with its token.
func (p *process) user(name string) *client.Client {
	p.t.Helper()
	c := p.client(nil)
	_, err := c.Register(p.t.Context(), parley.RegisterInput{
		Email:    name + "@example.com",
		Password: "password of " + name,
	})
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

func TestAServerNeedsNothingSetUp(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+filepath.Join(t.TempDir(), "new", "data"))
	ada := p.user("ada")
	out, err := ada.Send(t.Context(), parley.SendInput{SessionID: session(t, ada), Content: "Hello"})
	if err != nil || out.AIResponse.Content == "" {
		t.Errorf("got %+v, %v", out, err)
	}
	for _, part := range []string{"model=", "database=", "files=", "search="} {
		if !strings.Contains(p.said(), part) {
			t.Errorf("the log does not contain %s", part)
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

// TestWhatCannotWorkIsOneClearLine starts the program with settings that can't work.
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
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Contains(line, "\n") ||
			!strings.HasPrefix(line, "parley: ") ||
			!strings.Contains(line, test.want) || strings.Contains(line, "hunter2") {
			t.Errorf("%s: %v, %q", test.name, err, stderr.String())
		}
	}
}
