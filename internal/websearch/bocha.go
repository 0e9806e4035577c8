package websearch

import (
	"cmp"
	"context"
)

// bocha is the engine for the Bocha web search API.
type bocha struct{ client *client }

func newBocha(c *client) Engine { return &bocha{client: c} }

func (b *bocha) Search(ctx context.Context, query string) ([]Result, error) {
	query = tidyQuery(query)
	if query == "" {
		return nil, b.client.failure("the query is empty")
	}
	data, err := b.client.post(ctx, map[string]any{"query": query, "summary": true, "count": requestedResults})
	if err != nil {
		return nil, err
	}
	return b.decode(data)
}

// decode decodes a response. A response without web pages has no results. An error with status 200 has no data at all.
func (b *bocha) decode(data []byte) ([]Result, error) {
	var body struct {
		Data *struct {
			WebPages struct {
				Value []struct {
					Name    string `json:"name"`
					URL     string `json:"url"`
					Snippet string `json:"snippet"`
					Summary string `json:"summary"`
				} `json:"value"`
			} `json:"webPages"`
		} `json:"data"`
	}
	if err := b.client.decode(data, &body); err != nil {
		return nil, err
	}
	if body.Data == nil {
		return nil, b.client.unexpected()
	}
	var found []Result
	for _, r := range body.Data.WebPages.Value {
		found = append(found, Result{Title: r.Name, URL: r.URL, Text: cmp.Or(r.Summary, r.Snippet)})
	}
	return best(found), nil
}
