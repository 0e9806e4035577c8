package metrics_test

import (
	"reflect"
	"testing"
	"time"

	"parley"
	"parley/internal/metrics"
)

func TestErrorsOfTheLastHourAreCounted(t *testing.T) {
	m := metrics.New()
	begun := time.Unix(1_767_225_600, 0)
	if got := m.RecentErrors(begun); got == nil || len(got) != 0 {
		t.Errorf("at first: %#v", got)
	}
	m.Failed(parley.CodeInternal, begun)
	for minute := range 3 {
		m.Failed(parley.CodeBadToken, begun.Add(time.Duration(minute)*time.Minute))
	}
	m.Failed(parley.CodeInvalidParameter, begun.Add(time.Minute))
	for _, test := range []struct {
		after time.Duration
		want  []parley.ErrorCount
	}{
		{59 * time.Minute, []parley.ErrorCount{
			{Code: parley.CodeBadToken, Count: 3},
			{Code: parley.CodeInvalidParameter, Count: 1},
			{Code: parley.CodeInternal, Count: 1},
		}},
		{60 * time.Minute, []parley.ErrorCount{
			{Code: parley.CodeBadToken, Count: 2},
			{Code: parley.CodeInvalidParameter, Count: 1},
		}},
		{62 * time.Minute, []parley.ErrorCount{}},
		{50 * time.Hour, []parley.ErrorCount{}},
	} {
		if got := m.RecentErrors(begun.Add(test.after)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("after %v: %v, want %v", test.after, got, test.want)
		}
	}
	m.Failed(parley.CodeInternal, begun.Add(time.Hour)) // in the place of the first minute
	want := []parley.ErrorCount{
		{Code: parley.CodeBadToken, Count: 2},
		{Code: parley.CodeInvalidParameter, Count: 1},
		{Code: parley.CodeInternal, Count: 1},
	}
	if got := m.RecentErrors(begun.Add(time.Hour)); !reflect.DeepEqual(got, want) {
		t.Errorf("with a new error: %v, want %v", got, want)
	}
}
