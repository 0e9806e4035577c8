package chat

import (
	"fmt"
	"slices"

	"parley"
	"parley/internal/ai"
	"parley/internal/library"
	"parley/internal/store"
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
	room, tokens := model.ContextTokens-replyReserve(model.ContextTokens), p.Tokens()
	material, err := s.material(t, min(room-tokens, model.ContextTokens/2))
	if err != nil {
		return p, fmt.Errorf("read the session's files: %w", err)
	}
	p.Omitted = material.Omitted
	for _, passage := range material.Passages {
		p.Passages = append(p.Passages, ai.Passage{File: passage.Filename, Anchor: passage.Anchor, Text: passage.Text})
	}
	t.know(sources, material.Used())
	if p.Omitted || len(p.Passages) > 0 {
		tokens = p.Tokens()
	}
	history, taken, err := s.history(t, room-tokens)
	if err != nil {
		return p, err
	}
	p.History = history
	s.Metrics.Tokens("prompt", tokens+taken)
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

// history reads as many of the turns before this one as fit the budget, and says how
// much of it they take.
func (s *Service) history(t *turn, budget int) (history []ai.Message, tokens int, err error) {
	for question := t.Number - 1; question > 1; question -= 2 * historyBatch {
		turns, err := s.Store.TurnsBefore(t.ctx, t.SessionID, question, historyBatch)
		if err != nil {
			return nil, 0, err
		}
		fitting, taken := latest(turns, budget-tokens)
		history = append(history, fitting...)
		tokens += taken
		if len(fitting) < 2*historyBatch {
			break
		}
	}
	slices.Reverse(history)
	return history, tokens, nil
}

// latest are the messages of the turns that fit the budget, newest first as they come,
// and what they take of it.
func latest(turns []store.Turn, budget int) (messages []ai.Message, tokens int) {
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
