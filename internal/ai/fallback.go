package ai

import "context"

// Fallback is a Model that uses Second if First fails before its first chunk.
type Fallback struct {
	First, Second Model
}

var _ Model = Fallback{}

// Reply implements Model.
func (f Fallback) Reply(ctx context.Context, prompt *Prompt, emit func(Chunk)) error {
	begun := false
	err := f.First.Reply(ctx, prompt, func(c Chunk) {
		if !begun {
			begun = true
			*prompt = Prompt{} // free its memory, which is no longer needed
		}
		emit(c)
	})
	if err == nil || begun || ctx.Err() != nil {
		return err
	}
	return f.Second.Reply(ctx, prompt, emit)
}
