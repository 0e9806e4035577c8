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

// sampleEvery is how often a server is looked at.
const sampleEvery = 2 * time.Second

// sample is what a server takes at a moment. Memory is in MB.
type sample struct {
	at                      time.Duration // since the load began
	resident, heap          float64
	goroutines, descriptors float64
	busy                    float64 // streams and replies that are open
	database, log           float64 // SQLite's files
}

func (s sample) String() string {
	return fmt.Sprintf("%.0f MB resident, %.0f MB heap, %.0f goroutines, %.0f descriptors, database %.1f MB, its log %.1f MB",
		s.resident, s.heap, s.goroutines, s.descriptors, s.database, s.log)
}

// figures is what the server says of itself under /metrics.
func (w *world) figures() map[string]float64 {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.server.url+"/metrics", nil)
	must(w.T, err)
	request.Close = true
	response, err := http.DefaultClient.Do(request)
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

// inUse is what the last collection has found in use on the heap, so that garbage does
// not blur it: the next one begins when it has grown by a quarter. 128 MiB of it are a
// reserve that nothing touches (cmd/parley/memory.go).
func inUse(nextCollection float64) float64 { return nextCollection/1.25 - 128<<20 }

// sample looks at the server.
func (s *soak) sample() sample {
	s.Helper()
	all := s.figures()
	return sample{
		at:       time.Since(s.begun),
		resident: all["process_resident_memory_bytes"] / 1e6, heap: inUse(all["go_memstats_next_gc_bytes"]) / 1e6,
		goroutines: all["go_goroutines"], descriptors: all["process_open_fds"],
		busy:     all["parley_open_streams"] + all["parley_open_turns"],
		database: size(s.dir, "parley.db"), log: size(s.dir, "parley.db-wal"),
	}
}

// size is that of a file in MB; 0 where there is none.
func size(dir, name string) float64 {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return 0
	}
	return float64(info.Size()) / 1e6
}

// measures are the columns of a table of samples. From the second quarter of the time
// to the last each may grow by 15 % and a little more.
var measures = []struct {
	name    string
	of      func(sample) float64
	typical func([]float64) float64
	little  float64 // negative: it is shown but not judged
}{
	{"resident MB", func(s sample) float64 { return s.resident }, median, 4},
	// Whether a password's 19 MB are in use at a collection is chance.
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

// each is a measure of all samples.
func each(all []sample, of func(sample) float64) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	return values
}

// grown says which measures have grown.
func grown(all []sample) []string {
	var faults []string
	if len(all) < 4 {
		return []string{"there are too few samples"}
	}
	for _, m := range measures {
		second, last := m.typical(each(all[len(all)/4:len(all)/2], m.of)), m.typical(each(all[len(all)*3/4:], m.of))
		if m.little >= 0 && last > 1.15*second+m.little {
			faults = append(faults, fmt.Sprintf("%s: %.1f in the second quarter of the time, %.1f in the last", m.name, second, last))
		}
	}
	return faults
}

// table has what is typical of each minute.
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
			all = append(all, sample{resident: resident(i), heap: 30, goroutines: 60, descriptors: 40, database: float64(i)})
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
