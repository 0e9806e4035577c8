package chat

import (
	"context"
	"strings"
	"unicode"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// CreatePrompt keeps a prompt of a user and returns its id. It returns parley.ErrPromptForAll if it is for all users,
// and the user is not an administrator.
func (s *Service) CreatePrompt(ctx context.Context, user parley.User, in parley.PromptInput) (string, error) {
	name, err := trimPromptName(in.Name)
	if err != nil {
		return "", err
	}
	if err := checkPromptText(in.Text); err != nil {
		return "", err
	}
	if in.Shared && !user.Admin {
		return "", parley.ErrPromptForAll
	}
	p := store.NewPrompt{
		UserID: user.ID, ID: id.New(), Name: name, Text: in.Text, Shared: in.Shared, Now: s.now(),
		MaxPrompts: parley.MaxPrompts,
	}
	return p.ID, s.store.AddPrompt(ctx, p)
}

// UpdatePrompt changes the given fields of a user's own prompt.
func (s *Service) UpdatePrompt(
	ctx context.Context, user parley.User, promptID string, in parley.UpdatePromptInput,
) error {
	if in == (parley.UpdatePromptInput{}) {
		return parley.Invalid("name, text or shared is required")
	}
	change := store.PromptChange{Text: in.Text, Shared: in.Shared}
	if in.Name != nil {
		name, err := trimPromptName(*in.Name)
		if err != nil {
			return err
		}
		change.Name = &name
	}
	if in.Text != nil {
		if err := checkPromptText(*in.Text); err != nil {
			return err
		}
	}
	if in.Shared != nil && *in.Shared && !user.Admin {
		return parley.ErrPromptForAll
	}
	if !id.Valid(promptID) {
		return parley.ErrNoSuchPrompt
	}
	return s.store.UpdatePrompt(ctx, user.ID, promptID, change)
}

// DeletePrompt deletes one of a user's own prompts.
func (s *Service) DeletePrompt(ctx context.Context, userID int64, promptID string) error {
	if !id.Valid(promptID) {
		return parley.ErrNoSuchPrompt
	}
	return s.store.DeletePrompt(ctx, userID, promptID)
}

func trimPromptName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", parley.Invalid("name must not be blank")
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return "", parley.Invalid("name must not contain control characters")
	}
	return name, nil
}

func checkPromptText(text string) error {
	if strings.TrimSpace(text) == "" {
		return parley.Invalid("text must not be blank")
	}
	return nil
}

// Prompts lists the user's own prompts, newest first, and then those that administrators offer to all.
func (s *Service) Prompts(ctx context.Context, userID int64) (*List[parley.Prompt], error) {
	return newList(ctx, s.ownPrompts(userID, nil, s.sharedPrompts(userID, nil, parley.MaxPrompts)))
}

// OwnPrompts lists the user's own prompts, newest first.
func (s *Service) OwnPrompts(ctx context.Context, userID int64) (*List[parley.Prompt], error) {
	return newList(ctx, s.ownPrompts(userID, nil, nil))
}

// ownPrompts returns what reads the user's own prompts after one of them, and then what rest reads.
func (s *Service) ownPrompts(userID int64, after *parley.Prompt, rest reader[parley.Prompt]) reader[parley.Prompt] {
	return func(ctx context.Context) ([]parley.Prompt, int64, reader[parley.Prompt], error) {
		batch, more, err := s.store.Prompts(ctx, userID, after)
		if err == nil && len(batch) == 0 && rest != nil {
			return rest(ctx)
		}
		if err != nil || !more {
			return batch, 0, rest, err
		}
		return batch, 0, s.ownPrompts(userID, &batch[len(batch)-1], rest), nil
	}
}

func (s *Service) sharedPrompts(userID int64, after *parley.Prompt, limit int64) reader[parley.Prompt] {
	return func(ctx context.Context) ([]parley.Prompt, int64, reader[parley.Prompt], error) {
		batch, more, err := s.store.SharedPrompts(ctx, userID, after, limit)
		left := limit - int64(len(batch))
		if err != nil || !more || left <= 0 {
			return batch, 0, nil, err
		}
		return batch, 0, s.sharedPrompts(userID, &batch[len(batch)-1], left), nil
	}
}
