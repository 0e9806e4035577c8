package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// channel is the name of the channel for Notify and Listen.
	channel = "parley"
	// listenPing is how often the connection that listens is checked. It receives nothing for
	// long times, so it would not notice that the server is gone.
	listenPing = 10 * time.Second
	// listenTimeout bounds the other work on that connection.
	listenTimeout = 5 * time.Second
	// notifyTimeout bounds a notification. It only saves time, so it is not worth waiting for.
	notifyTimeout = 5 * time.Second
)

func (p *postgres) Notify(ctx context.Context, payload string) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	_, err := p.pool.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
	return err
}

// Listen opens its own connection, because connections of the pool are shared.
func (p *postgres) Listen(ctx context.Context, missed func(), notified func(string)) error {
	conn, err := pgx.ConnectConfig(ctx, p.config)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	defer within(context.WithoutCancel(ctx), listenTimeout, conn.Close) //nolint:errcheck // nothing was written
	err = within(ctx, listenTimeout, func(ctx context.Context) error {
		_, err := conn.Exec(ctx, `LISTEN `+channel)
		return err
	})
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	missed()
	for {
		notification, err := p.nextNotification(ctx, conn)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		notified(notification.Payload)
	}
}

// nextNotification waits for a notification. It checks the connection at each interval.
func (p *postgres) nextNotification(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	for {
		var notification *pgconn.Notification
		err := within(ctx, p.pingInterval, func(ctx context.Context) (err error) {
			notification, err = conn.WaitForNotification(ctx)
			return err
		})
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return notification, err
		}
		if err := within(ctx, listenTimeout, conn.Ping); err != nil {
			return nil, err
		}
	}
}

// within runs do with a timeout.
func within(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return do(ctx)
}
