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
	// probeEvery is how often the server is asked whether it has connections again, once
	// it had no more, and probeTime how long that may take.
	probeEvery = time.Second
	probeTime  = 10 * time.Second
)

// openPool returns a pool of connections to the database at url, without any yet.
func openPool(url string) (*sql.DB, error) {
	usual, err := (&stdlib.Driver{}).OpenConnector(url)
	if err != nil {
		return nil, err
	}
	c := &connector{Connector: usual}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.pool = sql.OpenDB(c)
	c.grow()
	c.pool.SetConnMaxIdleTime(idleTime)
	return c.pool, nil
}

// connector makes do with the connections that there are: where the server has no more,
// those who want one wait for one of ours, and nobody is refused for that.
type connector struct {
	driver.Connector
	pool *sql.DB
	open atomic.Int64    // connections that there are; the pool also counts those being made
	ctx  context.Context // ends with the pool
	end  context.CancelFunc

	mu     sync.Mutex
	scarce bool // the server has no more, and a probe is under way
	probes sync.WaitGroup
}

// connection is one that is counted.
type connection struct {
	*stdlib.Conn
	open *atomic.Int64
}

func (c *connection) Close() error {
	c.open.Add(-1)
	return c.Conn.Close()
}

// Connect is driver.Connector's. With driver.ErrBadConn the pool tries again, which is
// to wait while it may not grow. It does so twice and then gives up, so whoever waits
// must not be the one to find out whether there are connections again: that is the probe's.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err == nil {
		c.open.Add(1)
		return &connection{Conn: made.(*stdlib.Conn), open: &c.open}, nil
	}
	if !noneLeft(err) || c.open.Load() == 0 {
		return nil, err
	}
	c.shrink()
	return nil, fmt.Errorf("%w: %w", driver.ErrBadConn, err)
}

func noneLeft(err error) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.Code == "53300" // too_many_connections
}

// shrink lets the pool have no more connections than there are.
func (c *connector) shrink() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.scarce && c.ctx.Err() == nil {
		c.scarce = true
		c.probes.Go(c.probe)
	}
	c.pool.SetMaxOpenConns(max(1, int(c.open.Load())))
}

// probe lets the pool grow once the server has a connection to spare.
func (c *connector) probe() {
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(probeEvery):
		}
		ctx, cancel := context.WithTimeout(c.ctx, probeTime)
		made, err := c.Connector.Connect(ctx)
		if err == nil {
			err = made.Close()
		}
		cancel()
		if !noneLeft(err) {
			c.grow()
			return
		}
	}
}

// grow lets the pool have all of its connections.
func (c *connector) grow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scarce = false
	c.pool.SetMaxOpenConns(maxConnections)
	c.pool.SetMaxIdleConns(maxConnections)
}

// Close is called by the pool when it is closed.
func (c *connector) Close() error {
	c.mu.Lock()
	c.end()
	c.mu.Unlock()
	c.probes.Wait()
	return nil
}
