package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxModels limits how much of a server's list of models is read, in bytes.
const maxModels = 4 << 20

// Listing is the result of looking for a model in its server's list.
type Listing int

// The results of Check.
const (
	Unlisted Listing = iota // the server has a list without the model
	Listed                  // the server lists the model
	NoList                  // the server has no list
)

// Check looks for the model in the server's list of models. Its error is that of Reply: the server can't be
// reached, rejects the key, or fails.
func (c *Client) Check(ctx context.Context) (Listing, error) {
	names, err := c.list(ctx)
	switch {
	case err != nil || len(names) == 0:
		return NoList, withReason(err)
	case slices.ContainsFunc(names, c.isNamed):
		return Listed, nil
	}
	return Unlisted, nil
}

// Limits of List.
const (
	maxListed     = 1000
	maxListedName = 200 // in bytes
)

// List returns the names of the server's models in alphabetical order. Long names, and those beyond the first 1,000,
// are left out. Some servers have no list. Its error is that of Check.
func (c *Client) List(ctx context.Context) ([]string, error) {
	names, err := c.list(ctx)
	if err != nil {
		return nil, withReason(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" || len(name) > maxListedName })
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxListed)], nil
}

// list returns the names in the server's list of models, or nothing if it has none.
func (c *Client) list(ctx context.Context) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address("models"), nil)
	if err != nil {
		return nil, unreachable(err, c.secrets)
	}
	c.authorize(req)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(err, c.secrets)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxModels))
	if err != nil {
		return nil, unreachable(err, c.secrets)
	}
	switch code := res.StatusCode; {
	case code == http.StatusOK:
		return readNames(body), nil
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusTooManyRequests,
		code >= 300 && code < 400, code >= 500:
		return nil, refusal(res, body, c.secrets, nil)
	}
	return nil, nil
}

// readNames returns the names in a list of models.
func readNames(list []byte) []string {
	var models struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(list, &models) != nil {
		return nil
	}
	names := make([]string, len(models.Data))
	for i, model := range models.Data {
		names[i] = model.ID
	}
	return names
}

// isNamed reports whether an entry of a list is the model: Ollama lists qwen3 as qwen3:latest, and Gemini puts models/
// before its names.
func (c *Client) isNamed(entry string) bool {
	return strings.TrimSuffix(entry, ":latest") == strings.TrimSuffix(c.model, ":latest") ||
		entry == "models/"+c.model
}
