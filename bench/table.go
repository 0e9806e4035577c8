package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// table writes rows whose columns line up: the first to the left, the rest to the right.
type table struct {
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) error {
	first := 0
	for _, row := range t.rows {
		first = max(first, len([]rune(row[0])))
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range t.rows {
		name := row[0] + strings.Repeat(" ", first-len([]rune(row[0])))
		if _, err := fmt.Fprintln(out, name+"\t"+strings.Join(row[1:], "\t")+"\t"); err != nil {
			return err
		}
	}
	return out.Flush()
}

// print writes the report for people.
func (r *report) print(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\nParley, %s, on %s; %d CPUs (load generator included), %d connections, %s\nload average before: %s\n\n",
		r.Revision, r.Database, r.CPUs, r.Connections, r.Go, r.Busy); err != nil {
		return err
	}
	for _, t := range r.tables() {
		if err := t.print(w); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// tables are what was measured; some of it may have been left out.
func (r *report) tables() []*table {
	var all []*table
	if len(r.Rows) > 0 {
		all = append(all, r.operations())
	}
	if r.Idle > 0 {
		all = append(all, r.sizes())
	}
	if len(r.Growth) > 0 {
		all = append(all, r.grown())
	}
	if len(r.Documents) > 0 {
		all = append(all, r.documents())
	}
	if r.Streams.Streams > 0 {
		all = append(all, r.streaming())
	}
	if len(r.Overload) > 0 {
		all = append(all, r.overloads())
	}
	return all
}

func (r *report) operations() *table {
	var t table
	t.add("operation", "requests/s", "target", "p50 ms", "p99 ms", "CPU µs", "allocations", "load", "RSS MB", "of floor")
	for _, row := range r.Rows {
		goal := ""
		if row.Target > 0 {
			goal = count(row.Target)
		}
		f := row.figures
		t.add(row.Operation, count(f.PerSecond), goal, number(f.P50), number(f.P99), number(f.CPU), count(f.Allocations), percent(f.Generator), count(f.Memory), "")
		for _, floor := range row.Floors {
			f := floor.figures
			t.add("  "+floor.Name, count(f.PerSecond), "", number(f.P50), number(f.P99), number(f.CPU), "", percent(f.Generator), count(f.Memory), percent(floor.Ratio))
		}
	}
	return &t
}

func (r *report) sizes() *table {
	var t table
	t.add("start to ready, empty folder", number(r.StartEmpty)+" ms")
	stored := "start to ready, all of this stored"
	if r.Stored > 0 {
		stored = fmt.Sprintf("start to ready, %s MB stored", count(r.Stored))
	}
	t.add(stored, number(r.StartStored)+" ms")
	t.add("resident memory, idle", number(r.Idle)+" MB")
	t.add("binary, stripped", number(r.Binary)+" MB")
	return &t
}

func (r *report) grown() *table {
	var t table
	t.add("page of 50, session of", "page", "requests/s", "CPU µs", "CPU, ratio")
	for _, g := range r.Growth {
		t.add(count(float64(g.Messages))+" messages", g.Page, count(g.PerSecond), number(g.CPU), ratio(g.Ratio))
	}
	return &t
}

func (r *report) streaming() *table {
	var t table
	s := r.Streams
	t.add("replies streaming at once", "events/s", "p50 ms", "p99 ms", "CPU µs", "load", "RSS MB", "KB each", "open in s")
	t.add(count(float64(s.Streams)), count(s.EventsPerSecond), number(s.P50), number(s.P99), number(s.CPU), percent(s.Generator),
		count(s.Memory), number((s.Memory-s.MemoryBefore)*1000/float64(max(1, s.Streams))), number(s.Open))
	t.add("  from the model server directly", "", number(s.DirectP50), number(s.DirectP99), "", "", "", "", "")
	return &t
}

// printRatios puts two revisions side by side.
func printRatios(w io.Writer, base, head *report) error {
	var t table
	t.add("", base.Revision, head.Revision, "ratio", "CPU, ratio", "allocations, ratio")
	for i, row := range head.Rows {
		if i < len(base.Rows) {
			b := base.Rows[i]
			t.add(row.Operation+", requests/s", count(b.PerSecond), count(row.PerSecond), ratio(row.PerSecond/b.PerSecond), ratio(row.CPU/b.CPU), ratio(row.Allocations/b.Allocations))
		}
	}
	for _, pair := range []struct {
		name       string
		base, head float64
	}{
		{"start to ready, empty folder, ms", base.StartEmpty, head.StartEmpty},
		{"start to ready, all stored, ms", base.StartStored, head.StartStored},
		{"resident memory, idle, MB", base.Idle, head.Idle},
		{"binary, MB", base.Binary, head.Binary},
		{"streams, resident memory, MB", base.Streams.Memory, head.Streams.Memory},
		{"streams, p99, ms", base.Streams.P99, head.Streams.P99},
		{"streams, CPU µs an event", base.Streams.CPU, head.Streams.CPU},
	} {
		if pair.head == 0 {
			continue // it was left out
		}
		t.add(pair.name, number(pair.base), number(pair.head), ratio(pair.head/pair.base), "", "")
	}
	addRatios(&t, base.Documents, head.Documents)
	return t.print(w)
}

// count is a whole number with its thousands apart.
func count(v float64) string {
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// number is a figure with about three digits.
func number(v float64) string {
	switch {
	case v >= 100:
		return count(v)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + " %" }

func ratio(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) + " ×" }
