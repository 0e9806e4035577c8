package client

import (
	"context"
	"net/http"

	"parley"
)

// Settings returns the settings of the server that administrators can change.
func (c *Client) Settings(ctx context.Context) (out parley.SettingsOutput, err error) {
	err = c.do(ctx, http.MethodGet, "/api/admin/settings", nil, &out)
	return out, err
}

// UpdateSettings changes the given settings and returns all of them. A retention that deletes sessions is refused until
// it is confirmed. See Error.AgedSessions.
func (c *Client) UpdateSettings(ctx context.Context, in parley.SettingsInput) (out parley.SettingsOutput, err error) {
	err = c.do(ctx, http.MethodPatch, "/api/admin/settings", in, &out)
	return out, err
}
