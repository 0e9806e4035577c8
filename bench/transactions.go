package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// roleStore writes what an operation writes, with the same transactions and the same
// group commit, and nothing around it: no HTTP, no model.
const roleStore = "role-store"

// writing is what the role is told.
type writing struct {
	Dir, URL    string
	Operation   string
	Connections int
	Time        time.Duration
}

// transactions are what the operations write.
func (s *storeRole) transactions() map[string]func(ctx context.Context, worker, n int) error {
	return map[string]func(ctx context.Context, worker, n int) error{
		"create session":           s.createSession,
		"send, reply of 20 chunks": s.sendAndReply,
	}
}

// writeFloor measures the store alone with an operation's transactions, in a process
// of its own; false where the operation writes nothing.
func (op operation) writeFloor(ctx context.Context, w *world) (figures, bool, error) {
	if _, writes := (&storeRole{}).transactions()[op.name]; !writes {
		return figures{}, false, nil
	}
	self, err := os.Executable()
	if err != nil {
		return figures{}, false, err
	}
	order, err := json.Marshal(writing{
		Dir: filepath.Join(w.dir, "store"), URL: w.data.url, Operation: op.name, Connections: w.connections, Time: w.floor,
	})
	if err != nil {
		return figures{}, false, err
	}
	cmd := exec.CommandContext(ctx, self, roleStore)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(append(order, '\n')), w.log
	out, err := cmd.Output()
	if err != nil {
		return figures{}, false, fmt.Errorf("the store alone: %w", err)
	}
	var f figures
	return f, true, json.Unmarshal(out, &f)
}

// owner is whose turns the role writes.
const owner = "bench"

// storeRole is the store and what it writes to.
type storeRole struct {
	*store.Store
	users    []int64 // one for each worker
	sessions []string
}

// serveStore writes for a while and prints the figures.
func serveStore(in io.Reader, out io.Writer) error {
	line, err := bufio.NewReader(in).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("no orders: %w", err)
	}
	var o writing
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("orders: %w", err)
	}
	ctx := context.Background()
	s, err := openStoreRole(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // nobody reads it again
	// A server runs beside it and would take over the turns of a process without a lease.
	if _, err := s.RenewLease(ctx, owner, time.Minute); err != nil {
		return err
	}
	f, err := s.measure(ctx, o)
	if err := errors.Join(err, s.DropLease(ctx, owner)); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(f)
}

// sessionsEach is how many sessions a worker writes to in turn.
const sessionsEach = 64

func openStoreRole(ctx context.Context, o writing) (*storeRole, error) {
	database, err := store.Open(ctx, o.Dir, o.URL)
	if err != nil {
		return nil, err
	}
	s := &storeRole{Store: database}
	now := time.Now()
	for range o.Connections {
		name := strings.ToLower(id.New()) + "@example.com"
		token := store.NewToken{ID: id.New(), Now: now, Expires: now.Add(time.Hour)}
		copy(token.Hash[:], token.ID)
		user, err := s.CreateUser(ctx, store.NewUser{Email: name, EmailKey: name}, token)
		if err != nil {
			return nil, err
		}
		s.users = append(s.users, user)
		for range sessionsEach {
			session := id.New()
			if err := s.CreateSession(ctx, store.NewSession{ID: session, UserID: user, Title: "Holiday plans", Now: now}); err != nil {
				return nil, err
			}
			s.sessions = append(s.sessions, session)
		}
	}
	return s, nil
}

func (s *storeRole) createSession(ctx context.Context, worker, _ int) error {
	return s.CreateSession(ctx, store.NewSession{ID: id.New(), UserID: s.users[worker], Title: "Holiday plans", Now: time.Now()})
}

func (s *storeRole) sendAndReply(ctx context.Context, worker, n int) error {
	turn, err := s.BeginTurn(ctx, store.NewTurn{
		UserID: s.users[worker], SessionID: s.sessions[worker*sessionsEach+n%sessionsEach], QuestionID: id.New(), ReplyID: id.New(),
		Content: question, Owner: owner, Now: time.Now(),
	})
	if err != nil {
		return err
	}
	return s.FinishTurn(ctx, turn, strings.Join(replyPieces(), ""), parley.Details{})
}

// measure lets as many callers as there are connections write at once.
func (s *storeRole) measure(ctx context.Context, o writing) (figures, error) {
	do := s.transactions()[o.Operation]
	took := make([][]time.Duration, o.Connections)
	errs := make([]error, o.Connections)
	before, err := ownCPU()
	if err != nil {
		return figures{}, err
	}
	begun := time.Now()
	var all sync.WaitGroup
	for worker := range o.Connections {
		all.Go(func() {
			for n := 0; time.Since(begun) < o.Time && errs[worker] == nil; n++ {
				at := time.Now()
				errs[worker] = do(ctx, worker, n)
				took[worker] = append(took[worker], time.Since(at))
			}
		})
	}
	all.Wait()
	seconds := time.Since(begun).Seconds()
	after, err := ownCPU()
	for _, e := range append(errs, err) {
		if e != nil {
			return figures{}, e
		}
	}
	together := slices.Sorted(slices.Values(slices.Concat(took...)))
	return figures{
		PerSecond: float64(len(together)) / seconds,
		P50:       milliseconds(percentile(together, 0.50)), P99: milliseconds(percentile(together, 0.99)),
		CPU: float64((after - before).Microseconds()) / float64(len(together)),
	}, nil
}
