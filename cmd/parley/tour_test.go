package main_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestTheTourWithCurlWorks runs the commands of the tour in docs/api.md in bash, with a new server.
func TestTheTourWithCurlWorks(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("the tour needs %s: install it", program)
		}
	}
	p := start(t, "PARLEY_DATA="+t.TempDir())
	tour := strings.ReplaceAll(tourOf(t), "http://127.0.0.1:8080", p.url)

	ctx, cancel := context.WithTimeout(t.Context(), patience)
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
		t.Errorf("%d streams began at the start; the second one should continue from its Last-Event-ID", starts)
	}
	if left, err := os.ReadDir(bash.Dir); err != nil || len(left) > 0 {
		t.Errorf("the tour left %v behind (%v)", left, err)
	}
	if t.Failed() {
		t.Log(shown)
	}
}

func TestTheDocumentsListEverySetting(t *testing.T) {
	t.Parallel()
	text := repository(t, "docs/settings.md")
	help := works(t, nil, "--help")
	variables := regexp.MustCompile(`\$(PARLEY_[A-Z_]+)`).FindAllStringSubmatch(help, -1)
	if len(variables) < 30 {
		t.Fatalf("the help names only %d variables", len(variables))
	}
	for _, variable := range variables {
		name := strings.TrimSuffix(variable[1], "_FILE")
		if name != "PARLEY_CONFIG" && !strings.Contains(text, "| `"+name+"`") {
			t.Errorf("the table of settings has no %s", name)
		}
	}
}

// tourOf returns the code block of the tour.
func tourOf(t *testing.T) string {
	t.Helper()
	_, rest, found := strings.Cut(repository(t, "docs/api.md"), "\n## A tour with curl\n")
	_, rest, begins := strings.Cut(rest, "\n```bash\n")
	tour, _, ends := strings.Cut(rest, "\n```\n")
	if !found || !begins || !ends {
		t.Fatal("docs/api.md has no tour")
	}
	return tour
}
