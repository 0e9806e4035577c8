package openaiapi

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCommasAreCountedOutsideOfTexts(t *testing.T) {
	for text, want := range map[string][2]int{
		``: {0, 0}, `[]`: {0, 0}, `[1,2,3]`: {2, 2}, `{"a":1,"b":[1,2,{"c":3,"d":4}]}`: {1, 4}, `"a,b"`: {0, 0},
		`["a,\",b","\\",[]]`: {2, 2}, `[[1,2],[3,4]]`: {1, 3},
	} {
		if got := [2]int{commas([]byte(text), 1), commas([]byte(text), allDepths)}; got != want {
			t.Errorf("%s has %v, want %v", text, got, want)
		}
	}
}

func TestMessagesAreEncodedAsAList(t *testing.T) {
	for _, messages := range [][]chatMessage{
		{},
		{{Role: "user", Content: "<a>\n"}},
		{{Role: "user", Content: strings.Repeat("渡<\"", encodedPiece)}},
		{{Role: "assistant", ToolCalls: []toolCall{{ID: "d"}}}},
		{{Role: "user", Content: "a"}, {Role: "tool", Content: json.RawMessage(`["b"]`), ToolCallID: "c"}},
	} {
		want, err := encode(messages)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := encodeMessages(messages, 10); err != nil || string(got) != string(want) {
			t.Errorf("got %s, want %s, %v", got, want, err)
		}
	}
}
