package api

import (
	"context"

	"parley"
)

func (a *API) listAudit(ctx context.Context, in *parley.AuditInput) (parley.AuditOutput, error) {
	return a.accounts.AuditLog(ctx, *in)
}
