package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
)

// report is what was measured of one binary.
type report struct {
	Name        string
	Version     string
	Database    string
	CPUs        int
	Connections int
	LoadAverage string // of the machine before the run
	Binary      float64
	Start       float64 // with an empty data directory
	Idle        float64
	Operations  []row
	Growth      []row
	Documents   []documentFigure
	Streams     streaming
}

// row is what was measured of an operation.
type row struct {
	Name string
	figures
	Floors []floor
}

// floor is a server that does next to nothing, under the same load.
type floor struct {
	Name string
	figures
}

func newReport(o options, binary string) *report {
	r := &report{Name: binary, Database: "SQLite", Connections: o.plan.connections, LoadAverage: "unknown"}
	if o.database != "" {
		r.Database = "PostgreSQL"
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		r.LoadAverage = strings.Join(strings.Fields(string(load))[:3], " ")
	}
	return r
}

// printAll writes the reports, and the ratios to the first.
func printAll(w io.Writer, reports []*report) error {
	for _, r := range reports {
		if err := r.print(w); err != nil {
			return err
		}
	}
	for _, r := range reports[1:] {
		if err := printRatios(w, reports[0], r); err != nil {
			return err
		}
	}
	return nil
}

// print writes the report as tables.
func (r *report) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\n%s on %s; %d CPUs, shared with bench; %d connections; load average before: %s\n",
		r.Name, r.Database, runtime.NumCPU(), r.Connections, r.LoadAverage)
	if err != nil {
		return err
	}
	for _, t := range []*table{r.sizes(), r.operations(), r.growth(), r.documents(), r.streams()} {
		if len(t.rows) < 2 {
			continue // nothing of it was measured
		}
		if err := t.print(w); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) sizes() *table {
	t := newTable("size", "")
	if r.Idle > 0 {
		t.add("binary", number(r.Binary)+" MB")
		t.add("start to ready, empty data directory", number(r.Start)+" ms")
		t.add("resident memory, idle", number(r.Idle)+" MB")
	}
	return t
}

func (r *report) operations() *table {
	t := newTable("operation", "requests/s", "p50 ms", "p99 ms", "CPU µs", "RSS MB", "of floor")
	for _, row := range r.Operations {
		f := row.figures
		t.add(row.Name, count(f.PerSecond), number(f.P50), number(f.P99), number(f.CPU), count(f.Memory), "")
		for _, floor := range row.Floors {
			share := fmt.Sprintf("%.0f %%", 100*f.PerSecond/floor.PerSecond)
			t.add("  "+floor.Name, count(floor.PerSecond), number(floor.P50), number(floor.P99), "", "", share)
		}
	}
	return t
}

func (r *report) growth() *table {
	t := newTable("growth", "requests/s", "CPU µs", "CPU, ratio")
	for _, row := range r.Growth {
		t.add(row.Name, count(row.PerSecond), number(row.CPU), ratio(row.CPU, r.Growth[0].CPU))
	}
	return t
}

func (r *report) documents() *table {
	t := newTable("documents", "measured", "limit")
	for _, d := range r.Documents {
		t.add(d.Name, number(d.Value)+" "+d.Unit, number(d.Limit)+" "+d.Unit)
	}
	return t
}

func (r *report) streams() *table {
	t := newTable("streams", "events/s", "p50 ms", "p99 ms", "CPU µs", "RSS MB", "KB each", "open in s")
	if s := r.Streams; s.Streams > 0 {
		t.add(count(float64(s.Streams)), count(s.PerSecond), number(s.P50), number(s.P99), number(s.CPU),
			count(s.Memory), number(s.kbEach()), number(s.Open))
	}
	return t
}

// printRatios compares a binary with the base.
func printRatios(w io.Writer, base, other *report) error {
	if _, err := fmt.Fprintf(w, "\nbase: %s\nthis: %s\n", base.Name, other.Name); err != nil {
		return err
	}
	t := newTable("operation", "base/s", "this/s", "ratio", "base CPU µs", "this CPU µs", "CPU, ratio")
	bases, others := append(base.Operations, base.Growth...), append(other.Operations, other.Growth...)
	for i, row := range others {
		b := bases[i]
		t.add(row.Name, count(b.PerSecond), count(row.PerSecond), ratio(row.PerSecond, b.PerSecond),
			number(b.CPU), number(row.CPU), ratio(row.CPU, b.CPU))
	}
	sizes := newTable("other figures", "base", "this", "ratio")
	compare := func(name string, base, this float64) {
		if this > 0 {
			sizes.add(name, number(base), number(this), ratio(this, base))
		}
	}
	compare("start to ready, ms", base.Start, other.Start)
	compare("resident memory, idle, MB", base.Idle, other.Idle)
	for i, d := range other.Documents {
		compare(d.Name+", "+d.Unit, base.Documents[i].Value, d.Value)
	}
	compare("streams, resident memory, MB", base.Streams.Memory, other.Streams.Memory)
	compare("streams, KB each", base.Streams.kbEach(), other.Streams.kbEach())
	compare("streams, p99, ms", base.Streams.P99, other.Streams.P99)
	compare("streams, CPU µs an event", base.Streams.CPU, other.Streams.CPU)
	if err := t.print(w); err != nil {
		return err
	}
	return sizes.print(w)
}

// table has aligned columns: the first to the left, the others to the right.
type table struct {
	rows [][]string
}

func newTable(header ...string) *table { return &table{rows: [][]string{header}} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes an empty line and the table.
func (t *table) print(w io.Writer) error {
	width := 0
	for _, row := range t.rows {
		width = max(width, len([]rune(row[0])))
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(out)
	for _, row := range t.rows {
		name := row[0] + strings.Repeat(" ", width-len([]rune(row[0])))
		_, _ = fmt.Fprintln(out, name+"\t"+strings.Join(row[1:], "\t")+"\t")
	}
	return out.Flush()
}

// count formats a whole number with a separator of thousands.
func count(v float64) string {
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// number formats a figure with about three digits.
func number(v float64) string {
	switch {
	case v >= 100:
		return count(v)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func ratio(v, base float64) string { return strconv.FormatFloat(v/base, 'f', 2, 64) + " ×" }
