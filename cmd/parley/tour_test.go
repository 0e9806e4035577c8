package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const readme = "../../README.md"

// TestTheTourOfTheReadmeWorks pastes the tour into bash, beside a fresh server.
func TestTheTourOfTheReadmeWorks(t *testing.T) {
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("the tour needs %s: install it", program)
		}
	}
	address := startForTour(t, buildForTour(t))
	tour := strings.ReplaceAll(tourOf(t), "http://127.0.0.1:8080", address)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", tour)
	bash.Dir = t.TempDir()
	out, err := bash.CombinedOutput()
	shown := string(out)
	if err != nil {
		t.Fatalf("the tour ended with %v:\n%s", err, shown)
	}
	if strings.Contains(shown, `"success":false`) {
		t.Errorf("a step of the tour failed:\n%s", shown)
	}
	for _, expected := range []string{
		`"user_id":1`,
		`"nickname":"Ada"`,
		`"file_type":"text/markdown"`,
		`The last ferry back leaves Capri at 20:10.`,
		"event: start\n",
		"event: delta\n",
		"event: done\n",
		"Bicycles travel free on weekdays.",
		`"total":4`,
		`"snippet":"Do bicycles travel free?"`,
		`"favorite_id":"`,
		`"session_title":"When does the last ferry leave Capri?"`,
		"# When does the last ferry leave Capri?\n",
	} {
		if !strings.Contains(shown, expected) {
			t.Errorf("the tour does not show %q", expected)
		}
	}
	if starts := strings.Count(shown, "event: start\n"); starts != 1 {
		t.Errorf("%d streams began anew; the second one was to go on from its Last-Event-ID", starts)
	}
	if left, err := os.ReadDir(bash.Dir); err != nil || len(left) > 0 {
		t.Errorf("the tour left %v behind (%v)", left, err)
	}
	if t.Failed() {
		t.Log(shown)
	}
}

func TestTheReadmeListsEverySetting(t *testing.T) {
	text := readmeText(t)
	help, err := exec.CommandContext(t.Context(), buildForTour(t), "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	variables := regexp.MustCompile(`\$(PARLEY_[A-Z_]+)`).FindAllStringSubmatch(string(help), -1)
	if len(variables) < 30 {
		t.Fatalf("the help names only %d variables", len(variables))
	}
	for _, variable := range variables {
		name := strings.TrimSuffix(variable[1], "_FILE")
		if !strings.Contains(text, "| `"+name+"`") && !strings.Contains(text, ", `"+name+"` |") {
			t.Errorf("the table of settings has no %s", name)
		}
	}
}

func readmeText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tourOf is the code block under the heading of the tour.
func tourOf(t *testing.T) string {
	t.Helper()
	_, rest, found := strings.Cut(readmeText(t), "\n## A tour with curl\n")
	_, rest, begins := strings.Cut(rest, "\n```bash\n")
	tour, _, ends := strings.Cut(rest, "\n```\n")
	if !found || !begins || !ends {
		t.Fatal("the README has no tour")
	}
	return tour
}

// buildForTour builds the binary as `make run` does.
func buildForTour(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "parley")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// startForTour runs a server without settings on a free port and returns its address.
// The built-in model is asked for, since a local Ollama would answer in words of its own.
func startForTour(t *testing.T, binary string) string {
	t.Helper()
	server := exec.Command(binary, "--addr", "127.0.0.1:0", "--data", t.TempDir()) //nolint:noctx // it is stopped below
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PARLEY_") {
			server.Env = append(server.Env, variable)
		}
	}
	server.Env = append(server.Env, "PARLEY_AI_BASE_URL=builtin")
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	started, ended := make(chan string, 1), make(chan struct{})
	go func() { // ends with the server
		defer close(ended)
		said := ""
		for scanner := bufio.NewScanner(log); scanner.Scan(); {
			if said += scanner.Text() + "\n"; strings.Contains(scanner.Text(), "msg=ready") {
				started <- said
			}
		}
	}()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		<-ended
		if err := server.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	select {
	case said := <-started:
		_, address, _ := strings.Cut(strings.TrimSpace(said), "msg=ready address=")
		return address
	case <-ended:
		t.Fatal("the server did not become ready")
		return ""
	}
}
