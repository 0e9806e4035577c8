package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/client"
	"parley/internal/programtest"
	"parley/internal/testdb"
	"parley/internal/testtier"
)

// binary is the server, built once. The quick tests do without.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		os.Exit(m.Run())
	}
	os.Exit(programtest.MainLeak(m, "parley/cmd/parley", &binary))
}

// newOptions returns options to measure a little of everything, in the test's own temporary directory.
func newOptions(t *testing.T) (o options, dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("TMPDIR", dir)
	const moment = 50 * time.Millisecond
	return options{
		binaries: []string{binary}, limit: 5 * time.Minute, connections: 4, turns: 1, warm: moment / 5, turn: moment,
		quiet: moment, sessions: 40, growth: []int{60, 120}, searchable: 200, files: 12, streams: 8, pause: moment / 5,
		window: 4 * moment, rounds: 1, text: 200_000, large: 300_000, uploads: 2,
		pages: "../internal/extract/testdata/libreoffice.docx", export: 300_000,
	}, dir
}

func TestEverythingIsMeasured(t *testing.T) {
	testtier.Slow(t)
	o, dir := newOptions(t)
	testdb.Each(t, func(t *testing.T, url string) {
		o.database = url
		reports, err := measure(t.Context(), o, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, table := range reports[0].tables {
			got[table.columns] += len(table.rows)
			for _, row := range table.rows {
				if row.values[0] <= 0 && !strings.Contains(row.name, "memory") { // small uploads may need none
					t.Errorf("%s: %v", row.name, row.values)
				}
			}
		}
		want := map[string]int{"measured": 19, operationColumns: 16, completionColumns: 4, streamColumns: 1}
		if !maps.Equal(got, want) {
			t.Errorf("not everything was measured: %v", got)
		}
		wantNothingLeft(t, dir)
	})
}

func TestBinariesAreCompared(t *testing.T) {
	testtier.Slow(t)
	o, dir := newOptions(t)
	o.binaries = append(o.binaries, binary)
	o.only, o.turns = regexp.MustCompile("user info"), 2
	reports, err := measure(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := printAll(&out, reports); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "user info"); n != 2 || strings.Count(out.String(), " ×)") != 6 {
		t.Errorf("printed\n%s", &out)
	}
	wantNothingLeft(t, dir)
}

func TestWhatAnOlderBinaryLacksIsLeftOut(t *testing.T) {
	unknown := fmt.Errorf("GET /api/new: %w", &statusError{http.StatusNotFound, ""})
	broken := fmt.Errorf("GET /api/new: %w", &statusError{http.StatusInternalServerError, ""})
	missing := fmt.Errorf("show a version: %w", &client.Error{Status: http.StatusNotFound})
	for err, want := range map[error]bool{nil: false, io.EOF: false, broken: false, unknown: true, missing: true} {
		if got := lacksOperation(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

func TestAnInterruptEndsEverything(t *testing.T) {
	testtier.Slow(t)
	o, dir := newOptions(t)
	ctx, interrupt := context.WithCancel(t.Context())
	progress := writerFunc(func(line string) {
		if strings.Contains(line, "create session") {
			interrupt()
		}
	})
	if _, err := measure(ctx, o, progress); err == nil {
		t.Error("the run did not end")
	}
	wantNothingLeft(t, dir)
}

type writerFunc func(text string)

func (f writerFunc) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}

// wantNothingLeft looks for files and processes.
func wantNothingLeft(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range environments {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "PARLEY_DATA="+dir) {
			t.Errorf("%s: a server is still running", file)
		}
	}
}

func TestStepsAreChosen(t *testing.T) {
	for pattern, want := range map[string]int{"send|streams": 2, "user info": 1, "growth": 5, "nothing": 0, "": 22} {
		o, err := parse([]string{"--only", pattern}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if got := steps(o); len(got) != want {
			t.Errorf("%q: %d steps", pattern, len(got))
		}
	}
}

func TestDriveCountsResponsesAndEndsWithTheFirstError(t *testing.T) {
	var failing atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if failing.Load() {
			http.Error(w, "broken", http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	web := newHTTPClient(3)
	defer web.CloseIdleConnections()
	next := func(int) call { return call{method: http.MethodGet, path: "/"} }
	took, err := drive(t.Context(), web, server.URL, 3, time.Millisecond, next)
	if err != nil || len(took) < 3 {
		t.Errorf("%d responses, %v", len(took), err)
	}
	failing.Store(true)
	_, err = drive(t.Context(), web, server.URL, 3, time.Hour, next)
	if err == nil || !strings.Contains(err.Error(), "status 500: broken") {
		t.Errorf("got %v", err)
	}
}

func TestFiguresOfProcesses(t *testing.T) {
	for _, name := range []string{"parley", "a b", "x) 9 (y"} {
		stat := "42 (" + name + ") S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 8 0 1000 99 7 0"
		got, err := parseStat([]byte(stat))
		want := usage{cpu: 2 * time.Second, memory: float64(7*os.Getpagesize()) / 1e6}
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
}

func TestMediansAndPercentiles(t *testing.T) {
	if got := medians([][]float64{{9, 1}, {1, 5}, {5, 9}}); !slices.Equal(got, []float64{5, 5}) {
		t.Errorf("medians %v", got)
	}
	if got := percentile([]int{1, 2, 3, 4}, 0.99); got != 4 {
		t.Errorf("p99 is %d", got)
	}
	for value, want := range map[float64]string{0.123: "0.12", 12.34: "12.3", 123.4: "123", 1234567: "1,234,567"} {
		if got := number(value); got != want {
			t.Errorf("%v is %q, not %q", value, got, want)
		}
	}
}

func TestDelaysAreFoundInAnyLine(t *testing.T) {
	for line, want := range map[string][]time.Duration{
		`data: {"message_id":"1"}`:           nil,
		`data: {"text":"sent=5 sent=1767 "}`: {1995, 233},
		`data: {"text":"sent=? sent=7 "}`:    {1993},
		`data: {"text":"sent="}`:             nil,
	} {
		if got := parseDelays([]byte(line), time.Unix(0, 2000)); !slices.Equal(got, want) {
			t.Errorf("%s: %d", line, got)
		}
	}
}
