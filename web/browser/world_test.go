package browser

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/programtest"
	"parley/internal/testtier"
)

const (
	email    = "ada@example.com"
	password = "correct horse"
)

var (
	program string // the parley binary, with the client inside
	shared  browser
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	defer shared.close()
	flag.Parse()
	if testing.Short() || missing() != "" {
		return m.Run()
	}
	return programtest.Main(m, "parley/cmd/parley", &program)
}

// missing returns what is missing to run the tests, or "".
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
	for _, name := range []string{
		os.Getenv("PARLEY_TEST_CHROMIUM"), "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
	} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// need skips a test if the machine can't run it, or fails it if PARLEY_TEST_BROWSER is
// set, as by `make test` on machines that can.
func need(t *testing.T) {
	t.Helper()
	testtier.Slow(t)
	why := missing()
	if why == "" {
		return
	}
	if os.Getenv("PARLEY_TEST_BROWSER") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// world is a server with its model and its search engine, and a client of a user.
type world struct {
	url   string
	log   string // of the start
	model *aitest.Server
	api   *client.Client
	http  *http.Client
}

// stranger returns a client without a login.
func (w *world) stranger() *client.Client { return client.New(w.url, client.WithHTTPClient(w.http)) }

// newWorld starts the program with settings, as NAME=value, and without any other
// environment. A request may take a minute, because another test run may slow down this
// one.
func newWorld(t *testing.T, settings ...string) *world {
	t.Helper()
	need(t)
	model := aitest.New(t)
	command := exec.CommandContext(t.Context(), program)
	command.Dir = t.TempDir()
	command.Env = append([]string{
		"PARLEY_ADDR=127.0.0.1:0", "PARLEY_DATA=" + t.TempDir(), "PARLEY_REQUEST_TIMEOUT=1m",
		"PARLEY_AI_BASE_URL=" + model.URL, "PARLEY_AI_MODEL=scripted", "PARLEY_AI_THINKING=openai",
		"PARLEY_TITLES=text", "PARLEY_AI_IDLE_TIMEOUT=1h", // the model waits for the browser, which may be slow
		"PARLEY_SEARCH_PROVIDER=searxng", "PARLEY_SEARCH_URL=" + searchEngine(t),
	}, settings...)
	programtest.ShareEngine(t, command.Env)
	url, log := start(t, command)
	h := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(h.CloseIdleConnections)
	w := &world{url: url, log: log, model: model, http: h}
	w.api = w.stranger()
	return w
}

// start starts a server and returns its address and its log up to there. At the end of the test it kills the
// server and waits until it and its children have exited.
func start(t *testing.T, command *exec.Cmd) (address, seen string) {
	t.Helper()
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The server's children inherit this pipe. It ends when the last of them exits.
	family, inherited, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.ExtraFiles = []*os.File{inherited}
	err = command.Start()
	inherited.Close()
	if err != nil {
		t.Fatal(err)
	}
	address, seen = readAddress(log)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, log)
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have exited
		<-drained
		_ = command.Wait() // it was killed
		_, _ = io.Copy(io.Discard, family)
		family.Close()
	})
	if address == "" {
		t.Fatalf("the server did not start:\n%s", seen)
	}
	return address, seen
}

// readAddress reads a server's log up to its address. It returns "" if there is none.
func readAddress(log io.Reader) (address, seen string) {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		seen += lines.Text() + "\n"
		if _, rest, found := strings.Cut(lines.Text(), "msg=ready address="); found {
			return strings.Fields(rest)[0], seen
		}
	}
	return "", seen
}

// searchEngine starts a SearXNG server that returns the same pages for every question.
func searchEngine(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"results": []map[string]string{
			{
				"title": "Ferries to Capri", "url": "https://example.com/ferries",
				"content": "The hydrofoil from Naples takes fifty minutes.",
			},
			{
				"title": "Timetables of the gulf", "url": "https://example.org/gulf",
				"content": "Boats leave every hour.",
			},
			{
				"title": "<img src=x onerror=window.hit=1>", "url": "javascript:window.hit=1",
				"content": "Nothing to see.",
			},
		}})
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// register creates the user's account and returns its token.
func (w *world) register(t *testing.T) string {
	t.Helper()
	out, err := w.api.Register(t.Context(), parley.RegisterInput{Email: email, Password: password, Nickname: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	return out.Token
}

// favorite adds a message to the user's favorites.
func (w *world) favorite(t *testing.T, session, message string) {
	t.Helper()
	in := parley.AddFavoriteInput{MessageID: message, SessionID: session}
	if _, err := w.api.AddFavorite(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

// talk creates a session and sends the given questions.
func (w *world) talk(t *testing.T, title string, questions ...string) string {
	t.Helper()
	session, err := w.api.CreateSession(t.Context(), parley.CreateSessionInput{Title: title})
	if err != nil {
		t.Fatal(err)
	}
	for _, question := range questions {
		in := parley.SendInput{SessionID: session.SessionID, Content: question}
		if _, err := w.api.Send(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	return session.SessionID
}
