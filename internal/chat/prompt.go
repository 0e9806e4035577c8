package chat

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/turn"
	"parley/internal/library"
	"parley/internal/metrics"
	"parley/internal/store"
	"parley/internal/websearch"
)

// historyBatch is how many turns of the history are read at a time.
const historyBatch = 50

// PrompterConfig configures a Prompter.
type PrompterConfig struct {
	Store   *store.Store
	Library *library.Library
	// Metrics may be nil.
	Metrics *metrics.Metrics
	Models  Models
	// Search is the web-search engine, or nil.
	Search websearch.Engine
	// SystemPrompt is the beginning of every prompt. It may be empty.
	SystemPrompt string
	// FenceKey must be random.
	FenceKey ai.FenceKey
	// RequestTimeout is how long a request may take. Models are tried within half of it, and a web search takes at
	// most a third.
	RequestTimeout time.Duration
	Now            func() time.Time
}

// Prompter builds the prompts of turns.
type Prompter struct {
	store          *store.Store
	library        *library.Library
	metrics        *metrics.Metrics
	models         Models
	search         websearch.Engine
	systemPrompt   string
	fenceKey       ai.FenceKey
	requestTimeout time.Duration
	now            func() time.Time
}

// NewPrompter returns a Prompter.
func NewPrompter(config PrompterConfig) *Prompter {
	p := &Prompter{
		store:          config.Store,
		library:        config.Library,
		metrics:        config.Metrics,
		models:         config.Models,
		search:         config.Search,
		systemPrompt:   config.SystemPrompt,
		fenceKey:       config.FenceKey,
		requestTimeout: config.RequestTimeout,
		now:            config.Now,
	}
	if p.metrics == nil {
		p.metrics = metrics.New()
	}
	return p
}

// Prepare builds the prompt of a turn: the question, the instructions of its user and session, the results of a web
// search if requested, passages of the session's files up to half of the context, and as many of the latest turns as
// fit.
func (p *Prompter) Prepare(ctx context.Context, t store.Turn) (turn.Request, error) {
	model, err := p.models.find(t.Options.Model)
	if err != nil {
		model = p.models[0] // the setting has changed since the question was sent
	}
	request := turn.Request{Model: model.Model, Name: model.Name, Price: model.Price, Prompt: ai.Prompt{
		System:       p.systemPrompt,
		FenceKey:     p.fenceKey,
		Question:     t.Question,
		DeepThinking: t.Options.DeepThinking,
		TryUntil:     p.tryUntil(t),
	}}
	if !t.NoInstructions {
		session, err := p.store.Session(ctx, t.UserID, t.SessionID)
		if err != nil {
			return request, fmt.Errorf("read the instructions: %w", err)
		}
		request.Prompt.UserInstructions = session.UserInstructions
		request.Prompt.SessionInstructions = session.Instructions
	}
	if t.Continue {
		request.Prompt.Partial = lastTokens(t.Earlier().Text, model.promptTokens()/2)
	}
	if t.Options.WebSearch && p.search != nil {
		if err := p.addSources(ctx, &request); err != nil {
			return request, err
		}
	}
	shorter := model
	shorter.ContextTokens /= 2
	request.Shorten = func(ctx context.Context) (turn.Request, error) {
		request := request // without what is added below
		request.Shorten = nil
		return p.fill(ctx, t, shorter, request)
	}
	return p.fill(ctx, t, model, request)
}

// fill adds passages and history to a request, as far as the model's context has room.
func (p *Prompter) fill(
	ctx context.Context, t store.Turn, model Model, request turn.Request,
) (turn.Request, error) {
	room, tokens := model.promptTokens(), request.Prompt.Tokens()
	if !t.NoFiles {
		if err := p.addPassages(ctx, t, &request, min(room-tokens, model.ContextTokens/2)); err != nil {
			return request, fmt.Errorf("read the session's files: %w", err)
		}
		tokens = request.Prompt.Tokens()
	}
	history, taken, err := p.history(ctx, t, room-tokens)
	if err != nil {
		return request, err
	}
	request.Prompt.History, request.Tokens = history, tokens+taken
	p.metrics.Tokens("prompt", request.Tokens)
	return request, nil
}

// tryUntil returns the latest time at which the model may be tried again.
func (p *Prompter) tryUntil(t store.Turn) time.Time {
	if t.Attempt > 1 || t.Reopened() { // Begun is the time of the question, which may be long ago
		return p.now().Add(p.requestTimeout / 2)
	}
	return t.Begun.Add(p.requestTimeout / 2)
}

// addSources adds the results of a web search.
func (p *Prompter) addSources(ctx context.Context, request *turn.Request) error {
	ctx, cancel := context.WithTimeout(ctx, p.requestTimeout/3)
	defer cancel()
	results, err := p.search.Search(ctx, request.Prompt.Question)
	if err != nil {
		return parley.ErrSearchUnavailable.WithCause(err)
	}
	request.Prompt.Searched = true
	for _, r := range results {
		request.Prompt.Sources = append(request.Prompt.Sources, ai.Source{Title: r.Title, URL: r.URL, Text: r.Text})
		request.Sources = append(request.Sources, parley.Source{Title: r.Title, URL: r.URL})
	}
	return nil
}

// addPassages adds the passages of the session's files that fit the question and the budget.
func (p *Prompter) addPassages(ctx context.Context, t store.Turn, request *turn.Request, budget int) error {
	material, err := p.library.Material(ctx, t.UserID, t.SessionID, t.Question, budget)
	if err != nil {
		return err
	}
	request.Prompt.Omitted = material.Omitted
	for _, passage := range material.Passages {
		request.Prompt.Passages = append(request.Prompt.Passages, ai.Passage{
			File: passage.Filename, Anchor: passage.Anchor, Text: passage.WithHeader(), Notes: passage.Notes,
		})
	}
	request.Files = material.Used()
	return nil
}

// history reads as many of the turns before this one as fit the budget, and returns how many tokens they take.
func (p *Prompter) history(
	ctx context.Context, t store.Turn, budget int,
) (history []ai.Message, tokens int, err error) {
	for question := t.Number - 1; question > 1; question -= 2 * historyBatch {
		turns, err := p.store.History(ctx, t.UserID, t.SessionID, question, historyBatch)
		if err != nil {
			return nil, 0, err
		}
		fitting, taken := takeLatest(turns, budget-tokens)
		history = append(history, fitting...)
		tokens += taken
		if len(fitting) < 2*historyBatch {
			break
		}
	}
	slices.Reverse(history)
	return history, tokens, nil
}

// lastTokens returns the end of a text, of about the given number of tokens at most.
func lastTokens(text string, limit int) string {
	runes := []rune(text)
	for len(runes) > 0 && ai.Tokens(string(runes)) > limit {
		runes = runes[(len(runes)+1)/2:]
	}
	return string(runes)
}

// takeLatest returns the messages of the first turns that fit the budget, newest first, and how many tokens they take.
func takeLatest(turns []store.HistoryTurn, budget int) (messages []ai.Message, tokens int) {
	for _, turn := range turns {
		question := ai.Message{Role: parley.RoleUser, Content: turn.Question}
		reply := ai.Message{Role: parley.RoleAssistant, Content: turn.Reply}
		both := question.Tokens() + reply.Tokens()
		if tokens+both > budget {
			break
		}
		tokens += both
		messages = append(messages, reply, question)
	}
	return messages, tokens
}
