package torture

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sampleEvery is the time between two samples.
const sampleEvery = 2 * time.Second

// sample is the resources of a server at a moment. Memory is in MB.
type sample struct {
	at                      time.Duration // since the start of the load
	resident, heap          float64
	goroutines, descriptors float64
	busy                    float64 // open streams and replies
	database, log           float64 // SQLite's files
}

func (s sample) String() string {
	return fmt.Sprintf("%.0f MB resident, %.0f MB heap, %.0f goroutines, %.0f descriptors, "+
		"database %.1f MB, its log %.1f MB",
		s.resident, s.heap, s.goroutines, s.descriptors, s.database, s.log)
}

// metrics returns the metrics of the server.
func (w *world) metrics() map[string]float64 {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.server.url+"/metrics", nil)
	must(w.T, err)
	request.Close = true
	response, err := w.server.http.Do(request)
	must(w.T, err)
	defer response.Body.Close()
	all := map[string]float64{}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if end := strings.LastIndexByte(lines.Text(), ' '); end >= 0 && lines.Text()[0] != '#' {
			value, err := strconv.ParseFloat(lines.Text()[end+1:], 64)
			must(w.T, err)
			all[lines.Text()[:end]] = value
		}
	}
	return all
}

// sample takes a sample of the server. Its heap is the live heap that the last garbage
// collection found: the next one starts when it has grown by GOGC percent.
func (s *soak) sample() sample {
	s.Helper()
	all := s.metrics()
	return sample{
		at:          time.Since(s.started),
		resident:    all["process_resident_memory_bytes"] / 1e6,
		heap:        all["go_memstats_next_gc_bytes"] / (1 + all["go_gc_gogc_percent"]/100) / 1e6,
		goroutines:  all["go_goroutines"],
		descriptors: all["process_open_fds"],
		busy:        all["parley_open_streams"] + all["parley_open_turns"],
		database:    size(s.dir, "parley.db"),
		log:         size(s.dir, "parley.db-wal"),
	}
}

// size returns the size of a file in MB, or 0 if it does not exist.
func size(dir, name string) float64 {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return 0
	}
	return float64(info.Size()) / 1e6
}

// measures are the columns of the table of samples. From the second quarter of the time to
// the last, each may grow by 15 % plus its tolerance.
var measures = []struct {
	name      string
	of        func(sample) float64
	typical   func([]float64) float64
	tolerance float64 // negative: not checked
}{
	{"resident MB", func(s sample) float64 { return s.resident }, median, 4},
	// A collection may happen while a password is hashed, which takes 19 MB.
	{"least heap MB", func(s sample) float64 { return s.heap }, slices.Min[[]float64], 2},
	{"goroutines", func(s sample) float64 { return s.goroutines }, median, 10},
	{"descriptors", func(s sample) float64 { return s.descriptors }, median, 10},
	{"database MB", func(s sample) float64 { return s.database }, median, -1},
	{"its log MB", func(s sample) float64 { return s.log }, median, 4},
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// each returns a measure of all samples.
func each(all []sample, of func(sample) float64) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	return values
}

// grown returns messages about measures that have grown.
func grown(all []sample) []string {
	var faults []string
	if len(all) < 4 {
		return []string{"there are too few samples"}
	}
	for _, m := range measures {
		second := m.typical(each(all[len(all)/4:len(all)/2], m.of))
		last := m.typical(each(all[len(all)*3/4:], m.of))
		if m.tolerance >= 0 && last > 1.15*second+m.tolerance {
			faults = append(faults,
				fmt.Sprintf("%s: %.1f in the second quarter of the time, %.1f in the last", m.name, second, last))
		}
	}
	return faults
}

// table formats the typical values of each minute.
func table(all []sample) string {
	var b strings.Builder
	b.WriteString("  minute")
	for _, m := range measures {
		fmt.Fprintf(&b, "%15s", m.name)
	}
	for len(all) > 0 {
		minute := int(all[0].at / time.Minute)
		count := 0
		for count < len(all) && int(all[count].at/time.Minute) == minute {
			count++
		}
		fmt.Fprintf(&b, "\n%8d", minute+1)
		for _, m := range measures {
			fmt.Fprintf(&b, "%15.1f", m.typical(each(all[:count], m.of)))
		}
		all = all[count:]
	}
	return b.String()
}

func TestGrowthIsTold(t *testing.T) {
	t.Parallel()
	run := func(resident func(i int) float64) []sample {
		var all []sample
		for i := range 400 {
			s := sample{resident: resident(i), heap: 30, goroutines: 60, descriptors: 40, database: float64(i)}
			all = append(all, s)
		}
		return all
	}
	for name, test := range map[string]struct {
		resident func(i int) float64
		grows    bool
	}{
		"flat":                  {func(int) float64 { return 60 }, false},
		"up and down":           {func(i int) float64 { return 60 + float64(i%7)*5 }, false},
		"warming up":            {func(i int) float64 { return min(60, float64(i)) }, false},
		"a little every moment": {func(i int) float64 { return 60 + float64(i)/10 }, true},
	} {
		if found := grown(run(test.resident)); (len(found) > 0) != test.grows {
			t.Errorf("%s: %q", name, found)
		}
	}
}
