package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// channel is the name of the channel for Notify and Listen.
const channel = "parley"

func (p *postgres) Notify(ctx context.Context, payload string) error {
	_, err := p.pool.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
	return err
}

// Listen opens its own connection, because connections of the pool are shared.
func (p *postgres) Listen(ctx context.Context, missed func(), notified func(string)) error {
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	missed()
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		notified(notification.Payload)
	}
}
