package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
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

// Check looks for the model in the server's list of models. Its error is a *Failure: the server can't be
// reached, rejects the key, or fails.
func (c *Client) Check(ctx context.Context) (Listing, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address("models"), nil)
	if err != nil {
		return NoList, unreachable(err, c.secrets)
	}
	c.authorize(req)
	res, err := c.http.Do(req)
	if err != nil {
		return NoList, unreachable(err, c.secrets)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxModels))
	if err != nil {
		return NoList, unreachable(err, c.secrets)
	}
	switch code := res.StatusCode; {
	case code == http.StatusOK:
		return c.find(body), nil
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusTooManyRequests,
		code >= 300 && code < 400, code >= 500:
		return NoList, refusal(res, body, c.secrets, nil)
	}
	return NoList, nil
}

// find looks for the model in a server's list.
func (c *Client) find(list []byte) Listing {
	var models struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(list, &models) != nil || len(models.Data) == 0 {
		return NoList
	}
	for _, model := range models.Data {
		if model.ID == c.model {
			return Listed
		}
	}
	return Unlisted
}
