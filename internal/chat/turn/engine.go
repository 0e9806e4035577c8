// Package turn generates replies. A turn is a question and its reply.
//
// A turn belongs to the engine, not to the request that started it: a client that disconnects does not end it. A
// session has at most one open turn across all replicas.
package turn

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/id"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/store"
	"parley/internal/tracing"
)

const (
	defaultLease = 10 * time.Second
	// saveInterval is how often the text so far is stored for other replicas.
	saveInterval = time.Second
	// saveTimeout bounds one save. A silent connection is then replaced within seconds.
	saveTimeout = 5 * time.Second
	// retention is how long failed outcomes and idempotency keys are kept.
	retention         = 24 * time.Hour
	retentionInterval = time.Hour
	retentionTimeout  = time.Minute
	// storeTimeout bounds the attempts to store an outcome, and storeTry each of them.
	storeTimeout = 10 * time.Second
	storeTry     = storeTimeout / 3
	// defaultDoubtTime bounds the search for a turn whose beginning is in doubt. Its request may have no time left. If the
	// search does not find a stored turn, the turn is a stray.
	defaultDoubtTime = time.Second
	// maxLive is how many replies a process generates at once. Each holds its text and a connection to a model, even if no
	// client reads it.
	maxLive = 16_384
)

// Request is the model and the prompt of one turn.
type Request struct {
	Model ai.Model
	// Name is the name of the model for users, and Price that of its tokens.
	Name   string
	Price  parley.Price
	Prompt ai.Prompt
	// Tokens is an estimate of the length of the prompt.
	Tokens int
	// Sources and Files are shown with the reply.
	Sources []parley.Source
	Files   []parley.Passage
	// CheckQuotes returns the quotes of a reply that are not in what it is based on. It may be nil.
	CheckQuotes func(ctx context.Context, text string, details parley.Details) ([]parley.Quote, error)
	// Shorten returns a shorter request, if the model's context turns out to be smaller. It may be nil.
	Shorten func(context.Context) (*Request, error)
}

// Config configures an Engine.
type Config struct {
	Store *store.Store
	Log   *slog.Logger
	// Prepare chooses the model of a turn and builds its prompt.
	Prepare func(ctx context.Context, turn *store.Turn) (*Request, error)
	// Finished is called with a turn and the text of its reply once the reply is stored. It must not block. It may be nil.
	Finished func(turn *store.Turn, text string)
	// Limiter limits how many questions are stored at once, by user; nil means no limit.
	Limiter *limit.Fair[int64]
	// Metrics may be nil.
	Metrics *metrics.Metrics
	// Tracer may be nil.
	Tracer *tracing.Tracer
	// Lease is how long a process counts as alive after it renewed its lease; zero means 10 s.
	Lease time.Duration
	// QuotesTimeout is how long a reply waits for the check of its quotes; zero means 2 s.
	QuotesTimeout time.Duration
	Now           func() time.Time
}

// Engine generates replies. While Run is running, it also takes over the replies of dead processes.
type Engine struct {
	store         *store.Store
	log           *slog.Logger
	prepare       func(ctx context.Context, turn *store.Turn) (*Request, error)
	finished      func(turn *store.Turn, text string)
	limiter       *limit.Fair[int64]
	metrics       *metrics.Metrics
	tracer        *tracing.Tracer
	lease         time.Duration
	quotesTimeout time.Duration
	now           func() time.Time
	owner         string // identifies this process among the replicas
	queue         *sessionQueue
	notifier      *notifier

	saveNow  chan struct{} // triggers saveProgress
	renewNow chan struct{} // triggers renewLease

	leaseMu  sync.Mutex           // held while the lease is renewed or released
	released bool                 // the lease was released and is not renewed again
	strays   map[string]time.Time // since when this process owns a reply that it does not generate

	denied    deniedTurns
	doubtTime time.Duration // defaultDoubtTime, but in tests

	ctx     context.Context // ends when Drain gives up on the remaining replies
	giveUp  context.CancelCauseFunc
	running sync.WaitGroup // turns that are starting or running

	mu       sync.Mutex
	live     map[string]*reply // by reply id
	draining bool
}

// New returns an Engine.
func New(config Config) *Engine {
	e := &Engine{
		store:         config.Store,
		log:           config.Log,
		prepare:       config.Prepare,
		finished:      config.Finished,
		limiter:       config.Limiter,
		metrics:       config.Metrics,
		tracer:        config.Tracer,
		lease:         config.Lease,
		doubtTime:     defaultDoubtTime,
		quotesTimeout: config.QuotesTimeout,
		now:           config.Now,
		owner:         id.New(),
		queue:         newSessionQueue(),
		notifier:      newNotifier(),
		saveNow:       make(chan struct{}, 1),
		renewNow:      make(chan struct{}, 1),
		live:          map[string]*reply{},
	}
	if e.lease == 0 {
		e.lease = defaultLease
	}
	if e.quotesTimeout == 0 {
		e.quotesTimeout = defaultQuotesTimeout
	}
	if e.finished == nil {
		e.finished = func(*store.Turn, string) {}
	}
	if e.metrics == nil {
		e.metrics = metrics.New()
	}
	e.ctx, e.giveUp = context.WithCancelCause(context.Background())
	return e
}

// Run renews the lease, takes over turns of dead processes, stores progress for other replicas and deletes old
// outcomes, until ctx ends.
func (e *Engine) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { e.every(ctx, e.lease*3/10, e.renewNow, "renew lease", e.renewLease) })
	loops.Go(func() { e.every(ctx, saveInterval, e.saveNow, "save progress", e.saveProgress) })
	loops.Go(func() { e.every(ctx, retentionInterval, nil, "delete old outcomes", e.deleteOldOutcomes) })
	loops.Go(func() { e.runNotifier(ctx) })
	loops.Wait()
}

// every calls do now, at each interval, and when triggered.
func (e *Engine) every(
	ctx context.Context, interval time.Duration, triggered <-chan struct{}, name string, do func(context.Context) error,
) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			e.log.Error(name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-triggered:
		}
	}
}

func (e *Engine) deleteOldOutcomes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, retentionTimeout)
	defer cancel()
	return e.store.Forget(ctx, e.now().Add(-retention))
}

// Drain refuses new turns and waits for the open ones until ctx ends. Another process takes over the rest.
func (e *Engine) Drain(ctx context.Context) {
	e.mu.Lock()
	e.draining = true
	e.mu.Unlock()
	done := make(chan struct{})
	go func() {
		e.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	e.giveUp(errShutdown)
	<-done
	e.releaseLease()
}

// Ending returns a function that ends the open turn of a session, on any replica. Ending must be called before the
// session's messages are deleted, and the function after: a turn that begins after they were deleted goes on.
func (e *Engine) Ending(sessionID string) (end func()) {
	open := e.liveMatching(func(r *reply) bool { return r.SessionID == sessionID })
	return func() {
		cancelAll(open)
		trigger(e.saveNow) // finds a turn that began before they were deleted, and after Ending
		e.notifier.publish(store.TurnStopped, sessionID)
		e.notifier.publish(store.SessionFree, sessionID)
	}
}

// EndUser ends the open turns of a deleted user.
func (e *Engine) EndUser(userID int64) {
	cancelAll(e.liveMatching(func(r *reply) bool { return r.UserID == userID }))
}

func (e *Engine) liveMatching(match func(*reply) bool) (matching []*reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.live {
		if match(r) {
			matching = append(matching, r)
		}
	}
	return matching
}

// cancelAll ends replies after their messages were deleted.
func cancelAll(replies []*reply) {
	for _, r := range replies {
		r.cancel(errDeleted)
	}
}

// find returns a reply that this process is generating, or nil.
func (e *Engine) find(replyID string) *reply {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.live[replyID]
}

// ShowLive sets the text so far of the messages that this process is generating.
func (e *Engine) ShowLive(messages []store.Message) {
	for i := range messages {
		m := &messages[i]
		if m.Status != parley.StatusPending {
			continue
		}
		if r := e.find(m.ID); r != nil && !r.Redo {
			m.Stored = ""
			m.Content, m.Details = r.soFar()
		}
	}
}
