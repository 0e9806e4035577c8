package pool_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/pool"
)

// fake is a server. It fails with err unless err is nil.
type fake struct {
	err    atomic.Pointer[ai.Failure]
	asked  atomic.Int64
	prompt ai.Prompt // the latest, if requests are not concurrent
	// hold, if not nil, holds replies until it is closed.
	hold chan struct{}
	// partial replies break off after their first chunk.
	partial bool
}

func (f *fake) Reply(ctx context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error {
	f.asked.Add(1)
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	} else {
		f.prompt = *prompt
	}
	if f.partial {
		emit(ai.Chunk{Text: "half"})
	}
	if failure := f.err.Load(); failure != nil {
		return failure
	}
	emit(ai.Chunk{Text: "whole"})
	return nil
}

func failure(reason string, fault ai.Fault) *ai.Failure {
	return &ai.Failure{Reason: reason, Fault: fault, Err: errors.New(reason)}
}

func failing(reason string, fault ai.Fault) *fake {
	f := &fake{}
	f.err.Store(failure(reason, fault))
	return f
}

func dead() *fake       { return failing(parley.ReasonUnreachable, ai.ServerFault) }
func overloaded() *fake { return failing(parley.ReasonOverloaded, ai.ServerFault) }

func poolOf(models ...ai.Model) *pool.Pool {
	var servers []pool.Server
	for _, m := range models {
		servers = append(servers, pool.Server{Model: m})
	}
	return newPool(servers...)
}

func newPool(servers ...pool.Server) *pool.Pool {
	return pool.New(pool.Config{Servers: servers, Log: slog.New(slog.DiscardHandler), Now: time.Now})
}

// send returns the text of a reply.
func send(ctx context.Context, p *pool.Pool, prompt ai.Prompt) (text string, err error) {
	err = p.Reply(ctx, &prompt, func(c ai.Chunk) { text += c.Text })
	return text, err
}

// mustSend fails the test if there is no reply.
func mustSend(t *testing.T, p *pool.Pool) {
	t.Helper()
	if text, err := send(t.Context(), p, ai.Prompt{}); err != nil || text != "whole" {
		t.Errorf("got %q and %v", text, err)
	}
}

func wantAsked(t *testing.T, f *fake, want int64) {
	t.Helper()
	if got := f.asked.Load(); got != want {
		t.Errorf("asked %d times, want %d", got, want)
	}
}

func TestOneOfThreeServersReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone, busy, well := dead(), overloaded(), &fake{}
		p := poolOf(gone, busy, well)
		for range 200 {
			mustSend(t, p)
		}
		wantAsked(t, gone, 3) // then they rest
		wantAsked(t, busy, 3)
		wantAsked(t, well, 200)
	})
}

func TestRepliesAreSpreadByWeight(t *testing.T) {
	a, b := &fake{}, &fake{}
	p := newPool(pool.Server{Model: a, Weight: 3}, pool.Server{Model: b})
	for range 40 {
		mustSend(t, p)
	}
	wantAsked(t, a, 30)
	wantAsked(t, b, 10)
}

func TestARestGrowsAndEndsWithOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := dead()
		p := poolOf(gone, &fake{})
		asked := int64(3)
		for range 10 {
			mustSend(t, p)
		}
		for _, rest := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
			wantAsked(t, gone, asked)
			time.Sleep(rest*time.Second - time.Nanosecond)
			mustSend(t, p)
			mustSend(t, p)
			wantAsked(t, gone, asked)
			time.Sleep(time.Nanosecond)
			asked++
			for range 5 {
				mustSend(t, p)
			}
		}
		gone.err.Store(nil)
		time.Sleep(5 * time.Minute)
		for range 10 {
			mustSend(t, p)
		}
		if got := gone.asked.Load(); got < asked+4 {
			t.Errorf("it was asked %d times after it came back, want its share of 10", got-asked)
		}
	})
}

func TestOnlyOneRequestProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone, well := dead(), &fake{}
		p := poolOf(gone, well)
		for range 10 {
			mustSend(t, p)
		}
		time.Sleep(5 * time.Second)
		gone.hold = make(chan struct{})
		well.hold = make(chan struct{})
		close(well.hold)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { mustSend(t, p) })
		}
		synctest.Wait()
		wantAsked(t, gone, 4)
		close(gone.hold)
		all.Wait()
	})
}

func TestAProbeThatIsGivenUpSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := dead()
		p := poolOf(gone, &fake{})
		for range 10 {
			mustSend(t, p)
		}
		time.Sleep(5 * time.Second)
		gone.hold = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 { // one of them probes
			go func() { _, _ = send(ctx, p, ai.Prompt{}) }()
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		wantAsked(t, gone, 4)
		gone.err.Store(nil)
		close(gone.hold)
		for range 4 {
			mustSend(t, p)
		}
		wantAsked(t, gone, 6)
	})
}

func TestIfAllRestTheyAreAskedNevertheless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := dead(), overloaded()
		p := poolOf(a, b)
		for range 10 {
			if _, err := send(t.Context(), p, ai.Prompt{}); err == nil {
				t.Fatal("got a reply of dead servers")
			}
		}
		if p.Available() {
			t.Error("dead servers are called available")
		}
		b.err.Store(nil)
		mustSend(t, p)
		if !p.Available() {
			t.Error("a server that replies is not called available")
		}
	})
}

func TestIfAllFailOneMayRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key, busy := failing(parley.ReasonKey, ai.ServerFault), overloaded()
		p := poolOf(key, busy)
		until := time.Now().Add(time.Minute)
		_, err := send(t.Context(), p, ai.Prompt{Question: "Why?", TryUntil: until})
		if ai.ReasonOf(err) != parley.ReasonOverloaded {
			t.Errorf("got %v", err)
		}
		wantAsked(t, key, 1)
		wantAsked(t, busy, 2)
		if !key.prompt.TryUntil.Equal(time.Now()) || !busy.prompt.TryUntil.Equal(until) || busy.prompt.Question != "Why?" {
			t.Errorf("got %+v and %+v", key.prompt, busy.prompt)
		}
	})
}

// TestOnlyAReplyClearsThePrompt checks that a fallback gets the same prompt, and that a reply needs no memory for it.
func TestOnlyAReplyClearsThePrompt(t *testing.T) {
	for _, test := range []struct {
		name    string
		servers []ai.Model
		cleared bool
	}{
		{"no server replies", []ai.Model{dead(), failing(parley.ReasonKey, ai.ServerFault)}, false},
		{"the second replies", []ai.Model{dead(), &fake{}}, true},
		{"the only one replies", []ai.Model{&fake{}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want := ai.Prompt{Question: "Why?", TryUntil: time.Now().Add(-time.Second)}
				given := want
				if test.cleared {
					want = ai.Prompt{}
				}
				_ = poolOf(test.servers...).Reply(t.Context(), &given, func(ai.Chunk) {})
				if diff := cmp.Diff(want, given); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestAPromptThatNoServerTakesIsAskedOnce(t *testing.T) {
	long, well := failing(parley.ReasonTooLong, ai.NoFault), &fake{}
	p := poolOf(long, well)
	if _, err := send(t.Context(), p, ai.Prompt{}); ai.ReasonOf(err) != parley.ReasonTooLong {
		t.Errorf("got %v", err)
	}
	wantAsked(t, well, 0)
}

func TestARejectedPromptMakesNoServerRest(t *testing.T) {
	picky, well := failing(parley.ReasonFailed, ai.MaybeFault), &fake{}
	p := poolOf(picky, well)
	for range 20 {
		mustSend(t, p)
	}
	wantAsked(t, picky, 10)
}

func TestAfterTheFirstChunkNoOtherServerIsAsked(t *testing.T) {
	breaks, well := dead(), &fake{}
	breaks.partial = true
	p := poolOf(breaks, well)
	text, err := send(t.Context(), p, ai.Prompt{})
	if text != "half" || err == nil {
		t.Errorf("got %q and %v", text, err)
	}
	wantAsked(t, well, 0)
}

func TestChecksTellWhatIsAvailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var down atomic.Bool
		down.Store(true)
		var checks atomic.Int64
		server := &fake{}
		p := newPool(pool.Server{
			Name: "m at home", Model: server, Check: func(context.Context) error {
				checks.Add(1)
				if down.Load() {
					return errors.New("down")
				}
				return nil
			},
		})
		if !p.Available() {
			t.Error("a server that was not checked yet is not called available")
		}
		go p.Run(ctx)
		synctest.Wait()
		if states := p.States(); !slices.Equal(states, []pool.State{{Name: "m at home"}}) {
			t.Errorf("got %+v after a check that failed", states)
		}
		mustSend(t, p)
		if !p.Available() {
			t.Error("a server that replies is not called available")
		}
		server.err.Store(failure(parley.ReasonUnreachable, ai.ServerFault))
		for range 3 {
			_, _ = send(ctx, p, ai.Prompt{})
		}
		down.Store(false)
		if p.Available() {
			t.Error("a server that failed is called available")
		}
		time.Sleep(16 * time.Second)
		if !p.Available() {
			t.Error("a server that responds again is not called available")
		}
		done := checks.Load()
		time.Sleep(time.Hour)
		if checks.Load() != done {
			t.Error("a server that works is checked")
		}
	})
}
