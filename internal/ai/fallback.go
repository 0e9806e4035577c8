package ai

import "context"

// Fallback is a model with another one to turn to.
type Fallback struct {
	First, Second Model
}

var _ Model = Fallback{}

// Reply asks the first model and, where it fails before its first word, the second.
func (f Fallback) Reply(ctx context.Context, prompt Prompt, emit func(Chunk)) error {
	begun := false
	err := f.First.Reply(ctx, prompt, func(c Chunk) {
		if !begun {
			begun = true
			prompt = Prompt{} // it may be large, and the reply long
		}
		emit(c)
	})
	if err == nil || begun || ctx.Err() != nil {
		return err
	}
	return f.Second.Reply(ctx, prompt, emit)
}
