package ai_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/internal/ai"
)

// thinksAloud is a model. Its text turns out to be thinking.
type thinksAloud struct{}

func (thinksAloud) Reply(ctx context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
	emit(ai.Chunk{Text: "Let me think."})
	emit(ai.Chunk{WasThinking: true})
	emit(ai.Chunk{Text: "Yes."})
	return ctx.Err()
}

func TestThinkingIsNoTextOfACompletion(t *testing.T) {
	for stream, want := range map[bool]string{
		false: `"content":"Yes.","reasoning_content":"Let me think."`,
		true:  `"content":"Let me think."`,
	} {
		var out strings.Builder
		call := ai.Call{Stream: stream, Body: map[string]json.RawMessage{
			"messages": json.RawMessage(`[{"role":"user","content":"Is it?"}]`),
		}}
		_, err := ai.Pass(t.Context(), thinksAloud{}, call, func(data []byte) error {
			out.Write(data)
			return nil
		})
		text := out.String()
		if (err != nil) != stream || !strings.Contains(text, want) || strings.Contains(text, `"stop"`) == stream {
			t.Errorf("stream %v: got %s, %v", stream, text, err)
		}
	}
}

// TestTheFirstWrongFieldIsNamed has several that are wrong. The error must not depend on the order of a map.
func TestTheFirstWrongFieldIsNamed(t *testing.T) {
	body := map[string]json.RawMessage{}
	for _, name := range []string{"modalities", "response_format", "n"} {
		body[name] = json.RawMessage(`"wrong"`)
	}
	for range 20 {
		_, err := ai.Pass(t.Context(), thinksAloud{}, ai.Call{Body: body}, func([]byte) error { return nil })
		var field *ai.Unsupported
		if !errors.As(err, &field) || field.Field != "n" {
			t.Fatalf("error %v", err)
		}
	}
}
