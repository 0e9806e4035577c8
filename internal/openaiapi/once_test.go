package openaiapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// FuzzDigestOf compares the digest of a body with that of what json.Marshal makes of it.
func FuzzDigestOf(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"b": [1, {"c" : "d e"}],` + "\n\t" + `"a<":"<b>&\" \\ \u2028"}`, "{\"a\":\"\u2028\u2029\u202a\xe2\x80\"}",
		`{"a":"\u003c\/"}`, `{"a":null,"":1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var body fields
		if json.Unmarshal(text, &body) != nil {
			return
		}
		whole, err := json.Marshal(body)
		if err != nil || body == nil {
			return
		}
		if got := digestOf(body); got != fmt.Sprintf("%x", sha256.Sum256(whole)) {
			t.Errorf("%s has another digest than %s", text, whole)
		}
	})
}

// TestADigestTakesLittleMemory has a body. json.Marshal would make six times as much of it.
func TestADigestTakesLittleMemory(t *testing.T) {
	body := fields{"input": json.RawMessage(`"` + strings.Repeat("<", 8<<20) + `"`)}
	if taken := allocated(func() { digestOf(body) }); taken > 1<<20 {
		t.Errorf("%d bytes were allocated", taken)
	}
}
