package client

import (
	"context"
	"net/http"
	"net/url"

	"parley"
)

// CreatePrompt keeps a prompt.
func (c *Client) CreatePrompt(ctx context.Context, in parley.PromptInput) (out parley.PromptOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/prompts", in, &out)
	return out, err
}

// Prompts lists one's own prompts, newest first, and then those that administrators offer to all users.
func (c *Client) Prompts(ctx context.Context) (out parley.PromptsOutput, err error) {
	err = c.do(ctx, http.MethodGet, "/api/prompts", nil, &out)
	return out, err
}

// UpdatePrompt changes the given fields of a prompt.
func (c *Client) UpdatePrompt(ctx context.Context, promptID string, in parley.UpdatePromptInput) error {
	return c.do(ctx, http.MethodPatch, "/api/prompts/"+url.PathEscape(promptID), in, nil)
}

// DeletePrompt deletes a prompt.
func (c *Client) DeletePrompt(ctx context.Context, promptID string) error {
	return c.do(ctx, http.MethodDelete, "/api/prompts/"+url.PathEscape(promptID), nil, nil)
}
