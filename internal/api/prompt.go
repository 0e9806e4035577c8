package api

import (
	"context"

	"parley"
)

// PromptPath is a path with the id of a prompt.
type PromptPath struct {
	PromptID string `path:"prompt_id" doc:"The prompt." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f17"`
}

func (a *API) createPrompt(ctx context.Context, in *body[parley.PromptInput]) (parley.PromptOutput, error) {
	id, err := a.chat.CreatePrompt(ctx, identity(ctx).User, in.Body)
	if err != nil {
		return parley.PromptOutput{}, err
	}
	return parley.PromptOutput{PromptID: id}, nil
}

func (a *API) listPrompts(ctx context.Context, _ *none) (pieces, error) {
	list, err := a.chat.Prompts(ctx, userID(ctx))
	if err != nil {
		return pieces{}, err
	}
	return jsonList(list, "prompts", func(part []parley.Prompt) any {
		return newEnvelope(parley.PromptsOutput{Prompts: part})
	}), nil
}

func (a *API) updatePrompt(ctx context.Context, in *struct {
	PromptPath
	Body parley.UpdatePromptInput
},
) (parley.Done, error) {
	return parley.Done{}, a.chat.UpdatePrompt(ctx, identity(ctx).User, in.PromptID, in.Body)
}

func (a *API) deletePrompt(ctx context.Context, in *PromptPath) (parley.Done, error) {
	return parley.Done{}, a.chat.DeletePrompt(ctx, userID(ctx), in.PromptID)
}
