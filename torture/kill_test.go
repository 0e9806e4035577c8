package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

// users is the number of actors.
const users = 12

// TestNothingAcknowledgedIsLostByKills kills the program at random moments under a mixed
// load, starts it again on the same data, and compares its data with a ledger of what it
// has acknowledged.
func TestNothingAcknowledgedIsLostByKills(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		w := newWorld(t, databaseURL)
		cycles := setting(t, "TORTURE_CYCLES", 2)
		changes := setting(t, "TORTURE_CHANGES", 120)
		t.Logf("%d cycles of %d changes and more, TORTURE_SEED=%d", cycles, changes, w.seed)
		started := time.Now()
		for cycle := range cycles {
			w.restart(cycle > 0 && w.random.IntN(4) == 0)
			w.verify(databaseURL == "")
			w.load(w.acked.Load() + changes + w.random.Int64N(changes/2))
			if (cycle+1)%10 == 0 {
				t.Logf("%d cycles, %d acknowledged changes, %d verified items, lost: 0, %v",
					cycle+1, w.acked.Load(), w.verified, time.Since(started).Round(time.Second))
			}
		}
		w.restart(false)
		w.verify(true)
		w.compare((*verifier).reachable, true)
		w.audit()
		t.Logf("in all %d cycles, %d kills, %d acknowledged changes, %d verified items, %d cut off, lost: 0, %v",
			cycles, w.kills, w.acked.Load(), w.verified, w.interrupted, time.Since(started).Round(time.Second))
	})
}

// world is a server with its model and its users.
type world struct {
	*testing.T
	databaseURL, dir string
	disk             *disk // nil is the machine's
	seed             int64
	random           *rand.Rand
	model            *aitest.Server
	respond          func(aitest.Request) []aitest.Step
	server           *server
	actors           []*actor
	killed           atomic.Bool
	acked            atomic.Int64 // acknowledged changes

	verified, interrupted, kills int
}

func newWorld(t *testing.T, databaseURL string) *world {
	w := &world{T: t, databaseURL: databaseURL, dir: t.TempDir(), respond: reply}
	w.seed = setting(t, "TORTURE_SEED", time.Now().UnixNano()%1_000_000)
	w.random = rand.New(rand.NewPCG(uint64(w.seed), 0))
	for i := range users {
		w.actors = append(w.actors, &actor{
			name:   fmt.Sprintf("actor %d", i),
			acked:  &w.acked,
			random: rand.New(rand.NewPCG(uint64(w.seed), uint64(i+1))),
		})
	}
	return w
}

// restart starts the server on the same data. If early is set, it starts the server once
// more before that and kills it about when it becomes ready.
func (w *world) restart(early bool) {
	w.Helper()
	if w.model != nil {
		w.model.Close()
	}
	w.model = aitest.New(w.T) // a new one, because it keeps all requests
	w.model.Respond(w.respond)
	if early {
		w.server = w.launch()
		<-time.After(time.Duration(w.random.Int64N(int64(100 * time.Millisecond))))
		w.kill()
		w.died()
	}
	w.server = w.launch()
	w.server.waitReady(w.T)
	for _, a := range w.actors {
		a.client = w.server.guest().WithToken(a.token)
	}
}

func (w *world) launch() *server {
	w.Helper()
	settings := []string{
		"PARLEY_DATA=" + w.dir, "PARLEY_DATABASE_URL=" + w.databaseURL, "PARLEY_LOG_LEVEL=info",
		"PARLEY_AI_BASE_URL=" + w.model.URL, "PARLEY_AI_MODEL=test", "PARLEY_AI_CONTEXT_TOKENS=2000",
		"PARLEY_AI_MODEL_ENHANCED=enhanced",
	}
	return launch(w.T, settings, w.disk.enter()...)
}

// reply scripts the model. Some replies take longer.
func reply(r aitest.Request) []aitest.Step {
	if !strings.Contains(r.Question(), "question") { // it is asked to continue
		return aitest.Say(goOn)
	}
	text := replyTo(r.Question())
	if r.Model == "enhanced" {
		text = enhancedReplyTo(r.Question())
	}
	parts := pieces(text)
	if !slow(r.Question()) {
		return aitest.Say(parts...)
	}
	wait := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-r.Context().Done():
		}
	}
	return []aitest.Step{aitest.Text(parts[0]), wait, aitest.Text(parts[1]), aitest.End()}
}

func (w *world) kill() {
	w.killed.Store(true)
	w.server.kill()
	w.kills++
}

// died records a kill in the ledgers.
func (w *world) died() {
	for _, a := range w.actors {
		a.died()
	}
}

// load makes all actors act until that many changes are acknowledged in total, and kills
// the server after a random moment.
func (w *world) load(until int64) {
	w.Helper()
	w.killed.Store(false)
	errs := make([]error, len(w.actors))
	var all sync.WaitGroup
	failed := make(chan struct{}, len(w.actors))
	for i, a := range w.actors {
		all.Go(func() {
			errs[i] = a.registerAndAct(w.Context(), actions, w.killed.Load)
			// An error is expected only if the kill interrupted a request.
			if w.killed.Load() && !refused(errs[i]) && !errors.Is(errs[i], errWrong) {
				errs[i] = nil
			} else {
				failed <- struct{}{}
			}
		})
	}
	w.waitForChanges(until, failed)
	w.kill()
	all.Wait()
	w.died()
	if err := errors.Join(errs...); err != nil {
		w.Fatalf("under load: %v\nthe log:\n%s", err, w.server.logged())
	}
	for _, a := range w.actors {
		w.interrupted += len(a.doubts)
	}
}

// waitForChanges waits until that many changes are acknowledged or an actor has failed.
func (w *world) waitForChanges(until int64, failed <-chan struct{}) {
	w.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(waitLimit)
	for w.acked.Load() < until {
		select {
		case <-tick.C:
		case <-failed:
			return
		case <-limit:
			w.Errorf("only %d of %d changes after %v", w.acked.Load(), until, waitLimit)
			return
		}
	}
	<-time.After(time.Duration(w.random.Int64N(int64(5 * time.Millisecond))))
}

// verify compares the data of the server with all ledgers. If wait is set, it waits for
// open replies.
func (w *world) verify(wait bool) {
	w.Helper()
	w.compare((*verifier).verify, wait)
}

// compare runs a check for each actor at once.
func (w *world) compare(check func(*verifier, context.Context) error, wait bool) {
	w.Helper()
	verifiers := make([]*verifier, 0, len(w.actors))
	errs := make([]error, len(w.actors))
	ctx, cancel := context.WithTimeout(w.Context(), waitLimit)
	defer cancel()
	var all sync.WaitGroup
	for i, a := range w.actors {
		if a.token == "" && len(a.doubts) == 0 {
			continue // not registered yet
		}
		v := &verifier{actor: a, wait: wait}
		verifiers = append(verifiers, v)
		all.Go(func() { errs[i] = check(v, ctx) })
	}
	all.Wait()
	for _, v := range verifiers {
		w.verified += v.verified
		for _, lost := range v.lost {
			w.Errorf("LOST: %s", lost)
		}
	}
	if err := errors.Join(errs...); err != nil || w.Failed() {
		w.Fatalf("verify: %v (TORTURE_SEED=%d)\nthe log:\n%s", err, w.seed, w.server.logged())
	}
}
