package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// maxConnections bounds a replica's share of the server's connections.
	maxConnections = 32
	// idleTime is how long a connection is kept that nobody needs.
	idleTime = 5 * time.Minute
	// refusedPause is how long no further connection is asked for once one was refused.
	refusedPause = time.Second
)

// openPool returns a pool of connections to the database at url, without any yet.
func openPool(url string) (*sql.DB, error) {
	usual, err := (&stdlib.Driver{}).OpenConnector(url)
	if err != nil {
		return nil, err
	}
	c := &connector{Connector: usual}
	c.pool = sql.OpenDB(c)
	c.grow()
	c.pool.SetConnMaxIdleTime(idleTime)
	return c.pool, nil
}

// connector makes do with the connections that there are: where the server has no more,
// those who want one wait for one of ours, and nobody is refused for that.
type connector struct {
	driver.Connector
	pool   *sql.DB
	trying atomic.Int64 // connections being made, which the pool counts as open

	mu   sync.Mutex
	most int // connections that the pool may have
}

// Connect is driver.Connector's. With driver.ErrBadConn the pool tries again, which is
// to wait while it may not grow.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	c.trying.Add(1)
	conn, err := c.Connector.Connect(ctx)
	trying := c.trying.Add(-1) + 1
	var refusal *pgconn.PgError
	if !errors.As(err, &refusal) || refusal.Code != "53300" { // too_many_connections
		return conn, err
	}
	open := int64(c.pool.Stats().OpenConnections) - trying
	if open < 1 {
		return nil, err
	}
	c.shrink(int(open))
	return nil, fmt.Errorf("%w: %w", driver.ErrBadConn, err)
}

// shrink lets the pool have no more connections than it has, for a while. Where several
// are refused at once, some count others that the pool has not yet heard of: the least
// is right, and the pool gives up after three that were refused in a row.
func (c *connector) shrink(open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most == maxConnections {
		time.AfterFunc(refusedPause, c.grow)
	}
	c.most = min(c.most, open)
	c.pool.SetMaxOpenConns(c.most)
}

// grow lets the pool have all of its connections again.
func (c *connector) grow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most = maxConnections
	c.pool.SetMaxOpenConns(maxConnections)
	c.pool.SetMaxIdleConns(maxConnections)
}
