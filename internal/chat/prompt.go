package chat

import (
	"fmt"
	"slices"

	"parley"
	"parley/internal/ai"
	"parley/internal/library"
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
		System: s.SystemPrompt, Question: t.Question, DeepThinking: t.Options.DeepThinking,
		TryUntil: t.Begun.Add(s.RequestTimeout / 2),
	}
	if t.Attempt > 1 || t.Redo { // begun counts from the question, which was asked long ago
		p.TryUntil = s.Now().Add(s.RequestTimeout / 2)
	}
	var sources []parley.Source
	if t.Options.WebSearch && s.Search != nil {
		results, err := s.search(t.ctx, t.Question)
		if err != nil {
			return p, err
		}
		p.Searched = true
		for _, r := range results {
			p.Sources = append(p.Sources, ai.Source{Title: r.Title, URL: r.URL, Text: r.Text})
			sources = append(sources, parley.Source{Title: r.Title, URL: r.URL})
		}
	}
	budget := model.ContextTokens - replyReserve(model.ContextTokens) - p.Tokens()
	material, err := s.material(t, min(budget, model.ContextTokens/2))
	if err != nil {
		return p, fmt.Errorf("read the session's files: %w", err)
	}
	p.Omitted = material.Omitted
	for _, passage := range material.Passages {
		p.Passages = append(p.Passages, ai.Passage{File: passage.Filename, Anchor: passage.Anchor, Text: passage.Text})
	}
	t.know(sources, material.Used())
	if p.History, err = s.history(t, model.ContextTokens-replyReserve(model.ContextTokens)-p.Tokens()); err != nil {
		return p, err
	}
	return p, nil
}

// material chooses from the session's files. Most sessions have none, which was seen
// with the question.
func (s *Service) material(t *turn, budget int) (library.Material, error) {
	if t.NoFiles {
		return library.Material{}, nil
	}
	return s.Library.Material(t.ctx, t.SessionID, t.Question, budget)
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
			question := ai.Message{Role: parley.RoleUser, Content: earlier.Question}
			reply := ai.Message{Role: parley.RoleAssistant, Content: earlier.Reply}
			if budget -= question.Tokens() + reply.Tokens(); budget < 0 {
				break
			}
			history = append(history, reply, question)
		}
		if budget < 0 || len(turns) < historyBatch {
			break
		}
		before -= 2 * historyBatch
	}
	slices.Reverse(history)
	return history, nil
}
