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

// report holds the measurements of one binary.
type report struct {
	binary      string
	database    string
	loadAverage string  // of the machine before the run
	size        float64 // of the binary, in MB
	start       float64 // with an empty data directory, in ms
	idle        float64 // resident memory, in MB
	operations  []row
	documents   []documentFigure
	streams     streaming
}

// row holds the measurements of an operation.
type row struct {
	name string
	figures
	floors []row
}

func newReport(binary string, d *database) *report {
	r := &report{binary: binary, database: "SQLite"}
	if d.url != "" {
		r.database = "PostgreSQL"
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		r.loadAverage = strings.Join(strings.Fields(string(load))[:3], " ")
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
	_, err := fmt.Fprintf(w, "\n%s, %s MB, on %s; %d CPUs, shared with bench; load average before: %s\n",
		r.binary, number(r.size), r.database, runtime.NumCPU(), r.loadAverage)
	if err != nil {
		return err
	}
	for _, t := range []*table{r.sizeTable(), r.operationTable(), r.documentTable(), r.streamTable()} {
		if err := t.print(w); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) sizeTable() *table {
	t := newTable("empty data directory", "measured")
	if r.idle > 0 {
		t.add("start to ready", number(r.start)+" ms")
		t.add("resident memory, idle", number(r.idle)+" MB")
	}
	return t
}

func (r *report) operationTable() *table {
	t := newTable("operation", "requests/s", "p50 ms", "p99 ms", "CPU µs", "RSS MB", "of floor")
	for _, row := range r.operations {
		f := row.figures
		t.add(row.name, count(f.perSecond), number(f.p50), number(f.p99), number(f.cpu), count(f.memory), "")
		for _, floor := range row.floors {
			share := fmt.Sprintf("%.0f %%", 100*f.perSecond/floor.perSecond)
			t.add("  "+floor.name, count(floor.perSecond), number(floor.p50), number(floor.p99), "", "", share)
		}
	}
	return t
}

func (r *report) documentTable() *table {
	t := newTable("documents", "measured", "limit")
	for _, d := range r.documents {
		t.add(d.name, number(d.value)+" "+d.unit, number(d.limit)+" "+d.unit)
	}
	return t
}

func (r *report) streamTable() *table {
	t := newTable("streams", "events/s", "p50 ms", "p99 ms", "CPU µs", "RSS MB", "KB each", "open in s")
	if s := r.streams; s.number > 0 {
		t.add(count(float64(s.number)), count(s.perSecond), number(s.p50), number(s.p99), number(s.cpu),
			count(s.memory), number(s.kbEach()), number(s.open))
	}
	return t
}

// printRatios compares a binary with the base.
func printRatios(w io.Writer, base, this *report) error {
	if _, err := fmt.Fprintf(w, "\nbase: %s\nthis: %s\n", base.binary, this.binary); err != nil {
		return err
	}
	operations := newTable("operation", "base/s", "this/s", "ratio", "base CPU µs", "this CPU µs", "CPU, ratio")
	for i, row := range this.operations {
		b := base.operations[i]
		operations.add(row.name, count(b.perSecond), count(row.perSecond), ratio(row.perSecond, b.perSecond),
			number(b.cpu), number(row.cpu), ratio(row.cpu, b.cpu))
	}
	others := newTable("", "base", "this", "ratio")
	compare := func(name string, base, this float64) {
		if this > 0 {
			others.add(name, number(base), number(this), ratio(this, base))
		}
	}
	compare("start to ready, ms", base.start, this.start)
	compare("resident memory, idle, MB", base.idle, this.idle)
	for i, d := range this.documents {
		compare(d.name+", "+d.unit, base.documents[i].value, d.value)
	}
	compare("streams, resident memory, MB", base.streams.memory, this.streams.memory)
	compare("streams, KB each", base.streams.kbEach(), this.streams.kbEach())
	compare("streams, p99, ms", base.streams.p99, this.streams.p99)
	compare("streams, CPU µs of an event", base.streams.cpu, this.streams.cpu)
	if err := operations.print(w); err != nil {
		return err
	}
	return others.print(w)
}

// table has a header and aligned columns, the first to the left and the others to the right.
type table struct {
	rows [][]string
}

func newTable(header ...string) *table { return &table{rows: [][]string{header}} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes an empty line and the table, unless it has only the header.
func (t *table) print(w io.Writer) error {
	if len(t.rows) == 1 {
		return nil
	}
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
