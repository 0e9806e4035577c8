package db

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// connectTimeout is how long opening a connection may take, unless the URL has a connect_timeout.
	connectTimeout = 10 * time.Second
	// silence is how long a peer may leave data or probes unacknowledged. Without it a connection to a vanished host stays
	// open for a quarter of an hour.
	silence = 10 * time.Second
	// keepalive is how often an idle connection is probed.
	keepalive = 5 * time.Second
	// idleInTransaction is the name of the setting that ends transactions of silent clients. Their locks would stop other
	// replicas.
	idleInTransaction      = "idle_in_transaction_session_timeout"
	idleInTransactionLimit = "30s"
)

// parsePostgres returns the settings of connections to the database at url.
func parsePostgres(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	dialer := &net.Dialer{
		Timeout:         config.ConnectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepalive, Interval: keepalive, Count: 2},
		Control:         setUserTimeout,
	}
	config.DialFunc = dialer.DialContext
	return config, nil
}

// limitTransactions makes the server end idle transactions of a connection, unless the URL
// has the setting. It is not sent when connecting: poolers refuse parameters that they
// don't know.
func limitTransactions(ctx context.Context, conn *pgx.Conn) error {
	if conn.Config().RuntimeParams[idleInTransaction] != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, conn.Config().ConnectTimeout)
	defer cancel()
	if _, err := conn.Exec(ctx, `SET `+idleInTransaction+` = '`+idleInTransactionLimit+`'`); err != nil {
		_ = conn.Close(ctx) // the first error is returned
		return fmt.Errorf("set %s: %w", idleInTransaction, err)
	}
	return nil
}
