package ai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxModels bounds how much of a server's list of models is read.
const maxModels = 4 << 20

// Standing is what a model server says about a model without being asked for a reply.
type Standing int

// How a model stands at a server that answers.
const (
	Unlisted Standing = iota // the server lists its models, and not this one
	Listed                   // it has this one
	Unsaid                   // it has no list
)

// Check asks the server for its list of models, which costs nothing, and says how the
// model stands. Its error is a *Failure: the server can't be reached, refuses the key,
// or is out of order.
func (o *OpenAI) Check(ctx context.Context) (Standing, error) {
	address, err := url.Parse(o.url)
	if err != nil {
		return Unsaid, unreachable(err, o.key)
	}
	address.Path = strings.TrimSuffix(address.Path, "chat/completions") + "models"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return Unsaid, unreachable(err, o.key)
	}
	if o.key != "" {
		request.Header.Set("Authorization", "Bearer "+o.key)
	}
	response, err := o.client.Do(request)
	if err != nil {
		return Unsaid, unreachable(err, o.key)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxModels))
	if err != nil {
		return Unsaid, unreachable(err, o.key)
	}
	switch code := response.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusTooManyRequests, code >= 300 && code < 400, code >= 500:
		return Unsaid, refusal(response, body, o.key, nil)
	case code != http.StatusOK:
		return Unsaid, nil
	}
	return o.listed(body), nil
}

// listed looks for the model in a server's list.
func (o *OpenAI) listed(body []byte) Standing {
	var models struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &models) != nil || len(models.Data) == 0 {
		return Unsaid
	}
	for _, model := range models.Data {
		if model.ID == o.model {
			return Listed
		}
	}
	return Unlisted
}
