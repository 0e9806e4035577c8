// Package prompt gathers what a model is asked: the question of a turn with its instructions, files, pictures, web
// pages and history. It also lets a model read scanned pages.
package prompt

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
	"parley/internal/tracing"
	"parley/internal/webpage"
	"parley/internal/websearch"
)

// historyBatch is how many turns of the history are read at a time.
const historyBatch = 50

// Config configures a Builder.
type Config struct {
	Store   *store.Store
	Library *library.Library
	// Metrics may be nil.
	Metrics *metrics.Metrics
	// Models returns the models on offer now.
	Models func() ai.Offers
	// Search returns the web-search engine, or nil if there is none now. It may be nil.
	Search func() websearch.Engine
	// Pages reads the pages behind the results of Search. If it is nil, there are only snippets.
	Pages *webpage.Reader
	// Tracer may be nil.
	Tracer *tracing.Tracer
	// Settings returns the current settings. If it is nil, they are the defaults.
	Settings func() parley.Settings
	// FenceKey must be random.
	FenceKey ai.FenceKey
	// RequestTimeout is how long a request may take. Models are tried within half of it, and a web search takes at
	// most a third, with the reading of pages.
	RequestTimeout time.Duration
	Now            func() time.Time
}

// Builder builds the prompts of turns.
type Builder struct {
	store          *store.Store
	library        *library.Library
	metrics        *metrics.Metrics
	models         func() ai.Offers
	search         func() websearch.Engine
	pages          *webpage.Reader
	tracer         *tracing.Tracer
	settings       func() parley.Settings
	fenceKey       ai.FenceKey
	requestTimeout time.Duration
	now            func() time.Time
}

// New returns a Builder.
func New(config Config) *Builder {
	b := &Builder{
		store:          config.Store,
		library:        config.Library,
		metrics:        config.Metrics,
		models:         config.Models,
		search:         config.Search,
		pages:          config.Pages,
		tracer:         config.Tracer,
		settings:       config.Settings,
		fenceKey:       config.FenceKey,
		requestTimeout: config.RequestTimeout,
		now:            config.Now,
	}
	if b.metrics == nil {
		b.metrics = metrics.New()
	}
	if b.search == nil {
		b.search = func() websearch.Engine { return nil }
	}
	if b.settings == nil {
		b.settings = parley.DefaultSettings
	}
	return b
}

// Prepare builds the prompt of a turn: the question, the instructions of its user and session, the results of a web
// search if requested, passages of the session's files up to half of the context, and as many of the latest turns as
// fit.
func (b *Builder) Prepare(ctx context.Context, t *store.Turn) (*turn.Request, error) {
	models := b.models()
	model, known := models.Find(t.Options.Model)
	if !known {
		model = models[0] // the setting has changed since the question was sent
	}
	request := turn.Request{Model: model.Model, Name: model.Name, Price: model.Price, Prompt: ai.Prompt{
		System:       b.settings().Instructions,
		FenceKey:     b.fenceKey,
		Question:     t.Question,
		DeepThinking: t.Options.DeepThinking,
		TryUntil:     b.tryUntil(t),
	}}
	if !t.NoInstructions {
		session, err := b.store.Session(ctx, t.UserID, t.SessionID)
		if err != nil {
			return nil, fmt.Errorf("read the instructions: %w", err)
		}
		request.Prompt.UserInstructions = session.UserInstructions
		request.Prompt.SessionInstructions = session.Instructions
	}
	if t.Continue {
		request.Prompt.Partial = lastTokens(t.Earlier().Text, model.PromptTokens()/2)
	}
	var found []foundPage
	if engine := b.search(); t.Options.WebSearch && engine != nil {
		var err error
		if found, err = b.searchWeb(ctx, engine, t); err != nil {
			return nil, err
		}
		request.Prompt.Searched = true
	}
	filled, err := b.fill(ctx, t, model, request, found)
	if err != nil {
		return nil, err
	}
	// The server may count more tokens than we do, so half of what was sent, and not only half of the context.
	shorter := model
	shorter.ContextTokens = min(model.ContextTokens/2, filled.Tokens*2/3)
	filled.Shorten = func(ctx context.Context) (*turn.Request, error) { return b.fill(ctx, t, shorter, request, found) }
	return filled, nil
}

// fill adds web pages, passages and history to a request, as far as the model's context has room.
func (b *Builder) fill(
	ctx context.Context, t *store.Turn, model ai.Offer, request turn.Request, found []foundPage,
) (*turn.Request, error) {
	addSources(&request, found, model)
	request.CheckQuotes = b.newQuoteCheck(t, request.Prompt.Sources).missing
	pictures, err := b.findPictures(ctx, t, model)
	if err != nil {
		return nil, fmt.Errorf("find the pictures: %w", err)
	}
	request.Prompt.Unseen = pictures.unseen()
	room, tokens := model.PromptTokens(), request.Prompt.Tokens()
	if request.Prompt.Images, err = pictures.take(ctx, pictures.asked, (room-tokens)/2); err != nil {
		return nil, err
	}
	tokens += len(request.Prompt.Images) * ai.ImageTokens
	latest, err := b.turnsBefore(ctx, t, t.Number-1)
	if err != nil {
		return nil, err
	}
	if !t.NoFiles {
		if err := b.addPassages(ctx, t, latest, &request, min(room-tokens, model.ContextTokens/2)); err != nil {
			return nil, fmt.Errorf("read the session's files: %w", err)
		}
		tokens = request.Prompt.Tokens()
	}
	history, taken, err := b.history(ctx, t, latest, pictures, room-tokens)
	if err != nil {
		return nil, err
	}
	request.Prompt.History, request.Tokens = history, tokens+taken
	request.Prompt.Unseen = pictures.unseen()
	b.metrics.Tokens("prompt", request.Tokens)
	return &request, nil
}

// tryUntil returns the latest time at which the model may be tried again.
func (b *Builder) tryUntil(t *store.Turn) time.Time {
	if t.Attempt > 1 || t.Reopened() { // Begun is the time of the question, which may be long ago
		return b.now().Add(b.requestTimeout / 2)
	}
	return t.Begun.Add(b.requestTimeout / 2)
}

// searchWeb searches the web for the question and reads the best pages.
func (b *Builder) searchWeb(ctx context.Context, engine websearch.Engine, t *store.Turn) ([]foundPage, error) {
	ctx, cancel := context.WithTimeout(ctx, b.requestTimeout/3)
	defer cancel()
	searching, span := b.tracer.Call(ctx, "search")
	results, err := engine.Search(searching, t.Question)
	span.End(err)
	if err != nil {
		return nil, parley.ErrSearchUnavailable.WithCause(err)
	}
	found := make([]foundPage, len(results))
	for i, result := range results {
		found[i].Result = result
	}
	if b.pages != nil && len(found) > 0 {
		b.readPages(ctx, t.UserID, found)
	}
	return found, nil
}

// readPages reads the best pages until ctx ends.
func (b *Builder) readPages(ctx context.Context, userID int64, found []foundPage) {
	ctx, span := b.tracer.Call(ctx, "pages")
	addresses := make([]string, len(found))
	for i, page := range found {
		addresses[i] = page.URL
	}
	read := 0
	for i, text := range b.pages.Read(ctx, userID, addresses) {
		if found[i].text = text; text != "" {
			read++
		}
	}
	span.Number("parley.pages_read", int64(read))
	span.End(nil)
}

// addPassages adds the passages of the session's files that fit the question and the budget. The question may refer
// to the latest of the turns before it.
func (b *Builder) addPassages(
	ctx context.Context, t *store.Turn, before []store.HistoryTurn, request *turn.Request, budget int,
) error {
	question := library.Question{Text: t.Question}
	if len(before) > 0 {
		question.Before = library.Turn{Question: before[0].Question, Reply: before[0].Reply}
	}
	material, err := b.library.Material(ctx, t.UserID, t.SessionID, question, budget)
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

// history returns as many of the turns before this one as fit the budget, and how many tokens they take. The latest
// of them were read before.
func (b *Builder) history(
	ctx context.Context, t *store.Turn, latest []store.HistoryTurn, pictures *pictures, budget int,
) (history []ai.Message, tokens int, err error) {
	turns := latest
	for question := t.Number - 1; ; {
		fitting, taken, err := takeLatest(ctx, turns, pictures, budget-tokens)
		if err != nil {
			return nil, 0, err
		}
		history = append(history, fitting...)
		tokens += taken
		if len(fitting) < 2*historyBatch {
			break
		}
		question -= 2 * historyBatch
		if turns, err = b.turnsBefore(ctx, t, question); err != nil {
			return nil, 0, err
		}
	}
	slices.Reverse(history)
	return history, tokens, nil
}

// turnsBefore reads the turns before the question with the given number, latest first.
func (b *Builder) turnsBefore(ctx context.Context, t *store.Turn, question int64) ([]store.HistoryTurn, error) {
	if question <= 1 {
		return nil, nil
	}
	return b.store.History(ctx, t, question, historyBatch)
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
// Pictures that do not fit are left out of a turn.
func takeLatest(
	ctx context.Context, turns []store.HistoryTurn, pictures *pictures, budget int,
) (messages []ai.Message, tokens int, err error) {
	for _, turn := range turns {
		question := ai.Message{Role: parley.RoleUser, Content: turn.Question}
		reply := ai.Message{Role: parley.RoleAssistant, Content: turn.Reply}
		both := question.Tokens() + reply.Tokens()
		if tokens+both > budget {
			break
		}
		if question.Images, err = pictures.take(ctx, turn.Images, budget-tokens-both); err != nil {
			return nil, 0, err
		}
		tokens += both + len(question.Images)*ai.ImageTokens
		messages = append(messages, reply, question)
	}
	return messages, tokens, nil
}
