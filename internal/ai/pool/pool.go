// Package pool provides a model with several servers, which stand in for each other.
package pool

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/ai"
)

// Server is a model on one server, or with one key.
type Server struct {
	// Name is for the log and metrics.
	Name  string
	Model ai.Model
	// Check looks whether the server responds, without a reply. It may be nil.
	Check func(ctx context.Context) error
	// Weight is its share of the replies. 0 counts as 1.
	Weight int
}

// Config configures a Pool.
type Config struct {
	// Servers has at least one server.
	Servers []Server
	Log     *slog.Logger
	Now     func() time.Time
}

// Pool is an ai.Model on several servers. Replies are spread over them by weight. A server that fails before the first
// chunk is left for the next one, within the same reply. After several failures in a row a server rests: it is not
// asked for a time that grows with each failure after a rest. Its state is in memory.
type Pool struct {
	log *slog.Logger
	now func() time.Time

	mu      sync.Mutex
	members []*member
}

// member is a server and its state, which the pool's mutex guards.
type member struct {
	Server
	breaker
	// credit is what the server has of its share. The server with the most is asked first.
	credit int
	// silent is set if the last check has failed, or failures made the server rest since. A reply resets it.
	silent bool
}

var _ ai.Model = (*Pool)(nil)

// New returns a pool.
func New(config Config) *Pool {
	p := &Pool{log: config.Log, now: config.Now}
	for _, server := range config.Servers {
		server.Weight = max(server.Weight, 1)
		p.members = append(p.members, &member{Server: server})
	}
	return p
}

// Reply implements ai.Model. Servers that rest are asked if all others have failed. If these have failed too, one of
// them is asked again as if it were alone, with its provider's retries, if it is only overloaded or unreachable.
func (p *Pool) Reply(ctx context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error {
	until := prompt.TryUntil
	if len(p.members) == 1 {
		_, err := p.ask(ctx, p.members[0], prompt, until, emit)
		return err
	}
	var again *member
	var temporary, last error
	tried := map[*member]bool{}
	for m := p.next(tried); m != nil; m = p.next(tried) {
		tried[m] = true
		var begun bool
		begun, last = p.ask(ctx, m, prompt, p.now(), emit)
		if last == nil || begun || ctx.Err() != nil || ai.FaultOf(last) == ai.NoFault {
			return last
		}
		if again == nil && isTemporary(last) {
			again, temporary = m, last
		}
	}
	switch {
	case again == nil:
		return last
	case !until.IsZero() && !p.now().Before(until):
		return temporary
	}
	_, err := p.ask(ctx, again, prompt, until, emit)
	return err
}

// isTemporary reports whether the same server may reply a little later.
func isTemporary(err error) bool {
	reason := ai.ReasonOf(err)
	return reason == parley.ReasonOverloaded || reason == parley.ReasonUnreachable
}

// ask asks one server, which may retry until the given time, and records the result. begun reports whether a chunk was
// emitted. The prompt is dropped then, since its memory is no longer needed.
func (p *Pool) ask(
	ctx context.Context, m *member, prompt *ai.Prompt, until time.Time, emit func(ai.Chunk),
) (begun bool, err error) {
	given := *prompt
	given.TryUntil = until
	err = m.Model.Reply(ctx, &given, func(c ai.Chunk) {
		if !begun {
			begun = true
			*prompt, given = ai.Prompt{}, ai.Prompt{}
			p.record(m, nil)
		}
		emit(c)
	})
	if !begun {
		p.settle(ctx, m, err)
	}
	return begun, err
}

// settle records the result of a server that has sent nothing.
func (p *Pool) settle(ctx context.Context, m *member, err error) {
	var notSent *ai.Unsupported
	if ctx.Err() != nil || errors.As(err, &notSent) {
		p.release(m)
		return
	}
	p.record(m, err)
}

// next returns the server to ask, or nil if all were tried. Among ready servers it chooses the one with the most
// credit. If no server is ready, it chooses the one that will be ready first.
func (p *Pool) next(tried map[*member]bool) *member {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	var chosen, resting *member
	total := 0
	for _, m := range p.members {
		switch {
		case tried[m]:
		case m.ready(now):
			total += m.Weight
			m.credit += m.Weight
			if chosen == nil || m.credit > chosen.credit {
				chosen = m
			}
		case resting == nil || m.until.Before(resting.until):
			resting = m
		}
	}
	if chosen == nil {
		return resting
	}
	chosen.credit -= total
	chosen.begin(now)
	return chosen
}

// record records the result of asking a server.
func (p *Pool) record(m *member, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ai.FaultOf(err) != ai.ServerFault {
		if m.rest > 0 {
			p.log.Info("model server replies again", "server", m.Name)
		}
		m.succeed()
		m.silent = false
		return
	}
	if m.fail(p.now()) {
		m.silent = m.Check != nil
		p.log.Warn("model server fails", "server", m.Name, "error", err, "rest", m.rest)
	}
}

// release records that asking a server was given up.
func (p *Pool) release(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.release()
}

// Available reports whether a server is expected to reply.
func (p *Pool) Available() bool {
	for _, s := range p.States() {
		if s.Available {
			return true
		}
	}
	return false
}

// State is the state of a server.
type State struct {
	Name string
	// Available is whether it is expected to reply: it neither rests, nor has its last check failed.
	Available bool
}

// States returns the states of the servers, in their order.
func (p *Pool) States() []State {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	states := make([]State, 0, len(p.members))
	for _, m := range p.members {
		states = append(states, State{Name: m.Name, Available: !m.silent && !m.resting(now)})
	}
	return states
}
