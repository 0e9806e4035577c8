package openai

import (
	"encoding/json"
	"maps"
	"runtime"
	"strings"
	"testing"
)

// TestACallTakesItsSizeOnce encodes a long call of characters that json.Marshal makes longer.
func TestACallTakesItsSizeOnce(t *testing.T) {
	long := strings.Repeat("<", 4<<20)
	fields := map[string]json.RawMessage{
		"messages": json.RawMessage(`"` + long + `"`), "b\"c": json.RawMessage(`{"d": 1}`),
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	data := joinFields(fields)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 6<<20 {
		t.Errorf("%d bytes were allocated for %d", taken, len(data))
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(data, &got); err != nil || !maps.EqualFunc(got, fields, func(a, b json.RawMessage) bool {
		return string(a) == string(b)
	}) {
		t.Errorf("got %.100s, %v", data, err)
	}
}
