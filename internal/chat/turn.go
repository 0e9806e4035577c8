package chat

import (
	"context"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/store"
	"parley/internal/tracing"
)

// turn is a reply that this process is making.
type turn struct {
	store.OpenTurn
	adopted bool // taken over from a process that died; it has no place in a line

	ctx  context.Context // ends when the reply is to end; its cause says why
	end  context.CancelCauseFunc
	done chan struct{} // closed when the outcome is stored

	mu         sync.Mutex
	text       strings.Builder
	thinking   strings.Builder
	details    parley.Details
	thinkingAt time.Time
	saved      int           // how many bytes of it are stored for other replicas
	changed    chan struct{} // closed at the next change; nil while nobody waits
	ended      bool
	err        error // the outcome, once ended
}

// newTurn is a turn in the trace of ctx, which it outlives.
func (s *Service) newTurn(ctx context.Context, open store.OpenTurn) *turn {
	ctx, cancel := context.WithCancelCause(tracing.Within(s.ctx, ctx))
	t := &turn{OpenTurn: open, ctx: ctx, end: cancel, done: make(chan struct{})}
	if open.Options.Model != s.Models[0].Name {
		t.details.Model = open.Options.Model
	}
	return t
}

// add takes the next piece of the reply, and says whether it is the first.
func (t *turn) add(c ai.Chunk, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := t.text.Len() == 0 && t.thinking.Len() == 0
	if c.Thinking != "" {
		if t.thinking.Len() == 0 {
			t.thinkingAt = now
		}
		t.thinking.WriteString(c.Thinking)
	}
	if c.Text != "" {
		if t.text.Len() == 0 && t.thinking.Len() > 0 {
			t.details.ThinkingMS = max(1, now.Sub(t.thinkingAt).Milliseconds())
		}
		t.text.WriteString(c.Text)
	}
	t.tell()
	return first
}

// know notes what the reply can draw on.
func (t *turn) know(sources []parley.Source, files []parley.Passage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.details.Sources, t.details.Files = sources, files
	t.tell()
}

// finish makes the outcome known. It comes after the outcome is stored.
func (t *turn) finish(err error) {
	t.mu.Lock()
	t.err, t.ended = err, true
	t.tell()
	t.mu.Unlock()
	t.end(err)
	close(t.done)
}

// tell wakes whoever waits for a change. The lock must be held.
func (t *turn) tell() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// soFar is the reply as far as it has come.
func (t *turn) soFar() (string, parley.Details) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String(), t.detailed()
}

// detailed is the reply's details so far. The lock must be held.
func (t *turn) detailed() parley.Details {
	details := t.details
	details.Thinking = t.thinking.String()
	return details
}

// look shows the turn to a reader, and what to wait for next.
func (t *turn) look() (view, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return view{
		questionID: t.QuestionID, timestamp: t.Begun.Unix(), attempt: t.Attempt,
		text: t.text.String(), details: t.detailed(), ended: t.ended, err: t.err,
	}, t.changed
}

// output is the answer of a send, complete or so far.
func (t *turn) output() parley.SendOutput {
	v, _ := t.look()
	return v.output(t.ReplyID)
}

// progress is what other replicas are to see of the turn.
func (t *turn) progress() store.Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return store.Progress{
		OpenTurn: t.OpenTurn, Content: t.text.String(), Thinking: t.thinking.String(),
		Fresh: t.text.Len()+t.thinking.Len() > t.saved,
	}
}

// shown notes how far other replicas can see.
func (t *turn) shown(p store.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.saved = len(p.Content) + len(p.Thinking)
}
