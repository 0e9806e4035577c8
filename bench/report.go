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
	title  string
	tables []table
}

// table is a table of measurements.
type table struct {
	columns string // separated by tabs
	rows    []row
}

// row holds the measurements of one thing, a value for each column or for the first columns.
type row struct {
	name   string
	values []float64
}

func newReport(binary, database string) *report {
	load, _ := os.ReadFile("/proc/loadavg")
	return &report{title: fmt.Sprintf("%s on %s; %d CPUs, shared with bench; load average before: %s",
		binary, database, runtime.NumCPU(), strings.TrimSpace(string(load)))}
}

// add adds a row to the last table, or to a new one if the columns are different.
func (r *report) add(columns, name string, values ...float64) {
	if n := len(r.tables); n == 0 || r.tables[n-1].columns != columns {
		r.tables = append(r.tables, table{columns: columns})
	}
	last := &r.tables[len(r.tables)-1]
	last.rows = append(last.rows, row{name, values})
}

// measured adds a single value, with its unit in the name.
func (r *report) measured(name string, value float64) { r.add("measured", name, value) }

// printAll writes the reports. From the second on, each value is followed by its ratio to the first.
func printAll(w io.Writer, reports []*report) error {
	for i, r := range reports {
		if _, err := fmt.Fprintf(w, "\n%s\n", r.title); err != nil {
			return err
		}
		for k, t := range r.tables {
			var base table
			if i > 0 {
				base = reports[0].tables[k]
			}
			if err := t.print(w, base); err != nil {
				return err
			}
		}
	}
	return nil
}

// print writes the table with aligned columns, the first to the left and the others to the right.
func (t table) print(w io.Writer, base table) error {
	width := 0
	for _, row := range t.rows {
		width = max(width, len([]rune(row.name)))
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(out, "\n%*s\t%s\t\n", width, "", t.columns)
	for i, row := range t.rows {
		cells := make([]string, 1+strings.Count(t.columns, "\t"))
		for k, v := range row.values {
			if cells[k] = number(v); base.rows != nil {
				cells[k] += fmt.Sprintf(" (%.2f ×)", v/base.rows[i].values[k])
			}
		}
		_, _ = fmt.Fprintf(out, "%-*s\t%s\t\n", width, row.name, strings.Join(cells, "\t"))
	}
	return out.Flush()
}

// number formats a figure with about three digits, and with a separator of thousands.
func number(v float64) string {
	switch {
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
