package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/testtier"
)

// TestTheGoClientIsUsedAsItsReadmeSays runs the commands and the program of client/README.md in an empty folder,
// without any other module.
func TestTheGoClientIsUsedAsItsReadmeSays(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir())
	sources, err := filepath.Abs("../..")
	must(t, err)
	folder := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOPROXY=off", "GOMODCACHE="+filepath.Join(folder, "modules"), "GOFLAGS=-trimpath")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	readme := repository(t, "client/README.md")
	run("bash", "-euc", strings.ReplaceAll(blockOf(t, readme, "bash"), "=../parley", "="+sources))
	program := strings.ReplaceAll(blockOf(t, readme, "go"), "http://127.0.0.1:8080", p.url)
	must(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o600))
	if out := run("go", "run", "."); !strings.Contains(out, "built-in assistant") {
		t.Errorf("the program prints %q", out)
	}
}

// blockOf returns the first code block in a language.
func blockOf(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, begins := strings.Cut(text, "\n```"+language+"\n")
	block, _, ends := strings.Cut(rest, "\n```\n")
	if !begins || !ends {
		t.Fatalf("there is no block of %s", language)
	}
	return block + "\n"
}
