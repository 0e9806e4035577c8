package metrics

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
)

// recentMinutes is how far back errors are counted.
const recentMinutes = 60

// recentErrors counts the error codes of the last hour, in a ring of minutes.
type recentErrors struct {
	mu      sync.Mutex
	minutes [recentMinutes]errorMinute
}

// errorMinute has the counts of one minute, in minutes since 1970.
type errorMinute struct {
	minute int64
	counts map[parley.Code]int64
}

// Failed counts a response with an error.
func (m *Metrics) Failed(code parley.Code, now time.Time) {
	minute := now.Unix() / 60
	m.recent.mu.Lock()
	defer m.recent.mu.Unlock()
	place := &m.recent.minutes[minute%recentMinutes]
	if place.minute != minute {
		*place = errorMinute{minute: minute, counts: map[parley.Code]int64{}}
	}
	place.counts[code]++
}

// RecentErrors returns the errors of the last hour, most frequent first.
func (m *Metrics) RecentErrors(now time.Time) []parley.ErrorCount {
	first := now.Unix()/60 - recentMinutes + 1
	sums := map[parley.Code]int64{}
	m.recent.mu.Lock()
	for _, place := range m.recent.minutes {
		if place.minute < first {
			continue
		}
		for code, count := range place.counts {
			sums[code] += count
		}
	}
	m.recent.mu.Unlock()
	errors := make([]parley.ErrorCount, 0, len(sums))
	for _, code := range slices.Sorted(maps.Keys(sums)) {
		errors = append(errors, parley.ErrorCount{Code: code, Count: sums[code]})
	}
	slices.SortStableFunc(errors, func(a, b parley.ErrorCount) int { return cmp.Compare(b.Count, a.Count) })
	return errors
}
