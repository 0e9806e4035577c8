package turn

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/ai"
	"parley/internal/store"
	"parley/internal/tracing"
)

// reply is a reply that this process is generating.
type reply struct {
	store.Turn
	adopted bool // taken over from a dead process; it does not hold the session's queue

	ctx    context.Context // ends when the reply has to end; its cause is the reason
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the outcome is stored

	checkQuotes func(ctx context.Context, text string, details parley.Details) ([]parley.Quote, error)

	mu       sync.Mutex
	text     strings.Builder
	thinking strings.Builder
	details  parley.Details
	request  called        // what the model was asked for
	usage    *parley.Usage // as the model's server has counted it; nil if it did not
	firstAt  time.Time     // when the first chunk came
	moved    int64         // code points of thinking that were text before, or came before that text
	saved    int           // bytes stored for other replicas
	changed  chan struct{} // closed at the next change; nil if no goroutine waits for it
	ended    bool
	stopped  bool  // by its user, and its text is stored
	err      error // the outcome, once ended
	kept     bool  // the text is stored although err is set
}

// newReply returns a reply in the trace of ctx that outlives ctx.
func (e *Engine) newReply(ctx context.Context, open store.Turn) *reply {
	ctx, cancel := context.WithCancelCause(tracing.Within(e.ctx, ctx))
	r := &reply{
		Turn:    open,
		ctx:     ctx,
		cancel:  cancel,
		done:    make(chan struct{}),
		details: parley.Details{Model: open.Options.Model},
	}
	if open.Continue {
		earlier := open.Earlier()
		r.details = earlier.Details
		r.details.Model, r.details.Finish, r.details.Usage = open.Options.Model, "", nil
		r.text.WriteString(earlier.Text)
		r.thinking.WriteString(earlier.Details.Thinking)
		r.saved = len(earlier.Text) + len(earlier.Details.Thinking)
	}
	return r
}

// hasNewText reports whether the model has said something in this turn.
func (r *reply) hasNewText() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Len() > len(r.Earlier().Text)
}

// add appends a chunk and reports whether it is the first.
func (r *reply) add(c ai.Chunk, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.text.Len() == 0 && r.thinking.Len() == 0
	if r.firstAt.IsZero() {
		r.firstAt = now
	}
	r.thinking.WriteString(c.Thinking)
	if c.WasThinking {
		r.moveToThinking()
	}
	if c.Text != "" {
		if r.text.Len() == 0 && r.thinking.Len() > 0 {
			r.details.ThinkingMS = max(1, now.Sub(r.firstAt).Milliseconds())
		}
		r.text.WriteString(c.Text)
	}
	if c.Finish != "" {
		r.details.Finish = c.Finish
	}
	if c.Usage != nil {
		r.usage = c.Usage
	}
	r.notify()
	return first
}

// moveToThinking moves the text of this turn to the thinking. The caller must hold the lock.
func (r *reply) moveToThinking() {
	all, earlier := r.text.String(), r.Earlier().Text
	r.thinking.WriteString(all[len(earlier):])
	r.text.Reset()
	r.text.WriteString(earlier)
	r.moved = int64(utf8.RuneCountInString(r.thinking.String()))
	r.saved = 0
}

// setMaterial sets what the reply is based on, besides what a continued one was based on already. It comes before the
// first chunk.
func (r *reply) setMaterial(request *Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	earlier := r.Earlier().Details
	r.details.Sources = addSources(earlier.Sources, request.Sources)
	r.details.Files = addNew(earlier.Files, request.Files)
	r.checkQuotes = request.CheckQuotes
	r.notify()
}

// addNew returns a list with the items that it does not have yet. A continued reply is mostly based on the same
// material as before.
func addNew[T comparable](list, items []T) []T {
	list = slices.Clone(list)
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// addSources is addNew for web pages. A page counts as read if it was read at either time.
func addSources(list, items []parley.Source) []parley.Source {
	list = slices.Clone(list)
	for _, item := range items {
		i := slices.IndexFunc(list, func(s parley.Source) bool { return s.URL == item.URL && s.Title == item.Title })
		if i < 0 {
			list = append(list, item)
			continue
		}
		list[i].Read = list[i].Read || item.Read
	}
	return list
}

// finish publishes the outcome, which must be stored already.
func (r *reply) finish(err error) {
	r.mu.Lock()
	r.err, r.ended, r.kept = err, true, isInterrupted(err)
	r.notify()
	r.mu.Unlock()
	r.cancel(err)
	close(r.done)
}

// markStopped records that the reply is stored as stopped.
func (r *reply) markStopped() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

// notify wakes the goroutines that wait for a change. The caller must hold the lock.
func (r *reply) notify() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// soFar returns the text and details so far.
func (r *reply) soFar() (string, parley.Details) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String(), r.allDetails()
}

// allDetails returns the details with the thinking so far. The caller must hold the lock.
func (r *reply) allDetails() parley.Details {
	details := r.details
	details.Thinking = r.thinking.String()
	return details
}

// view returns the current state, and a channel that closes at the next change.
func (r *reply) view() (view, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	v := view{
		questionID: r.QuestionID,
		timestamp:  r.Begun.Unix(),
		attempt:    r.Attempt,
		text:       r.text.String(),
		details:    r.allDetails(),
		moved:      r.moved,
		ended:      r.ended,
		err:        r.err,
		kept:       r.kept,
	}
	if r.ended && r.stopped {
		v.status = parley.StatusStopped
	}
	return v, r.changed
}

// output returns the response to a send, complete or so far.
func (r *reply) output() parley.SendOutput {
	v, _ := r.view()
	return v.output(r.ReplyID)
}

// progress returns the text so far, to be stored for other replicas.
func (r *reply) progress() store.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return store.Progress{
		Turn:     &r.Turn,
		Content:  r.text.String(),
		Thinking: r.thinking.String(),
		Fresh:    r.text.Len()+r.thinking.Len() > r.saved,
	}
}

// markSaved records that the progress is stored.
func (r *reply) markSaved(p store.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saved = len(p.Content) + len(p.Thinking)
}
