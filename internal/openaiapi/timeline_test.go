package openaiapi

import (
	"strings"
	"testing"

	"parley"
)

// textOf returns the text of a response's deltas, and how many there are.
func textOf(t *timeline) (text string, deltas int) {
	for from, last := 0, false; !last; {
		var events []event
		events, last, _ = t.next(from)
		from += len(events)
		for _, e := range events {
			if e.name == "response.output_text.delta" {
				deltas++
				_, rest, _ := strings.Cut(string(e.data), `"delta":"`)
				piece, _, _ := strings.Cut(rest, `"`)
				text += piece
			}
		}
	}
	return text, deltas
}

// TestTheDeltasOfALongStoredResponseAreLonger writes more pieces than are events of a stored response.
func TestTheDeltasOfALongStoredResponseAreLonger(t *testing.T) {
	const pieces = manyMarks + 1000
	for _, stored := range []bool{false, true} {
		line := newTimeline(response{ID: "resp_1", Store: stored, Status: inProgress}, nil)
		line.begin()
		index := line.open(outputItem{Type: typeMessage, Role: parley.RoleAssistant})
		for range pieces {
			line.write(index, "ab")
		}
		line.settle("stop", parley.Usage{}, nil)
		line.end()
		text, deltas := textOf(line)
		if text != strings.Repeat("ab", pieces) || (deltas == pieces) == stored || deltas > pieces {
			t.Errorf("stored: %v: %d deltas of %d bytes", stored, deltas, len(text))
		}
		data, err := line.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeTimeline(data)
		if err != nil {
			t.Fatal(err)
		}
		if decoded, count := textOf(again); decoded != text || count != deltas {
			t.Errorf("decoded are %d deltas of %d bytes", count, len(decoded))
		}
	}
}

func TestTheSizeOfATimelineCountsAllOfIt(t *testing.T) {
	user, long := strings.Repeat("u", 1000), strings.Repeat("m", 2000)
	r := response{ID: "resp_1", Status: inProgress, User: &user, Metadata: map[string]string{"a": long}}
	line := newTimeline(r, nil)
	if got := line.size(); got != 3001 {
		t.Errorf("it begins with %d bytes", got)
	}
	line.begin()
	index := line.open(outputItem{Type: typeMessage})
	line.write(index, strings.Repeat("x", 5000))
	if got := line.size(); got != 3001+itemSize+5000 {
		t.Errorf("with a text it has %d bytes", got)
	}
}

func TestABrokenTimelineIsNotDecoded(t *testing.T) {
	for _, data := range []string{``, `{`, `[]`, `{"marks":[7]}`, `{"response":{"output":{}}}`} {
		if _, err := decodeTimeline([]byte(data)); err == nil {
			t.Errorf("%s was decoded", data)
		}
	}
}
