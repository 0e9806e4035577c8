package db

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"parley/internal/testdb"
)

// pooler shares one connection to PostgreSQL among its clients, or gives each client its own. It understands only
// simple queries.
type pooler struct {
	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex // held during a transaction on the shared connection
	shared *pgconn.HijackedConn
}

// newPooler starts a pooler, in transaction mode or in session mode, and returns the URL of the database through it.
func newPooler(t *testing.T, databaseURL string, transactions bool) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &pooler{target: databaseURL, listener: listener}
	if transactions {
		p.shared = p.connect(t.Context())
		t.Cleanup(func() { p.shared.Conn.Close() })
	}
	p.running.Go(func() { p.accept(t.Context()) })
	t.Cleanup(func() {
		listener.Close()
		p.running.Wait()
	})
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	address.Host = listener.Addr().String()
	return address.String()
}

// connect returns a connection to PostgreSQL, or nil.
func (p *pooler) connect(ctx context.Context) *pgconn.HijackedConn {
	conn, err := pgconn.Connect(ctx, p.target)
	if err != nil {
		return nil
	}
	server, err := conn.Hijack()
	if err != nil {
		return nil
	}
	return server
}

func (p *pooler) accept(ctx context.Context) {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() {
			defer conn.Close()
			p.serve(ctx, pgproto3.NewBackend(conn, conn))
		})
	}
}

// serve serves one client. The numbers that it is given at the start are the pooler's own.
func (p *pooler) serve(ctx context.Context, client *pgproto3.Backend) {
	if _, err := client.ReceiveStartupMessage(); err != nil {
		return
	}
	client.Send(&pgproto3.AuthenticationOk{})
	client.Send(&pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"})
	client.Send(&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"})
	client.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	client.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	server := p.shared
	if server == nil {
		if server = p.connect(ctx); server == nil {
			return
		}
		defer server.Conn.Close()
	}
	for status := byte('I'); client.Flush() == nil; {
		message, err := client.Receive()
		query, ok := message.(*pgproto3.Query)
		if err != nil || !ok {
			break // the client is done
		}
		if server == p.shared && status == 'I' {
			p.mu.Lock()
		}
		status = relay(query, client, server.Frontend)
		if server == p.shared && status == 'I' {
			p.mu.Unlock()
		}
	}
}

// relay sends a query to the server and its results to the client. It returns the status of the transaction.
func relay(query *pgproto3.Query, client *pgproto3.Backend, server *pgproto3.Frontend) (status byte) {
	server.Send(query)
	if err := server.Flush(); err != nil {
		return 'I'
	}
	for {
		message, err := server.Receive()
		if err != nil {
			return 'I'
		}
		client.Send(message)
		if ready, ok := message.(*pgproto3.ReadyForQuery); ok {
			return ready.TxStatus
		}
	}
}

// TestAPoolerInTransactionModeIsOneClearLine checks a pooler that has but one connection to the server. A
// pooler in session mode passes the check.
func TestAPoolerInTransactionModeIsOneClearLine(t *testing.T) {
	databaseURL := testdb.Postgres(t)
	if _, err := connectPostgres(t.Context(), newPooler(t, databaseURL, true)); !errors.Is(err, errPooler) {
		t.Errorf("in transaction mode: %v", err)
	}
	p, err := connectPostgres(t.Context(), newPooler(t, databaseURL, false))
	if err != nil {
		t.Fatalf("in session mode: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
