package connect

import (
	"context"

	"parley"
)

// SearchService reads the stored connections and returns the web-search service.
func (c *Connections) SearchService(ctx context.Context) (parley.SearchService, error) {
	if err := c.Load(ctx); err != nil {
		return parley.SearchService{}, err
	}
	now := c.current.Load()
	shown := parley.SearchService{
		Connection: c.connection(now, searchName, now.settings.Search.APIKey != ""),
		Provider:   now.settings.Search.Provider, URL: now.settings.Search.URL.String(),
	}
	if known, stored := now.known[searchName]; stored { // also without its key
		shown.Provider, shown.URL = known.Provider, known.Address
	}
	return shown, nil
}

// ConnectSearch stores the web-search service, and uses it from now on. It reports whether anything has changed.
func (c *Connections) ConnectSearch(ctx context.Context, in parley.SearchServiceInput) (bool, error) {
	r := record{Provider: in.Provider, Address: in.URL}
	return c.put(ctx, searchName, r, in.APIKey, func(read connected) error {
		_, err := read.search(c.settings.Search)
		return err
	})
}

// DisconnectSearch removes the stored web-search service. It reports whether there was one.
func (c *Connections) DisconnectSearch(ctx context.Context) (bool, error) {
	return c.remove(ctx, searchName)
}

// EmbeddingsServer reads the stored connections and returns the embeddings server.
func (c *Connections) EmbeddingsServer(ctx context.Context) (parley.EmbeddingsServer, error) {
	if err := c.Load(ctx); err != nil {
		return parley.EmbeddingsServer{}, err
	}
	now := c.current.Load()
	return parley.EmbeddingsServer{
		Connection: c.connection(now, embeddingsName, now.settings.Embed.APIKey != ""),
		BaseURL:    now.settings.Embed.BaseURL.String(), Model: now.settings.Embed.Model,
	}, nil
}

// ConnectEmbeddings stores the embeddings server, and uses it from now on. It reports whether anything has changed.
func (c *Connections) ConnectEmbeddings(ctx context.Context, in parley.EmbeddingsInput) (bool, error) {
	r := record{Address: in.BaseURL, Model: in.Model}
	return c.put(ctx, embeddingsName, r, in.APIKey, func(read connected) error {
		_, err := read.embed()
		return err
	})
}

// DisconnectEmbeddings removes the stored embeddings server. It reports whether there was one.
func (c *Connections) DisconnectEmbeddings(ctx context.Context) (bool, error) {
	return c.remove(ctx, embeddingsName)
}
