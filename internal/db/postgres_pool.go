package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// maxConnections limits the connections of one process.
	maxConnections = 32
	// idleTime is how long an idle connection is kept.
	idleTime = 5 * time.Minute
	// Once the server has no more connections, the probe tries to connect every probeInterval,
	// for up to probeTimeout.
	probeInterval = time.Second
	probeTimeout  = 10 * time.Second
	// pingTimeout is how long a connection that was idle may take to respond before it is used.
	pingTimeout = 2 * time.Second
)

// openPool returns a pool of connections. It does not connect yet.
func openPool(config *pgx.ConnConfig) *sql.DB {
	c := &connector{Connector: stdlib.GetConnector(*config, stdlib.OptionAfterConnect(limitTransactions))}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.pool = sql.OpenDB(c)
	c.grow()
	c.pool.SetConnMaxIdleTime(idleTime)
	return c.pool
}

// connector limits the pool to the connections that the server grants. If the server has
// no more, callers wait for one of the pool's instead of getting an error.
type connector struct {
	driver.Connector
	pool *sql.DB
	open atomic.Int64    // open connections; the pool's own count includes those being opened
	ctx  context.Context // ends with the pool
	end  context.CancelFunc

	// suspect is when a connection was last found to be silent. Others that were idle then may be silent too.
	suspect atomic.Pointer[time.Time]

	mu     sync.Mutex
	scarce bool // the server has no more connections and a probe is running
	probes sync.WaitGroup
}

// connection is counted while it is open.
type connection struct {
	*stdlib.Conn
	connector *connector
	used      time.Time // when it was last taken from the pool
}

func (c *connection) Close() error {
	c.connector.open.Add(-1)
	return c.Conn.Close()
}

// ResetSession implements driver.SessionResetter. The pool calls it before each use, and discards the connection on an
// error. A connection that was idle is pinged. If it is silent, the other idle connections are discarded without a
// ping: each ping would take its caller's time.
func (c *connection) ResetSession(ctx context.Context) error {
	if suspect := c.connector.suspect.Load(); suspect != nil && c.used.Before(*suspect) {
		return driver.ErrBadConn
	}
	ping, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	now := time.Now()
	if err := c.Conn.ResetSession(ping); err != nil {
		if ping.Err() != nil && ctx.Err() == nil {
			c.connector.suspect.Store(&now)
		}
		return err
	}
	c.used = now
	return nil
}

// Connect implements driver.Connector. On driver.ErrBadConn the pool tries again, and waits
// for a connection if it may not grow. It tries only twice, so callers can't wait until the
// server has connections again. The probe does that.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err == nil {
		c.open.Add(1)
		return &connection{Conn: made.(*stdlib.Conn), connector: c, used: time.Now()}, nil
	}
	if !isTooManyConnections(err) || c.open.Load() == 0 {
		return nil, err
	}
	c.shrink()
	return nil, fmt.Errorf("%w: %w", driver.ErrBadConn, err)
}

func isTooManyConnections(err error) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.Code == "53300" // too_many_connections
}

// shrink limits the pool to the connections that are open.
func (c *connector) shrink() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.scarce && c.ctx.Err() == nil {
		c.scarce = true
		c.probes.Go(c.probe)
	}
	c.pool.SetMaxOpenConns(max(1, int(c.open.Load())))
}

// probe grows the pool once the server grants a connection.
func (c *connector) probe() {
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(probeInterval):
		}
		ctx, cancel := context.WithTimeout(c.ctx, probeTimeout)
		made, err := c.Connector.Connect(ctx)
		if err == nil {
			err = made.Close()
		}
		cancel()
		if !isTooManyConnections(err) {
			c.grow()
			return
		}
	}
}

// grow restores the full size of the pool.
func (c *connector) grow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scarce = false
	c.pool.SetMaxOpenConns(maxConnections)
	c.pool.SetMaxIdleConns(maxConnections)
}

// Close stops the probe. The pool calls it when it is closed.
func (c *connector) Close() error {
	c.mu.Lock()
	c.end()
	c.mu.Unlock()
	c.probes.Wait()
	return nil
}
