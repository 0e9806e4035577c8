package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"parley"
	"parley/internal/chat"
)

// The bytes must be the same whether details are stored or encoded anew.
func TestStoredDetailsAreEncodedAsTheyAre(t *testing.T) {
	for _, details := range []parley.Details{
		{Model: parley.ModelBasic, Usage: &parley.Usage{InputTokens: 3, OutputTokens: 4}},
		{
			Thinking: "a < b && \"c\"\n\u2028", ThinkingMS: 5,
			Sources: []parley.Source{{Title: "渡船", URL: "https://example.com/?a=1&b=2"}},
		},
	} {
		var stored, want, got bytes.Buffer
		if err := encodeEntry(&stored, &details); err != nil {
			t.Fatal(err)
		}
		typed := parley.Message{ID: "m", Role: parley.RoleAssistant, Content: "<b> } &\n", Version: 2, Versions: 3}
		m := chat.Message{Message: typed, Stored: stored.String()}
		typed.Details = details
		if err := encodeEntry(&want, &typed); err != nil {
			t.Fatal(err)
		}
		if err := encodeMessage(&got, &m); err != nil || got.String() != want.String() {
			t.Errorf("got %s, %v, want %s", got.String(), err, want.String())
		}
		if !json.Valid(got.Bytes()) || strings.Contains(got.String(), "\n") {
			t.Errorf("%q is not one line of JSON", got.String())
		}
	}
}
