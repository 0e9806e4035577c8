package websearch

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// maxBraveWords is Brave's limit on the words of a query.
const maxBraveWords = 50

// brave is the engine for the Brave Search API.
type brave struct{ client *client }

func newBrave(c *client) Engine { return &brave{client: c} }

func (b *brave) Search(ctx context.Context, query string) ([]Result, error) {
	words := strings.Fields(tidyQuery(query))
	if len(words) == 0 {
		return nil, b.client.failure("the query is empty")
	}
	parameters := map[string]string{
		"q":                strings.Join(words[:min(len(words), maxBraveWords)], " "),
		"count":            strconv.Itoa(requestedResults),
		"text_decorations": "false",
	}
	data, err := b.client.get(ctx, parameters, http.Header{"X-Subscription-Token": {b.client.key}})
	if err != nil {
		return nil, err
	}
	return b.decode(data)
}

// decode decodes a response. Brave leaves out the web results if there are none, but still sends the type.
func (b *brave) decode(data []byte) ([]Result, error) {
	var body struct {
		Type string `json:"type"`
		Web  *struct {
			Results []struct {
				Title       string `json:"title"`
				URL         string `json:"url"`
				Description string `json:"description"`
			} `json:"results"`
		} `json:"web"`
	}
	if err := b.client.decode(data, &body); err != nil {
		return nil, err
	}
	if body.Web == nil {
		if body.Type != "search" {
			return nil, b.client.unexpected()
		}
		return nil, nil
	}
	var found []Result
	for _, r := range body.Web.Results {
		found = append(found, Result{Title: r.Title, URL: r.URL, Text: r.Description})
	}
	return best(found), nil
}
