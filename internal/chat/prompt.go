package chat

import (
	"fmt"
	"slices"

	"parley"
	"parley/internal/ai"
)

// replyReserve is how many tokens of a model's context are left free for its reply.
func replyReserve(contextTokens int) int { return min(contextTokens/4, 4096) }

// historyBatch is how many turns of the history are read at a time.
const historyBatch = 50

// prompt puts together what the model is asked: the question; the web's answers where
// wanted; the session's files, up to half of the context; then as much of the history
// as fits, newest first, whole turns only.
func (s *Service) prompt(t *turn, model Model) (ai.Prompt, error) {
	p := ai.Prompt{
		System: s.SystemPrompt, Question: t.question, DeepThinking: t.Options.DeepThinking,
		TryUntil: t.begun.Add(s.RequestTimeout / 2),
	}
	if t.Attempt > 1 || t.Redo { // begun counts from the question, which was asked long ago
		p.TryUntil = s.Now().Add(s.RequestTimeout / 2)
	}
	var sources []parley.Source
	if t.Options.WebSearch && s.Search != nil {
		results, err := s.search(t.ctx, t.question)
		if err != nil {
			return p, err
		}
		p.Searched = true
		for _, r := range results {
			p.Sources = append(p.Sources, ai.Source{Title: r.Title, URL: r.URL, Text: r.Text})
			sources = append(sources, parley.Source{Title: r.Title, URL: r.URL})
		}
	}
	budget := model.ContextTokens - replyReserve(model.ContextTokens) - promptTokens(p)
	material, err := s.Library.Material(t.ctx, t.SessionID, t.question, min(budget, model.ContextTokens/2))
	if err != nil {
		return p, fmt.Errorf("read the session's files: %w", err)
	}
	p.Omitted = material.Omitted
	for _, passage := range material.Passages {
		p.Passages = append(p.Passages, ai.Passage{File: passage.Filename, Anchor: passage.Anchor, Text: passage.Text})
	}
	t.know(sources, material.Used())
	if p.History, err = s.history(t, model.ContextTokens-replyReserve(model.ContextTokens)-promptTokens(p)); err != nil {
		return p, err
	}
	return p, nil
}

// history reads as many of the turns before this one as fit the budget.
func (s *Service) history(t *turn, budget int) ([]ai.Message, error) {
	var history []ai.Message // newest first
	for before := t.Number - 1; before > 2; {
		turns, err := s.Store.TurnsBefore(t.ctx, t.SessionID, before, historyBatch)
		if err != nil {
			return nil, err
		}
		for _, earlier := range turns {
			budget -= ai.Tokens(earlier.Question) + ai.Tokens(earlier.Reply)
			if budget < 0 {
				break
			}
			history = append(history, ai.Message{Role: parley.RoleAssistant, Content: earlier.Reply},
				ai.Message{Role: parley.RoleUser, Content: earlier.Question})
		}
		if budget < 0 || len(turns) < historyBatch {
			break
		}
		before -= 2 * historyBatch
	}
	slices.Reverse(history)
	return history, nil
}

// promptTokens estimates what a prompt takes of the context, history left out. Each
// piece of material comes with some words that name and fence it.
func promptTokens(p ai.Prompt) int {
	const wrapping = 40
	tokens := ai.Tokens(p.System) + ai.Tokens(p.Question) + wrapping
	for _, source := range p.Sources {
		tokens += ai.Tokens(source.Title) + ai.Tokens(source.URL) + ai.Tokens(source.Text) + wrapping
	}
	for _, passage := range p.Passages {
		tokens += ai.Tokens(passage.File) + ai.Tokens(passage.Text) + wrapping
	}
	return tokens
}
