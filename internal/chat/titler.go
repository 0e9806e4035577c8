package chat

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/metrics"
	"parley/internal/store"
)

const (
	// titleTime is how long a model has for a title.
	titleTime = 15 * time.Second
	// titleExcerpt is how much of the question and of the reply the model gets, in characters.
	titleExcerpt = 600
	// maxTitleReply is how much of the model's reply is read, in bytes, thinking included. Then the request is aborted.
	maxTitleReply = 2000
	// titleWorkers is how many titles are made at once, and titleQueue how many wait.
	titleWorkers = 2
	titleQueue   = 100
)

const titleRule = "You name conversations. Write a short title for the conversation below: three to six words " +
	"that say what it is about, in the language of the question. " +
	"Write the title alone, on one line, without quotation marks, formatting, or a period."

// TitlerConfig configures a Titler.
type TitlerConfig struct {
	Store *store.Store
	Log   *slog.Logger
	// Model returns the model that makes titles now, or false if none does.
	Model func() (ai.Offer, bool)
	// HasTokens reports whether a user's quota of tokens is not used up. If it is nil, it never is.
	HasTokens func(ctx context.Context, userID int64) (bool, error)
	// Metrics may be nil.
	Metrics *metrics.Metrics
	Now     func() time.Time
}

// Titler asks a model for the titles of sessions, after their first reply. Until then a session has a title made from
// its first question.
//
// Titles wait for nobody and nobody waits for them: they take no place in the queues of sends, are given up after a few
// seconds, and are not tried again. Those that wait when the process ends are lost, and the session keeps its title.
type Titler struct {
	store   *store.Store
	log     *slog.Logger
	model   func() (ai.Offer, bool)
	metrics *metrics.Metrics
	now     func() time.Time
	queue   chan titleJob

	hasTokens func(ctx context.Context, userID int64) (bool, error)
}

// titleJob is a session that gets a title.
type titleJob struct {
	turn  store.Turn
	reply string
}

// NewTitler returns a Titler.
func NewTitler(config TitlerConfig) *Titler {
	t := &Titler{
		store:   config.Store,
		log:     config.Log,
		model:   config.Model,
		metrics: config.Metrics,
		now:     config.Now,
		queue:   make(chan titleJob, titleQueue),

		hasTokens: config.HasTokens,
	}
	if t.hasTokens == nil {
		t.hasTokens = func(context.Context, int64) (bool, error) { return true, nil }
	}
	if t.metrics == nil {
		t.metrics = metrics.New()
	}
	return t
}

// Finished queues the session of a turn that was stored with a reply, if it is the session's first one. If many wait
// already, the session keeps its title. A nil Titler does nothing.
func (t *Titler) Finished(turn *store.Turn, reply string) {
	if t == nil || turn.Number != 2 {
		return
	}
	job := titleJob{turn: *turn, reply: excerpt(reply)}
	job.turn.Question = excerpt(turn.Question)
	select {
	case t.queue <- job:
	default:
	}
}

// Run makes titles until ctx ends. A nil Titler makes none.
func (t *Titler) Run(ctx context.Context) {
	if t == nil {
		return
	}
	var workers sync.WaitGroup
	for range titleWorkers {
		workers.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case job := <-t.queue:
					t.name(ctx, job)
				}
			}
		})
	}
	workers.Wait()
}

// name gives a session a title and logs why it can't.
func (t *Titler) name(ctx context.Context, job titleJob) {
	defer func() {
		if p := recover(); p != nil {
			t.log.Error("make a title", "session", job.turn.SessionID, "error", fmt.Errorf("panic: %v", p))
		}
	}()
	if err := t.tryName(ctx, job); err != nil && ctx.Err() == nil {
		t.log.Warn("make a title", "session", job.turn.SessionID, "error", err)
	}
}

func (t *Titler) tryName(ctx context.Context, job titleJob) error {
	model, found := t.model()
	if !found {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, titleTime)
	defer cancel()
	wanted, err := t.store.TitleFromText(ctx, job.turn)
	if err != nil || !wanted {
		return err
	}
	if left, err := t.hasTokens(ctx, job.turn.UserID); err != nil || !left {
		return err
	}
	reply, err := t.ask(ctx, model, job)
	if err != nil {
		return err
	}
	title := cleanTitle(reply)
	if title == "" {
		return nil
	}
	_, err = t.store.SetModelTitle(ctx, job.turn, title)
	return err
}

// ask returns the beginning of the model's reply, and counts its tokens.
func (t *Titler) ask(ctx context.Context, model ai.Offer, job titleJob) (string, error) {
	prompt := &ai.Prompt{
		System:   titleRule,
		Question: "Question:\n" + job.turn.Question + "\n\nReply:\n" + job.reply + "\n\nThe title:",
		TryUntil: t.now(),
	}
	reply, err := ai.Read(ctx, model.Model, prompt, maxTitleReply)
	if err := t.count(ctx, job.turn.UserID, model, reply); err != nil {
		t.log.Error("count usage", "session", job.turn.SessionID, "error", err)
	}
	if reply.IsFull() {
		return reply.Text(), nil
	}
	return reply.Text(), err
}

// excerpt returns the beginning of a text.
func excerpt(text string) string {
	runes := 0
	for i := range text {
		if runes == titleExcerpt {
			return text[:i]
		}
		runes++
	}
	return text
}

// count counts the tokens of a call. A title is not a message.
func (t *Titler) count(ctx context.Context, userID int64, model ai.Offer, reply *ai.Reading) error {
	used := reply.Used()
	t.metrics.Tokens("prompt", reply.Input)
	t.metrics.Tokens("reply", int(used.OutputTokens))
	if used == (parley.Usage{}) {
		return nil
	}
	t.metrics.ModelTokens(model.Name, used.InputTokens, used.OutputTokens)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), titleTime)
	defer cancel()
	return t.store.AddUsage(ctx, userID, store.Spent{
		Model: model.Name, Usage: used, Cost: model.Price.Cost(used), Currency: model.Price.Currency, At: t.now(),
	})
}
