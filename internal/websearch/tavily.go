package websearch

import "context"

// tavily is the engine for the Tavily search API.
type tavily struct{ client *client }

func newTavily(c *client) Engine { return &tavily{client: c} }

func (t *tavily) Search(ctx context.Context, query string) ([]Result, error) {
	query = tidyQuery(query)
	if query == "" {
		return nil, t.client.failure("the query is empty")
	}
	data, err := t.client.post(ctx, map[string]any{"query": query, "max_results": requestedResults})
	if err != nil {
		return nil, err
	}
	return t.decode(data)
}

func (t *tavily) decode(data []byte) ([]Result, error) {
	var body struct {
		Results *[]struct {
			Title   string `json:"title"`
			URL     string `json:"url"`
			Content string `json:"content"`
		} `json:"results"`
	}
	if err := t.client.decode(data, &body); err != nil {
		return nil, err
	}
	if body.Results == nil {
		return nil, t.client.unexpected()
	}
	var found []Result
	for _, r := range *body.Results {
		found = append(found, Result{Title: r.Title, URL: r.URL, Text: r.Content})
	}
	return best(found), nil
}
