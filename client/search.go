package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"parley"
)

// Search lists a page of the titles, messages and files that contain a text, newest first, or
// of the sessions with them. The zero page is the server's default.
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
	if in.From > 0 {
		query.Set("from", strconv.FormatInt(in.From, 10))
	}
	if in.To > 0 {
		query.Set("to", strconv.FormatInt(in.To, 10))
	}
	if in.After != "" {
		query.Set("after", in.After)
	}
	if in.Grouped {
		query.Set("group", parley.GroupBySessions)
	}
	err = c.do(ctx, http.MethodGet, withPage("/api/search", page, query), nil, &out)
	return out, err
}
