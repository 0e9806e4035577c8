package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

const (
	email    = "ada@example.com"
	password = "correct horse"
)

var program string // the parley binary, with the client inside

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "parley-browser-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is a temporary folder
	if why := missing(); why == "" {
		program = filepath.Join(dir, "parley")
		build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "parley/cmd/parley")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build parley: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

// missing says what the tests lack, if anything.
func missing() string {
	if _, err := os.Stat("../dist/app.html"); err != nil {
		return "the web client is not built; run `make web`"
	}
	if chromium() == "" {
		return "no Chromium; run scripts/chromium"
	}
	return ""
}

func chromium() string {
	for _, name := range []string{os.Getenv("PARLEY_TEST_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// need skips a test where the machine can't run it. `make test` sets
// PARLEY_TEST_BROWSER where it can, so that nothing is skipped unseen.
func need(t *testing.T) {
	t.Helper()
	why := missing()
	if why == "" {
		return
	}
	if os.Getenv("PARLEY_TEST_BROWSER") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// world is a server with its model and its search engine, and a user's client of it.
type world struct {
	url   string
	model *aitest.Server
	api   *client.Client
}

// newWorld starts a server of the real program; settings are NAME=value.
func newWorld(t *testing.T, settings ...string) *world {
	t.Helper()
	need(t)
	model := aitest.New(t)
	command := exec.CommandContext(t.Context(), program, "--addr", "127.0.0.1:0", "--data", t.TempDir())
	command.Env = append(os.Environ(),
		"PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=scripted", "PARLEY_AI_THINKING=openai",
		"PARLEY_SEARCH_PROVIDER=searxng", "PARLEY_SEARCH_URL="+searchEngine(t))
	command.Env = append(command.Env, settings...)
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
	})
	url := readAddress(t, bufio.NewScanner(log))
	return &world{url: url, model: model, api: client.New(url)}
}

// readAddress waits for the server to say where it listens, and reads on so that it
// can write its log.
func readAddress(t *testing.T, log *bufio.Scanner) string {
	t.Helper()
	var seen strings.Builder
	for log.Scan() {
		seen.WriteString(log.Text() + "\n")
		if _, address, found := strings.Cut(log.Text(), "msg=ready address="); found {
			go func() {
				for log.Scan() { //nolint:revive // the log is not wanted
				}
			}()
			return strings.Fields(address)[0]
		}
	}
	t.Fatalf("the server did not start:\n%s", seen.String())
	return ""
}

// searchEngine is a SearXNG that finds the same pages for every question.
func searchEngine(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"results": []map[string]string{
			{"title": "Ferries to Capri", "url": "https://example.com/ferries", "content": "The hydrofoil from Naples takes fifty minutes."},
			{"title": "Timetables of the gulf", "url": "https://example.org/gulf", "content": "Boats leave every hour."},
			{"title": "<img src=x onerror=window.hit=1>", "url": "javascript:window.hit=1", "content": "Nothing to see."},
		}})
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// register makes the user's account and returns its token.
func (w *world) register(t *testing.T) string {
	t.Helper()
	out, err := w.api.Register(t.Context(), parley.RegisterInput{Email: email, Password: password, Nickname: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	return out.Token
}

// talk makes a session with the given questions answered.
func (w *world) talk(t *testing.T, title string, questions ...string) string {
	t.Helper()
	session, err := w.api.CreateSession(t.Context(), parley.CreateSessionInput{Title: title})
	if err != nil {
		t.Fatal(err)
	}
	for _, question := range questions {
		if _, err := w.api.Send(t.Context(), parley.SendInput{SessionID: session.SessionID, Content: question}); err != nil {
			t.Fatal(err)
		}
	}
	return session.SessionID
}
