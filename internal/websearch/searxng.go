package websearch

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// searxng is the engine for SearXNG instances. Their JSON output has to be enabled.
type searxng struct{ client *client }

func newSearXNG(c *client) Engine { return &searxng{client: c} }

func (s *searxng) Search(ctx context.Context, query string) ([]Result, error) {
	query = withoutBangs(tidyQuery(query))
	if query == "" {
		return nil, s.client.failure("the query is empty")
	}
	data, err := s.client.get(ctx, map[string]string{"q": query, "format": "json"}, nil)
	var refused *statusError
	if errors.As(err, &refused) && refused.status == http.StatusForbidden {
		return nil, s.client.failure("JSON output is off on this SearXNG: enable 'json' under search.formats")
	}
	if err != nil {
		return nil, err
	}
	return s.decode(data)
}

func (s *searxng) decode(data []byte) ([]Result, error) {
	var body struct {
		Results *[]struct {
			Title   string `json:"title"`
			URL     string `json:"url"`
			Content string `json:"content"`
		} `json:"results"`
	}
	if err := s.client.decode(data, &body); err != nil {
		return nil, err
	}
	if body.Results == nil {
		return nil, s.client.unexpected()
	}
	var found []Result
	for _, r := range *body.Results {
		found = append(found, Result{Title: r.Title, URL: r.URL, Text: r.Content})
	}
	return best(found), nil
}

// withoutBangs removes exclamation marks at the beginning of words. SearXNG treats such words as commands that select
// other engines or redirect to other sites.
func withoutBangs(query string) string {
	words := strings.Fields(query)
	for i, word := range words {
		words[i] = strings.TrimLeft(word, "!")
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}
