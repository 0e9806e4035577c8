package ai

import (
	"context"
	"strings"

	"parley"
)

// Reading is the part of a model's reply that was read.
type Reading struct {
	// Input is an estimate of the prompt's length, in tokens.
	Input int
	// Finish is the finish reason, as in Chunk.
	Finish string

	limit    int // on text and thinking, in bytes
	read     int // bytes of text and thinking
	text     strings.Builder
	thinking strings.Builder
	usage    *parley.Usage
}

// Read asks a model and reads its reply up to a limit on text and thinking, in bytes. At the limit it aborts the call,
// and the error says nothing about the reply. The Reading is never nil.
func Read(ctx context.Context, model Model, prompt *Prompt, limit int) (*Reading, error) {
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	r := &Reading{Input: prompt.Tokens(), limit: limit}
	err := model.Reply(ctx, prompt, func(c Chunk) {
		if r.add(c); r.IsFull() {
			abort()
		}
	})
	return r, err
}

// add adds a chunk of the reply. Text after the limit is ignored.
func (r *Reading) add(chunk Chunk) {
	if chunk.Usage != nil {
		r.usage = chunk.Usage
	}
	if r.IsFull() {
		return
	}
	if chunk.Finish != "" {
		r.Finish = chunk.Finish
	}
	if chunk.WasThinking {
		r.thinking.WriteString(r.text.String())
		r.text.Reset()
	}
	r.text.WriteString(chunk.Text)
	r.thinking.WriteString(chunk.Thinking)
	r.read += len(chunk.Thinking) + len(chunk.Text)
}

// Text returns the text so far, without the thinking.
func (r *Reading) Text() string { return r.text.String() }

// IsFull reports whether the reply was longer than the limit.
func (r *Reading) IsFull() bool { return r.read > r.limit }

// Used returns how many tokens the call took: the figures of the model's server, or an estimate. A call without any
// reply took none.
func (r *Reading) Used() parley.Usage {
	switch {
	case r.usage != nil:
		return *r.usage
	case r.read == 0:
		return parley.Usage{}
	}
	thought := int64(Tokens(r.thinking.String()))
	return parley.Usage{
		InputTokens: int64(r.Input), OutputTokens: thought + int64(Tokens(r.Text())), ThinkingTokens: thought,
		Estimated: true,
	}
}
