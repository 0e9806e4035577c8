package websearch

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// braveWords is how many words a query to Brave may have.
const braveWords = 50

// brave asks the Brave Search API.
type brave struct{ client *client }

func newBrave(c *client) Engine { return &brave{client: c} }

func (b *brave) Search(ctx context.Context, query string) ([]Result, error) {
	words := strings.Fields(tidyQuery(query))
	if len(words) == 0 {
		return nil, b.client.failure("the query is empty")
	}
	parameters := map[string]string{
		"q":                strings.Join(words[:min(len(words), braveWords)], " "),
		"count":            strconv.Itoa(askedFor),
		"text_decorations": "false",
	}
	answer, err := b.client.get(ctx, parameters, http.Header{"X-Subscription-Token": {b.client.key}})
	if err != nil {
		return nil, err
	}
	return b.decode(answer)
}

// decode takes an answer without web results for what it is where it says that it is
// the answer of a search: Brave leaves the part out when nothing was found.
func (b *brave) decode(answer []byte) ([]Result, error) {
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
	if err := b.client.decode(answer, &body); err != nil {
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
