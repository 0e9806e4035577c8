package ai_test

import (
	"context"
	"errors"
	"testing"

	"parley/internal/ai"
)

// scripted is a model that emits words and returns err.
type scripted struct {
	words []string
	err   error
}

func (s scripted) Reply(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
	for _, word := range s.words {
		emit(ai.Chunk{Text: word})
	}
	return s.err
}

func TestFallbackAnswersOnlyBeforeTheFirstWord(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		first  scripted
		text   string
		failed bool
	}{
		"the first replies":             {scripted{words: []string{"one"}}, "one", false},
		"the first fails at once":       {scripted{err: broken}, "two", false},
		"the first fails in the middle": {scripted{words: []string{"on"}, err: broken}, "on", true},
	} {
		t.Run(name, func(t *testing.T) {
			text := ""
			err := ai.Fallback{First: test.first, Second: scripted{words: []string{"two"}}}.
				Reply(t.Context(), &ai.Prompt{}, func(c ai.Chunk) { text += c.Text })
			if text != test.text || (err != nil) != test.failed {
				t.Errorf("got %q and error %v, want %q and failed %v", text, err, test.text, test.failed)
			}
		})
	}
}
