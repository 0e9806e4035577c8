package chat

import (
	"strings"

	"parley"
	"parley/internal/ai"
)

// modelCall is a call of a model whose reply is read up to a limit. Then it is to be aborted.
type modelCall struct {
	input    int // an estimate of the prompt's length
	limit    int // on text and thinking, in bytes
	text     strings.Builder
	thinking strings.Builder
	read     int // bytes of text and thinking
	finish   string
	usage    *parley.Usage
}

// add adds a chunk of the model's reply, and reports whether enough of it was read. Text after that is ignored.
func (c *modelCall) add(chunk ai.Chunk) (enough bool) {
	if chunk.Usage != nil {
		c.usage = chunk.Usage
	}
	if c.isFull() {
		return true
	}
	if chunk.Finish != "" {
		c.finish = chunk.Finish
	}
	if chunk.WasThinking {
		c.thinking.WriteString(c.text.String())
		c.text.Reset()
	}
	c.text.WriteString(chunk.Text)
	c.thinking.WriteString(chunk.Thinking)
	c.read += len(chunk.Thinking) + len(chunk.Text)
	return c.isFull()
}

// isFull reports whether the reply was longer than the limit.
func (c *modelCall) isFull() bool { return c.read > c.limit }

// used returns how many tokens the call took: the figures of the model's server, or an estimate. A call without any
// reply took none.
func (c *modelCall) used() parley.Usage {
	switch {
	case c.usage != nil:
		return *c.usage
	case c.read == 0:
		return parley.Usage{}
	}
	thought := int64(ai.Tokens(c.thinking.String()))
	return parley.Usage{
		InputTokens: int64(c.input), OutputTokens: thought + int64(ai.Tokens(c.text.String())), ThinkingTokens: thought,
		Estimated: true,
	}
}
