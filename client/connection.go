package client

import (
	"context"
	"net/http"
	"net/url"

	"parley"
)

// ConnectedModels returns all models on offer with their servers, for administrators.
func (c *Client) ConnectedModels(ctx context.Context) (out parley.ModelConnections, err error) {
	err = c.do(ctx, http.MethodGet, "/api/admin/models", nil, &out)
	return out, err
}

// TestModel tries a model server, and a model of it if one is named.
func (c *Client) TestModel(ctx context.Context, in parley.ModelTestInput) (out parley.ModelTestOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/admin/models/test", in, &out)
	return out, err
}

// ConnectModel connects a model: default, basic, enhanced, or one with a name of its own.
func (c *Client) ConnectModel(
	ctx context.Context, name string, in parley.ModelInput,
) (out parley.ModelConnections, err error) {
	err = c.do(ctx, http.MethodPut, "/api/admin/models/"+url.PathEscape(name), in, &out)
	return out, err
}

// DisconnectModel removes a connected model.
func (c *Client) DisconnectModel(ctx context.Context, name string) (out parley.ModelConnections, err error) {
	err = c.do(ctx, http.MethodDelete, "/api/admin/models/"+url.PathEscape(name), nil, &out)
	return out, err
}

// SearchService returns the web-search service, for administrators.
func (c *Client) SearchService(ctx context.Context) (out parley.SearchService, err error) {
	err = c.do(ctx, http.MethodGet, "/api/admin/search", nil, &out)
	return out, err
}

// TestSearchService tries a web-search service.
func (c *Client) TestSearchService(
	ctx context.Context, in parley.SearchServiceInput,
) (out parley.SearchTestOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/admin/search/test", in, &out)
	return out, err
}

// ConnectSearchService connects a web-search service.
func (c *Client) ConnectSearchService(
	ctx context.Context, in parley.SearchServiceInput,
) (out parley.SearchService, err error) {
	err = c.do(ctx, http.MethodPut, "/api/admin/search", in, &out)
	return out, err
}

// DisconnectSearchService removes the connected web-search service.
func (c *Client) DisconnectSearchService(ctx context.Context) (out parley.SearchService, err error) {
	err = c.do(ctx, http.MethodDelete, "/api/admin/search", nil, &out)
	return out, err
}

// EmbeddingsServer returns the embeddings server, for administrators.
func (c *Client) EmbeddingsServer(ctx context.Context) (out parley.EmbeddingsServer, err error) {
	err = c.do(ctx, http.MethodGet, "/api/admin/embeddings", nil, &out)
	return out, err
}

// TestEmbeddingsServer tries an embeddings server.
func (c *Client) TestEmbeddingsServer(
	ctx context.Context, in parley.EmbeddingsInput,
) (out parley.EmbeddingsTestOutput, err error) {
	err = c.do(ctx, http.MethodPost, "/api/admin/embeddings/test", in, &out)
	return out, err
}

// ConnectEmbeddingsServer connects an embeddings server.
func (c *Client) ConnectEmbeddingsServer(
	ctx context.Context, in parley.EmbeddingsInput,
) (out parley.EmbeddingsServer, err error) {
	err = c.do(ctx, http.MethodPut, "/api/admin/embeddings", in, &out)
	return out, err
}

// DisconnectEmbeddingsServer removes the connected embeddings server.
func (c *Client) DisconnectEmbeddingsServer(ctx context.Context) (out parley.EmbeddingsServer, err error) {
	err = c.do(ctx, http.MethodDelete, "/api/admin/embeddings", nil, &out)
	return out, err
}
