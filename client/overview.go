package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"parley"
)

// The operations in this file are for administrators. To others their paths do not exist.

// AuditLog returns a part of the audit log, newest first. Zero values of in select everything.
func (c *Client) AuditLog(ctx context.Context, in parley.AuditInput) (out parley.AuditOutput, err error) {
	query := url.Values{}
	for name, value := range map[string]string{"event": in.Event, "address": in.Address, "before": in.Before} {
		if value != "" {
			query.Set(name, value)
		}
	}
	setNumbers(query, map[string]int64{"user_id": in.UserID, "from": in.From, "to": in.To, "limit": in.Limit})
	err = c.do(ctx, http.MethodGet, withPage("/api/admin/audit", parley.Page{}, query), nil, &out)
	return out, err
}

// TotalUsage returns the usage of all users. Zero values of in select the defaults.
func (c *Client) TotalUsage(ctx context.Context, in parley.TotalUsageInput) (out parley.TotalUsageOutput, err error) {
	query := url.Values{}
	setNumbers(query, map[string]int64{"from": in.From, "to": in.To})
	if in.By != "" {
		query.Set("by", in.By)
	}
	err = c.do(ctx, http.MethodGet, withPage("/api/admin/usage", parley.Page{}, query), nil, &out)
	return out, err
}

// Overview returns the state of the server.
func (c *Client) Overview(ctx context.Context) (out parley.Overview, err error) {
	err = c.do(ctx, http.MethodGet, "/api/admin/overview", nil, &out)
	return out, err
}

// setNumbers adds numbers to a query, except zeros.
func setNumbers(query url.Values, numbers map[string]int64) {
	for name, number := range numbers {
		if number != 0 {
			query.Set(name, strconv.FormatInt(number, 10))
		}
	}
}
