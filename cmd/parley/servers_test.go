package main_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testtier"
)

// startWithServers starts a program. Its default model has the given servers. Its model "Coder" has only one, at an
// address where nothing listens.
func startWithServers(t *testing.T, urls ...string) *process {
	t.Helper()
	var file strings.Builder
	file.WriteString("titles: text\nmodels:\n  default:\n    model: m\n    context_tokens: 8000\n    servers:\n")
	for _, url := range urls {
		fmt.Fprintf(&file, "      - base_url: %s\n", url)
	}
	fmt.Fprintf(&file, "  Coder:\n    base_url: %s\n    model: c\n    context_tokens: 9000\n"+
		"    description: Writes code\n    images: true\n    thinking: none\n", goneServer())
	path := filepath.Join(t.TempDir(), "parley.yaml")
	must(t, os.WriteFile(path, []byte(file.String()), 0o600))
	return start(t, "PARLEY_CONFIG="+path)
}

// goneServer returns the address of a server that has stopped.
func goneServer() string {
	s := aitest.Start()
	s.Close()
	return s.URL
}

// sendMany sends questions in several sessions at once. None may fail.
func sendMany(t *testing.T, c *client.Client, sessions, each int) *sync.WaitGroup {
	t.Helper()
	var all sync.WaitGroup
	for range sessions {
		id := session(t, c)
		all.Go(func() {
			for n := range each {
				question := fmt.Sprintf("question %d", n)
				out, err := c.Send(t.Context(), parley.SendInput{SessionID: id, Content: question})
				if err != nil || out.AIResponse.Content != "You said: "+question {
					t.Errorf("got %q and %v", out.AIResponse.Content, err)
				}
			}
		})
	}
	return &all
}

func TestNoUserNoticesADeadModelServer(t *testing.T) {
	t.Parallel()
	dead, busy, well := goneServer(), aitest.New(t), aitest.New(t)
	busy.Respond(func(aitest.Request) []aitest.Step {
		return []aitest.Step{aitest.Status(http.StatusTooManyRequests, "", "Retry-After", "30")}
	})
	p := startWithServers(t, dead, busy.URL, well.URL)
	c := p.user("ann")
	sendMany(t, c, 10, 20).Wait()
	if n := len(well.Requests()); n != 200 {
		t.Errorf("the server that works got %d requests, want 200", n)
	}
	for url, want := range map[string]int{dead: 0, busy.URL: 0, well.URL: 1} {
		if got := p.figure(fmt.Sprintf("parley_model_server_available{server=%q}", "m at "+url)); got != want {
			t.Errorf("%s: got %d, want %d", url, got, want)
		}
	}
	if log := p.said(); !strings.Contains(log, "model server fails") || !strings.Contains(log, dead) {
		t.Error("the log does not tell of the servers that fail")
	}
}

func TestNoUserNoticesAModelServerThatDiesUnderLoad(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	dies, a, b := aitest.Start(), aitest.New(t), aitest.New(t)
	defer dies.Close()
	p := startWithServers(t, dies.URL, a.URL, b.URL)
	c := p.user("ann")
	sendMany(t, c, 4, 3).Wait()
	dies.Respond(func(aitest.Request) []aitest.Step { return []aitest.Step{aitest.Hang()} })
	before := len(dies.Requests())
	sends := sendMany(t, c, 10, 20)
	until(t, "replies wait for the server", func() bool { return len(dies.Requests()) >= before+5 })
	dies.Close()
	sends.Wait()
}

func TestAddedModelsAreOnOffer(t *testing.T) {
	t.Parallel()
	well := aitest.New(t)
	p := startWithServers(t, well.URL)
	c := p.user("ann")
	var models []parley.Model
	until(t, "the dead server is found out", func() bool {
		out, err := c.Models(t.Context())
		must(t, err)
		models = out.Models
		return !models[len(models)-1].Available
	})
	usual := parley.Model{Name: "default", Default: true, DeepThinking: true, ContextTokens: 8000, Available: true}
	basic, enhanced := usual, usual
	basic.Name, basic.Default = parley.ModelBasic, false
	enhanced.Name, enhanced.Default = parley.ModelEnhanced, false
	coder := parley.Model{Name: "Coder", Description: "Writes code", Images: true, ContextTokens: 9000}
	if want := []parley.Model{usual, basic, enhanced, coder}; !slices.Equal(models, want) {
		t.Errorf("got %+v", models)
	}
	_, err := c.Send(t.Context(), parley.SendInput{
		SessionID: session(t, c), Content: "Hello", ReplyOptions: parley.ReplyOptions{Model: "Coder"},
	})
	var failed *client.Error
	if !errors.As(err, &failed) || failed.Code != parley.CodeAIUnavailable {
		t.Errorf("a send to a dead server gives %v", err)
	}
}
