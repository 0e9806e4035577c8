package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"parley"
)

// Search lists a page of the titles, messages and files that contain a text, newest first. The
// zero page is the server's default.
func (c *Client) Search(
	ctx context.Context, in parley.Search, page parley.Page,
) (out parley.SearchOutput, err error) {
	query := url.Values{"q": {in.Text}}
	if len(in.In) > 0 {
		query.Set("in", strings.Join(in.In, ","))
	}
	if in.SessionID != "" {
		query.Set("session_id", in.SessionID)
	}
	err = c.do(ctx, http.MethodGet, withPage("/api/search", page, query), nil, &out)
	return out, err
}
