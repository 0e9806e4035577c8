package client

import (
	"context"
	"net/http"
)

// Health returns nil while the server is alive.
func (c *Client) Health(ctx context.Context) error {
	return c.probe(ctx, "/healthz")
}

// Ready returns nil while the server is ready for requests.
func (c *Client) Ready(ctx context.Context) error {
	return c.probe(ctx, "/readyz")
}

func (c *Client) probe(ctx context.Context, path string) error {
	r, err := c.newRequest(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	response, err := open(c.http, r)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
