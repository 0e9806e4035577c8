package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

var errNotTold = errors.New("the server does not tell")

// ContextTokens returns how many tokens a prompt and its reply may have, if the server tells: Ollama, llama-server,
// vLLM, and providers with this number in their list of models. It returns 0 otherwise.
func (c *Client) ContextTokens(ctx context.Context) int {
	if c.dialect == DialectOllama {
		return c.ollama().contextTokens(ctx, c.model)
	}
	if tokens := c.listedContext(ctx); tokens != 0 {
		return tokens
	}
	return c.propsContext(ctx)
}

// listedContext returns the context size in the server's list of models.
func (c *Client) listedContext(ctx context.Context) int {
	var list struct {
		Data []struct {
			ID               string `json:"id"`
			MaxModelLen      int    `json:"max_model_len"`      // vLLM
			ContextLength    int    `json:"context_length"`     // OpenRouter, Moonshot
			ContextWindow    int    `json:"context_window"`     // Groq
			MaxContextLength int    `json:"max_context_length"` // Mistral
		} `json:"data"`
	}
	if c.get(ctx, "models", &list) != nil {
		return 0
	}
	for _, model := range list.Data {
		if model.ID == c.model {
			return max(model.MaxModelLen, model.ContextLength, model.ContextWindow, model.MaxContextLength)
		}
	}
	return 0
}

// propsContext returns the context size of a llama-server. Its slots share the context, so the result is for one slot.
func (c *Client) propsContext(ctx context.Context) int {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if c.get(ctx, "../props", &props) != nil {
		return 0
	}
	return props.Settings.Context
}

// get reads the JSON at a path below the base URL.
func (c *Client) get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address(path), nil)
	if err != nil {
		return err
	}
	c.authorize(req)
	return fetchJSON(c.http, req, into)
}

// address returns the address of a path below the base URL.
func (c *Client) address(path string) string {
	address, err := url.Parse(c.url)
	if err != nil {
		return c.url // New has parsed it
	}
	address.Path = strings.TrimSuffix(address.Path, "chat/completions")
	return address.JoinPath(path).String()
}

// ollama returns the Ollama behind the compatible API that the client calls.
func (c *Client) ollama() *Ollama {
	return &Ollama{http: c.http, address: strings.TrimSuffix(c.address(".."), "/")}
}

// fetchJSON sends a request and reads the JSON of its response.
func fetchJSON(client *http.Client, req *http.Request, into any) error {
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errNotTold
	}
	return json.NewDecoder(http.MaxBytesReader(nil, res.Body, maxModels)).Decode(into)
}
