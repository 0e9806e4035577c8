package chat

import (
	"context"
	"strings"

	"parley"
	"parley/internal/ai"
	"parley/internal/store"
)

// titleCall is a call of a model for a title.
type titleCall struct {
	input    int // an estimate of the prompt's length
	text     strings.Builder
	thinking strings.Builder
	read     int // bytes of text and thinking
	usage    *parley.Usage
}

// add adds a chunk of the model's reply, and reports whether enough of it was read. Text after that is ignored.
func (c *titleCall) add(chunk ai.Chunk) (enough bool) {
	if chunk.Usage != nil {
		c.usage = chunk.Usage
	}
	if c.read > maxTitleReply {
		return true
	}
	c.text.WriteString(chunk.Text)
	c.thinking.WriteString(chunk.Thinking)
	c.read += len(chunk.Thinking) + len(chunk.Text)
	return c.read > maxTitleReply
}

// used returns how many tokens the call took: the figures of the model's server, or an estimate. A call without any
// reply took none.
func (c *titleCall) used() parley.Usage {
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

// count counts the tokens of a call. A title is not a message.
func (t *Titler) count(ctx context.Context, userID int64, call *titleCall) error {
	used := call.used()
	t.metrics.Tokens("prompt", call.input)
	t.metrics.Tokens("reply", int(used.OutputTokens))
	if used == (parley.Usage{}) {
		return nil
	}
	t.metrics.ModelTokens(t.model.Name, used.InputTokens, used.OutputTokens)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), titleTime)
	defer cancel()
	return t.store.AddUsage(ctx, userID, store.Spent{
		Model: t.model.Name, Usage: used, Cost: t.model.Price.Cost(used), Currency: t.model.Price.Currency, At: t.now(),
	})
}
