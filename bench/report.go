package main

import (
	"encoding/json"
	"os"
	"runtime"
	"slices"
)

// report is what was measured of one revision.
type report struct {
	Revision    string           `json:"revision"`
	Database    string           `json:"database"`
	CPUs        int              `json:"cpus"`
	Go          string           `json:"go"`
	Connections int              `json:"connections"`
	Busy        string           `json:"load_average"` // of the machine, before the run
	Binary      float64          `json:"binary_mb"`
	StartEmpty  float64          `json:"start_empty_ms"`
	StartStored float64          `json:"start_stored_ms"`
	Stored      float64          `json:"stored_mb,omitempty"`
	Idle        float64          `json:"idle_memory_mb"`
	Rows        []row            `json:"operations"`
	Growth      []grown          `json:"growth"`
	Documents   []documentFigure `json:"documents"`
	Streams     streaming        `json:"streams"`

	Overload []overloaded `json:"overload,omitempty"`
}

// row is an operation and what it is measured beside.
type row struct {
	Operation string  `json:"operation"`
	Target    float64 `json:"target_per_second,omitempty"`
	figures
	Floors []floor `json:"floors"`
}

// floor is a server that does nothing under the same load.
type floor struct {
	Name string `json:"name"`
	figures
	// Ratio is how much of the floor's speed the operation has.
	Ratio float64 `json:"ratio"`
}

// grown is a page of a session of some size.
type grown struct {
	Messages  int     `json:"messages"`
	Page      string  `json:"page"`
	PerSecond float64 `json:"per_second"`
	CPU       float64 `json:"cpu_us"`
	// Ratio is of the CPU time, to the first page of the smallest session.
	Ratio float64 `json:"ratio"`
}

// streaming is many replies that stream at once.
type streaming struct {
	Streams         int     `json:"streams"`
	Open            float64 `json:"open_s"` // until all were open
	EventsPerSecond float64 `json:"events_per_second"`
	Memory          float64 `json:"memory_mb"`
	MemoryBefore    float64 `json:"memory_before_mb"`
	P50             float64 `json:"p50_ms"` // from the model to the reader
	P99             float64 `json:"p99_ms"`
	CPU             float64 `json:"cpu_us"` // of the server for an event
	Generator       float64 `json:"generator_share"`
	DirectP50       float64 `json:"direct_p50_ms"` // without the server between them
	DirectP99       float64 `json:"direct_p99_ms"`
}

func newReport(revision string, p plan) *report {
	return &report{
		Revision: revision, CPUs: runtime.NumCPU(), Go: runtime.Version(), Connections: p.connections, Busy: loadAverage(),
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return percentile(values, 0.5)
}

// writeJSON writes the reports, the base first where there are two.
func writeJSON(file string, reports []*report) error {
	text, err := json.MarshalIndent(reports, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644) //nolint:gosec // figures are for everybody
}
