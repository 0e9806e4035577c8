package api

import (
	"context"

	"parley"
)

func (a *API) getOverview(ctx context.Context, _ *none) (parley.Overview, error) {
	return a.overview.Get(ctx)
}
