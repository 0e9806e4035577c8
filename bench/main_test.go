package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain lets the test binary play the roles that bench starts itself for.
func TestMain(m *testing.M) {
	if isRole(os.Args[1:]) {
		exit(serveRole(os.Args[1], os.Stdin, os.Stdout))
		return
	}
	goleak.VerifyTestMain(m)
}

// tiny measures everything, next to nothing of it.
func tiny() plan {
	const moment = 50 * time.Millisecond
	return plan{
		limit: 2 * time.Minute, connections: 4, warm: moment / 5, load: moment, floor: moment,
		starts: 1, sessions: 40, growth: []int{60, 120}, growthLoad: moment,
		searchable: 200, indexing: time.Minute, streams: 8, pause: moment / 5, window: 4 * moment,
		documents: reading{rounds: 1, text: 200_000, large: 300_000, atOnce: 2, paged: "internal/extract/testdata/libreoffice.docx"},
	}
}

func TestEverythingIsMeasured(t *testing.T) {
	dir := t.TempDir()
	reports, err := measure(t.Context(), tiny(), options{dir: dir, profiles: filepath.Join(dir, "profiles")}, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	r := reports[0]
	if profile, err := os.Stat(filepath.Join(dir, "profiles", "user-info.pprof")); err != nil || profile.Size() == 0 {
		t.Errorf("no profile: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "profiles")); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(operations(tiny())) {
		t.Errorf("%d operations were measured", len(r.Rows))
	}
	for _, row := range r.Rows {
		if row.PerSecond <= 0 || row.P99 < row.P50 || row.P50 <= 0 || row.Memory <= 0 || row.Allocations <= 0 {
			t.Errorf("%s: %+v", row.Operation, row.figures)
		}
		if writes := row.Operation == "create session" || strings.HasPrefix(row.Operation, "send"); writes &&
			(len(row.Floors) < 2 || row.Floors[1].Name != "its transactions alone" || row.Floors[1].PerSecond <= 0 || row.Floors[1].CPU <= 0) {
			t.Errorf("%s: its transactions are not measured: %+v", row.Operation, row.Floors)
		}
		if len(row.Floors) == 0 || row.Floors[0].PerSecond <= 0 || row.Floors[0].Ratio <= 0 {
			t.Errorf("%s has no floor: %+v", row.Operation, row.Floors)
		}
	}
	if len(r.Growth) != 4 || r.Growth[3].Messages != 120 || r.Growth[3].Page != "last" || r.Growth[3].PerSecond <= 0 {
		t.Errorf("growth: %+v", r.Growth)
	}
	if r.Streams.Streams != 8 || r.Streams.P99 <= 0 || r.Streams.DirectP99 <= 0 || r.Streams.Memory <= 0 {
		t.Errorf("streams: %+v", r.Streams)
	}
	if len(r.Documents) != 6 {
		t.Errorf("documents: %+v", r.Documents)
	}
	for _, d := range r.Documents {
		// Memory and the choice of passages can be too little to be seen.
		if d.Limit <= 0 || strings.HasPrefix(d.Name, "upload") && d.Value <= 0 {
			t.Errorf("documents: %+v", d)
		}
	}
	if r.StartEmpty <= 0 || r.StartStored <= 0 || r.Idle <= 0 || r.Binary <= 0 || r.Database != "SQLite" {
		t.Errorf("sizes: %+v", r)
	}
	nothingIsLeft(t, dir)
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Error(err)
	}
	if err := printRatios(&out, r, r); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"user info", "bare net/http", "model server called directly", "replies streaming at once", "upload of libreoffice.docx and an answer", "1.00 ×"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, &out)
		}
	}
	file := filepath.Join(dir, "figures.json")
	if err := writeJSON(file, reports); err != nil {
		t.Fatal(err)
	}
	var read []report
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, &read) != nil || read[0].Rows[0].PerSecond != r.Rows[0].PerSecond {
		t.Errorf("read again: %v, %+v", err, read)
	}
}

func TestAnInterruptEndsEverything(t *testing.T) {
	dir := t.TempDir()
	ctx, interrupt := context.WithCancel(t.Context())
	p := tiny()
	p.load = time.Minute
	_, err := measure(ctx, p, options{dir: dir}, func(format string, args ...any) {
		if strings.Contains(fmt.Sprintf(format, args...), "create session") || strings.Contains(fmt.Sprintf(format, args...), "user info") {
			time.AfterFunc(100*time.Millisecond, interrupt)
		}
	})
	if err == nil {
		t.Fatal("it went on")
	}
	nothingIsLeft(t, dir)
}

// nothingIsLeft looks for files, and for processes that were started from them.
func nothingIsLeft(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
	programs, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		if path, err := os.Readlink(program); err == nil && strings.HasPrefix(path, dir) {
			t.Errorf("%s still runs %s", program, path)
		}
	}
}

func TestOnlyFlagsAreTaken(t *testing.T) {
	var messages strings.Builder
	if _, err := parse([]string{"fast"}, &messages); err == nil {
		t.Error("an argument was taken")
	}
	o, err := parse([]string{"--full", "--json", "x.json", "--compare", "HEAD~1"}, &messages)
	if err != nil || !o.full || o.json != "x.json" || o.compare != "HEAD~1" {
		t.Errorf("%+v, %v", o, err)
	}
	if got := revisions(o); len(got) != 2 || got[1] != workingTree {
		t.Errorf("revisions %q", got)
	}
}

func TestOnlyWhatIsAskedForIsMeasured(t *testing.T) {
	all := steps(quick(), options{})
	for pattern, want := range map[string]int{"send|streams": 3, "user info": 2, "nothing of it": 1, "": len(all)} {
		o, err := parse([]string{"--only", pattern}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if got := steps(quick(), o); len(got) != want {
			t.Errorf("%q: %d steps", pattern, len(got))
		}
	}
}

func TestEachStreamHasASessionWithoutMessages(t *testing.T) {
	for _, p := range []plan{tiny(), quick(), full(), tiny().withStreams(9), full().withStreams(9_016), full().withStreams(9_017), full().withStreams(50_000)} {
		if empty := p.sessions - searchableSessions(p); empty < p.streams || p.sessions%p.connections != 0 {
			t.Errorf("%d streams, %d of %d sessions without messages", p.streams, empty, p.sessions)
		}
	}
}

func TestOverloadIsMeasured(t *testing.T) {
	p := tiny()
	p.overload, p.rounds = 100*time.Millisecond, 1
	reports, err := measure(t.Context(), p, options{dir: t.TempDir()}, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	rows := reports[0].Overload
	if len(rows) != len(operations(p))-1 { // all but user info
		t.Errorf("%d operations were measured", len(rows))
	}
	for _, row := range rows {
		if row.Best <= 0 || row.Accepted <= 0 || row.CPU <= 0 || row.P99 < row.P50 || row.Memory <= 0 {
			t.Errorf("got %+v", row)
		}
	}
	var out strings.Builder
	if err := reports[0].print(&out); err != nil || !strings.Contains(out.String(), "accepted/s") {
		t.Errorf("printed %v: %s", err, out.String())
	}
}
