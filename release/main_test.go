package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/testtier"
)

// atRoot runs the test in the repository's root, where the command runs.
func atRoot(t *testing.T) { t.Chdir("..") }

func newRelease(t *testing.T) release {
	t.Helper()
	return release{
		version: "1.2.3", commit: "abc", time: time.Unix(1_700_000_000, 0).UTC(), folder: t.TempDir(), log: t.Output(),
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	for _, test := range []struct {
		args []string
		ok   bool
	}{
		{[]string{"--version", "0.1.0", "--time", "1700000000"}, true},
		{nil, false},
		{[]string{"--version", "../up"}, false},
		{[]string{"--version", "0.1.0", "--time", "noon"}, false},
	} {
		if _, err := parse(test.args); (err == nil) != test.ok {
			t.Errorf("%q: %v", test.args, err)
		}
	}
}

func TestASystemThatIsNotBuiltForIsRefused(t *testing.T) {
	r := newRelease(t)
	r.only = "plan9/amd64"
	if err := r.build(t.Context()); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("got %v", err)
	}
}

// packTwice packs the same program twice, at different times, and returns the first archive.
func packTwice(t *testing.T, to target) []byte {
	t.Helper()
	var archives [2][]byte
	for i := range archives {
		r := newRelease(t)
		program := filepath.Join(t.TempDir(), to.program())
		if err := os.WriteFile(program, []byte("a program"), 0o600); err != nil {
			t.Fatal(err)
		}
		touched := time.Unix(int64(1_600_000_000+i), 0)
		if err := os.Chtimes(program, touched, touched); err != nil {
			t.Fatal(err)
		}
		path, err := r.pack(to, program)
		if err != nil {
			t.Fatal(err)
		}
		if archives[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same files gave different archives")
	}
	return archives[0]
}

func TestATarHoldsTheProgramAndDocuments(t *testing.T) {
	atRoot(t)
	packed, err := gzip.NewReader(bytes.NewReader(packTwice(t, target{"linux", "arm64"})))
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(packed)
	var names []string
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		executable := head.Mode&0o100 != 0
		if program := filepath.Base(head.Name) == "parley"; program != executable || head.Uid != 0 {
			t.Errorf("%s has the mode %o and the owner %d", head.Name, head.Mode, head.Uid)
		}
		names = append(names, head.Name)
	}
	wantNames(t, names, "parley_1.2.3_linux_arm64/", "parley")
}

func TestAZipHoldsTheProgramAndDocuments(t *testing.T) {
	atRoot(t)
	packed := packTwice(t, target{"windows", "amd64"})
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range archive.File {
		names = append(names, file.Name)
	}
	wantNames(t, names, "parley_1.2.3_windows_amd64/", "parley.exe")
}

func wantNames(t *testing.T, names []string, folder, program string) {
	t.Helper()
	want := []string{folder + program}
	for _, document := range documents() {
		want = append(want, folder+document)
	}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// TestAReleaseOfThisSystem builds one archive as it is released, and looks at the list of its components.
func TestAReleaseOfThisSystem(t *testing.T) {
	testtier.Slow(t)
	atRoot(t)
	r := newRelease(t)
	r.only = runtime.GOOS + "/" + runtime.GOARCH
	if err := r.build(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(r.folder, "checksums.txt"))
	if err != nil || strings.Count(string(sums), "\n") != 2 {
		t.Errorf("checksums: %s, %v", sums, err)
	}
	text, err := os.ReadFile(filepath.Join(r.folder, "parley_1.2.3_components.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list document
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range list.Components {
		names = append(names, c.Name)
		if c.Version == "" || c.PURL == "" {
			t.Errorf("incomplete: %+v", c)
		}
	}
	for _, want := range []string{"stdlib", "modernc.org/sqlite", "katex", "marked", "svelte"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, other := range []string{"vitest", "go.uber.org/goleak"} {
		if slices.Contains(names, other) {
			t.Errorf("%s is only for development", other)
		}
	}
}
