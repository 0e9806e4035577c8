package ai_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/ai"
)

// thinksAloud is a model whose text turns out to be thinking.
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
