package api

import (
	"context"

	"parley"
)

func (a *API) listUsage(ctx context.Context, in *parley.UsageInput) (parley.UsageOutput, error) {
	return a.usage.List(ctx, identity(ctx).User.ID, *in)
}

func (a *API) listTotalUsage(ctx context.Context, in *parley.TotalUsageInput) (parley.TotalUsageOutput, error) {
	return a.usage.Total(ctx, *in)
}
