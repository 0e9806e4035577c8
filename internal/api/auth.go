package api

import (
	"context"

	"parley/internal/account"
)

type contextKey int

const (
	keyIdentity contextKey = iota
	keyRequest
)

// identity returns the user of a request with the login or the key. Only private operations have one.
func identity(ctx context.Context) *account.Identity {
	return ctx.Value(keyIdentity).(*account.Identity)
}

// userID returns the user of a request.
func userID(ctx context.Context) int64 { return identity(ctx).User.ID }

// caller returns the origin of a request.
func caller(ctx context.Context) account.Caller {
	info := infoOf(ctx)
	return account.Caller{Address: info.address, Client: info.client, RequestID: info.id}
}
