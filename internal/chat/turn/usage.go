package turn

import (
	"context"

	"parley"
	"parley/internal/ai"
	"parley/internal/store"
)

// called is what is known about a call of a model when it begins.
type called struct {
	model  string // its name for users
	price  parley.Price
	tokens int // an estimate of the prompt's length
}

// setCalled sets what the model is asked for. A second call replaces the first, which has failed before its first
// chunk.
func (r *reply) setCalled(c called) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.request, r.usage = c, nil
}

// spend returns the turn with what it has used, and sets the usage of the reply: the usage of this turn and, if the
// reply was continued, of the turns before. Call it only if the model has generated something.
func (e *Engine) spend(r *reply) store.Turn {
	used := r.turnUsage()
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.Turn
	t.Spent = store.Spent{
		Model: r.request.model, Usage: used, Messages: 1,
		Cost: r.request.price.Cost(used), Currency: r.request.price.Currency, At: e.now(),
	}
	if earlier := r.Earlier().Details.Usage; earlier != nil {
		used = used.Plus(*earlier)
	}
	r.details.Usage = &used
	return t
}

// turnUsage returns what this turn has used: the figures of the model's server, or an estimate.
func (r *reply) turnUsage() parley.Usage {
	text, thinking := r.newText()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usage != nil {
		return *r.usage
	}
	thought := int64(ai.Tokens(thinking))
	return parley.Usage{
		InputTokens:    int64(r.request.tokens),
		OutputTokens:   int64(ai.Tokens(text)) + thought,
		ThinkingTokens: thought,
		Estimated:      true,
	}
}

// newText returns the text and the thinking of this turn.
func (r *reply) newText() (text, thinking string) {
	all, details := r.soFar()
	earlier := r.Earlier()
	return all[len(earlier.Text):], details.Thinking[len(earlier.Details.Thinking):]
}

// hasOutput reports whether the model has generated something in this turn.
func (r *reply) hasOutput() bool {
	text, thinking := r.newText()
	return text != "" || thinking != ""
}

// countAbandoned counts what was generated for a session that was cleared or deleted meanwhile. If another process has
// taken the turn over, nothing is counted here.
func (e *Engine) countAbandoned(r *reply) {
	if !r.hasOutput() {
		return
	}
	t := e.spend(r)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), storeTry)
	defer cancel()
	if err := e.store.AddAbandoned(ctx, t); err != nil {
		e.log.Error("count usage", "session", r.SessionID, "reply", r.ReplyID, "error", err)
	}
}
