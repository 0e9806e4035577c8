// Package openaiapi serves OpenAI's API under /v1: models, chat completions and responses. Calls go to the model as
// they are, and are not stored unless the client asks for it.
package openaiapi

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/responses"
	"parley/internal/tracing"
)

// Prefix is the beginning of the paths of OpenAI's API.
const Prefix = "/v1/"

const (
	defaultHeartbeat = 10 * time.Second
	defaultMaxTime   = 10 * time.Minute
	defaultMaxReply  = 1 << 20
	// maxGenerating is how many stored responses of a user can be generated at once.
	maxGenerating = 64
	// maxDetached is how many calls that go on without their clients can be in progress at once, of all users.
	maxDetached = 4096
)

// Config holds the services and settings of an API.
type Config struct {
	Chat      *chat.Service
	Models    func() ai.Offers // those on offer now
	Responses *responses.Service
	Metrics   *metrics.Metrics
	Tracer    *tracing.Tracer // nil traces nothing
	Log       *slog.Logger
	Now       func() time.Time
	// Heartbeat is the interval of comments in a silent stream. The default is 10 s.
	Heartbeat time.Duration
	// MaxTime is how long a model may take for a reply. The default is 10 min.
	MaxTime time.Duration
	// MaxReply limits the text of a response in memory, in bytes. The default is 1 MiB.
	MaxReply int64
	// Memory limits what responses hold before and while they are generated, and what is recorded for idempotency keys,
	// with a share for each user; nil means no limit.
	Memory *limit.ByteShares[int64]

	// Instructions returns the instructions of the server for calls outside of sessions. They may be empty. If it is nil,
	// there are none.
	Instructions func() string
	// Begin is called before each call of a model.
	Begin Begin
}

// Begin is called before each call of a model, with the number of replies that it asks for. If it returns an error, the
// call is refused. Otherwise count is called once, with what the call has taken, also if it was cut off. A call that
// failed before its first event has taken nothing.
type Begin func(
	ctx context.Context, userID int64, model string, replies int,
) (count func(context.Context, parley.Usage) error, err error)

// API serves OpenAI's API.
type API struct {
	chat      *chat.Service
	models    func() ai.Offers
	responses *responses.Service
	metrics   *metrics.Metrics
	tracer    *tracing.Tracer
	log       *slog.Logger
	now       func() time.Time
	heartbeat time.Duration
	maxTime   time.Duration
	maxReply  int64
	memory    *limit.ByteShares[int64]
	begin     Begin

	instructions func() string

	working context.Context // of responses that outlive their request
	stop    context.CancelFunc
	live    *liveResponses
	// unmarked has the models that are known for text that turns out to be thinking.
	unmarked unmarkedThinking
	// generating limits the responses of a user that outlive their request.
	generating *limit.PerKey[int64]
	// detached limits the calls of all users that go on if their clients leave.
	detached *limit.Limiter

	mu       sync.Mutex
	draining bool
	running  sync.WaitGroup
}

// New returns the API.
func New(c Config) *API {
	a := &API{
		chat:      c.Chat,
		models:    c.Models,
		responses: c.Responses,
		metrics:   c.Metrics,
		tracer:    c.Tracer,
		log:       c.Log,
		now:       c.Now,
		heartbeat: cmp.Or(c.Heartbeat, defaultHeartbeat),
		maxTime:   cmp.Or(c.MaxTime, defaultMaxTime),
		maxReply:  cmp.Or(c.MaxReply, defaultMaxReply),
		memory:    c.Memory,
		begin:     c.Begin,
		live:      newLiveResponses(),

		instructions: c.Instructions,

		generating: limit.NewPerKey[int64](maxGenerating),
		detached:   limit.NewLimiter(maxDetached, 0, 0),
	}
	if a.instructions == nil {
		a.instructions = func() string { return "" }
	}
	a.working, a.stop = context.WithCancel(context.Background())
	return a
}

// Drain refuses further calls and waits for those in progress until ctx ends. Then it cancels the responses that
// outlive their requests.
func (a *API) Drain(ctx context.Context) {
	a.mu.Lock()
	a.draining = true
	a.mu.Unlock()
	done := make(chan struct{})
	go func() {
		a.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	a.stop()
}

// Wait waits until nothing is in progress. It is called after Drain, when all requests have ended.
func (a *API) Wait() { a.running.Wait() }

// admit makes Drain wait until done is called. It returns parley.ErrShuttingDown while draining.
func (a *API) admit() (done func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.draining {
		return nil, parley.ErrShuttingDown
	}
	a.running.Add(1)
	return a.running.Done, nil
}

// Caller is who makes a request.
type Caller struct {
	UserID int64
	// Hold is the memory of what is written to the client. It is released when the request ends.
	Hold *limit.Hold[int64]
}

// Models lists the available models.
func (a *API) Models(w http.ResponseWriter, _ *http.Request, _ Caller) error {
	list := modelList{Object: "list", Data: []modelEntry{}}
	for _, m := range a.models() {
		list.Data = append(list.Data, modelEntry{ID: m.Name, Object: "model", OwnedBy: "parley"})
	}
	return writeJSON(w, list)
}

type modelList struct {
	Object string       `json:"object"`
	Data   []modelEntry `json:"data"`
}

type modelEntry struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// find returns the model with the name in a request. No name selects the default.
func (a *API) find(name string) (ai.Offer, error) {
	model, found := a.models().Find(name)
	if !found {
		return model, &Error{
			Status: http.StatusNotFound, Code: "model_not_found", Param: "model",
			Text: "the model does not exist; GET /v1/models lists the models",
		}
	}
	return model, nil
}

// pass passes a call to a model.
func (a *API) pass(
	ctx context.Context, userID int64, model ai.Offer, call ai.Call, emit func(data []byte) error,
) (usage parley.Usage, err error) {
	done, err := a.admit()
	if err != nil {
		return usage, err
	}
	defer done()
	count, err := a.begin(ctx, userID, model.Name, max(call.Choices, 1))
	if err != nil {
		return usage, err
	}
	return a.passBegun(ctx, model, call, count, emit)
}

// counter ends a call that has begun, and counts what it has taken.
type counter func(context.Context, parley.Usage) error

// passBegun passes a call to a model that begin has allowed. All calls of models go through it. The body of the call is
// cleared with the first event: a stream may take long, and needs it no more.
func (a *API) passBegun(
	ctx context.Context, model ai.Offer, call ai.Call, count counter, emit func(data []byte) error,
) (usage parley.Usage, err error) {
	spanned, span := a.tracer.Call(ctx, "model")
	begun := false
	usage, err = ai.Pass(spanned, model.Model, call, func(data []byte) error {
		if !begun {
			begun = true
			clear(call.Body) // it is no longer held
		}
		return emit(data)
	})
	span.Text("gen_ai.request.model", model.Name)
	span.Number("parley.input_tokens", usage.InputTokens)
	span.Number("parley.output_tokens", usage.OutputTokens)
	span.End(err)
	counted := parley.Usage{}
	if begun {
		counted = usage
		a.metrics.Tokens("prompt", int(usage.InputTokens))
		a.metrics.Tokens("reply", int(usage.OutputTokens))
		a.metrics.ModelTokens(model.Name, usage.InputTokens, usage.OutputTokens)
	}
	a.count(ctx, count, counted)
	return usage, err
}

func (a *API) count(ctx context.Context, count counter, used parley.Usage) {
	if err := count(ctx, used); err != nil {
		a.log.ErrorContext(ctx, "count the tokens of a call", "error", err)
	}
}

func writeJSON(w http.ResponseWriter, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the client may have disconnected
	return nil
}
