package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testtier"
)

// TestTheSamplesOfTheGuidesWork runs the samples of /docs against new servers with the built-in model. The samples in
// one language make up one program.
func TestTheSamplesOfTheGuidesWork(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	for language, run := range map[string]func(t *testing.T, code string) *exec.Cmd{
		"bash":       runBash,
		"javascript": runJavaScript,
		"typescript": runTypeScript,
		"python":     runPython,
		"go":         runGo,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			p := start(t, "PARLEY_DATA="+t.TempDir())
			ada := client.New(p.url)
			account := parley.RegisterInput{Email: "ada@example.com", Password: "correct horse"}
			if language != "bash" { // the quickstart in bash registers
				_, err := ada.Register(t.Context(), account)
				must(t, err)
			}
			program := run(t, strings.ReplaceAll(guideSamples(t, language), "http://127.0.0.1:8080", p.url))
			out, err := program.CombinedOutput()
			if err != nil {
				t.Fatalf("the samples ended with %v:\n%s", err, out)
			}
			_, err = ada.Login(t.Context(), parley.LoginInput{Email: account.Email, Password: account.Password})
			must(t, err)
			if language == "bash" {
				checkBash(t, string(out))
				return
			}
			checkPrinted(t, ada, string(out))
		})
	}
}

// checkPrinted compares what a program printed with what the server has stored.
func checkPrinted(t *testing.T, ada *client.Client, printed string) {
	t.Helper()
	sessions, err := ada.Sessions(t.Context(), "", parley.Page{})
	must(t, err)
	if len(sessions.Sessions) != 1 || sessions.Sessions[0].Title != "Holiday plans" {
		t.Fatalf("the sessions are %+v", sessions.Sessions)
	}
	history, err := ada.Messages(t.Context(), sessions.Sessions[0].ID, parley.Page{})
	must(t, err)
	if history.Total != 6 {
		t.Fatalf("%d messages, want 6: the second order is not a message", history.Total)
	}
	sent, streamed := history.Messages[1].Content, history.Messages[3].Content
	rest := strings.ToLower(printed)
	for _, expected := range []string{
		"logged in as ada\n", "the key sees 0 sessions\n", sent, streamed, "true\n", "6 messages\n",
		"there is no such session.\n",
	} {
		_, after, found := strings.Cut(rest, strings.ToLower(expected))
		if !found {
			t.Fatalf("the samples don't print %q in this place:\n%s", expected, printed)
		}
		rest = after
	}
}

func checkBash(t *testing.T, printed string) {
	t.Helper()
	for expected, times := range map[string]int{
		`"user_id":1`: 2, `"nickname":"ada"`: 1, "event: start\n": 1, "event: done\n": 2, `"total":6`: 2,
		`"error":2001`: 1, `"sessions":[{`: 1, `"success":false`: 1,
	} {
		if got := strings.Count(printed, expected); got != times {
			t.Errorf("%q is printed %d times, want %d:\n%s", expected, got, times, printed)
		}
	}
	ids := regexp.MustCompile(`"user_message_id":"([^"]+)"`).FindAllStringSubmatch(printed, -1)
	if n := len(ids); n < 2 || ids[n-1][1] != ids[n-2][1] {
		t.Errorf("the two orders are the messages %v", ids)
	}
}

// guideSamples returns all samples of a language, in order.
func guideSamples(t *testing.T, language string) string {
	t.Helper()
	blocks := regexp.MustCompile("(?s)\n```"+language+"\n(.*?)\n```\n").
		FindAllStringSubmatch(repository(t, "web/src/docs/guides/samples.md"), -1)
	if len(blocks) < 7 {
		t.Fatalf("only %d samples in %s", len(blocks), language)
	}
	var all []string
	for _, block := range blocks {
		all = append(all, block[1])
	}
	return strings.Join(all, "\n")
}

// tool returns the path of a program. If it is not installed, tool skips the test. Under `make test`, which needs
// every program, it fails the test instead.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		skipUnlessRequired(t, err)
	}
	return path
}

// skipUnlessRequired skips the test because something is missing. It fails if PARLEY_TEST_NODE is set: `make test`
// sets it on machines with Node.
func skipUnlessRequired(t *testing.T, reason error) {
	t.Helper()
	if os.Getenv("PARLEY_TEST_NODE") != "" {
		t.Fatal(reason)
	}
	t.Skipf("%v; run `make test`", reason)
}

// inFolder writes code to a file in a new folder and returns the command that runs it there.
func inFolder(t *testing.T, code, name string, arguments ...string) *exec.Cmd {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(file, []byte(code), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, arguments[0], append(arguments[1:], file)...)
	command.Dir = filepath.Dir(file)
	return command
}

func runBash(t *testing.T, code string) *exec.Cmd {
	t.Helper()
	tool(t, "curl")
	return inFolder(t, code, "samples.sh", tool(t, "bash"), "-euo", "pipefail")
}

func runJavaScript(t *testing.T, code string) *exec.Cmd {
	t.Helper()
	return inFolder(t, code, "samples.mjs", tool(t, "node"))
}

// runTypeScript runs samples that are also valid JavaScript. The TypeScript client is installed as a package.
func runTypeScript(t *testing.T, code string) *exec.Cmd {
	t.Helper()
	folder, err := filepath.Abs("../../client-ts")
	must(t, err)
	if _, err := os.Stat(filepath.Join(folder, "dist", "index.js")); err != nil {
		skipUnlessRequired(t, err)
	}
	command := inFolder(t, code, "samples.mjs", tool(t, "node"))
	packages := filepath.Join(command.Dir, "node_modules", "@parley")
	must(t, os.MkdirAll(packages, 0o700))
	must(t, os.Symlink(folder, filepath.Join(packages, "client")))
	return command
}

func runPython(t *testing.T, code string) *exec.Cmd {
	t.Helper()
	return inFolder(t, code, "samples.py", tool(t, "python3"))
}

func runGo(t *testing.T, code string) *exec.Cmd {
	t.Helper()
	const program = `package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"

	"parley"
	"parley/client"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
%s
	return nil
}
`
	command := inFolder(t, fmt.Sprintf(program, code), "main.go", tool(t, "go"), "run")
	command.Dir = "" // the client is in this module
	return command
}
