package store_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"math"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/testdb"
)

// counter is a way to PostgreSQL on which round trips are counted: each ends with the
// server's word that it is ready for the next.
type counter struct {
	trips atomic.Int64
}

// countTrips leads to a database and returns the URL of the way.
func countTrips(t *testing.T, databaseURL string) (*counter, string) {
	t.Helper()
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{}
	server := address.Host
	address.Host = listener.Addr().String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.lead(client, server) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
	})
	return c, address.String()
}

// lead carries one connection until either side ends it.
func (c *counter) lead(client net.Conn, server string) {
	defer client.Close()
	upstream, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", server)
	if err != nil {
		return
	}
	var questions sync.WaitGroup
	questions.Go(func() {
		_, _ = io.Copy(upstream, client)
		_ = upstream.Close()
	})
	_ = c.answers(client, upstream)
	_ = client.Close()
	questions.Wait()
}

// answers carries what the server says: messages of a kind, their length and so much.
func (c *counter) answers(to io.Writer, from io.Reader) error {
	const readyForQuery = 'Z'
	in, out := bufio.NewReader(from), bufio.NewWriter(to)
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(in, head); err != nil {
			return err
		}
		_, err := out.Write(head)
		if err == nil {
			_, err = io.CopyN(out, in, int64(binary.BigEndian.Uint32(head[1:]))-4)
		}
		if err != nil {
			return err
		}
		if head[0] == readyForQuery {
			c.trips.Add(1)
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// request is something that a client asks for, and how often it waits for the database.
type request struct {
	name  string
	trips int64
	do    func(context.Context, *someone) error
}

// requests begin with a round trip for the token.
var requests = []request{
	{"user info", 1, func(ctx context.Context, u *someone) error { _, err := u.User(ctx); return err }},
	{"create a session", 2, func(ctx context.Context, u *someone) error {
		_, err := u.CreateSession(ctx, parley.CreateSessionInput{Title: "second"})
		return err
	}},
	{"rename", 2, func(ctx context.Context, u *someone) error {
		return u.RenameSession(ctx, u.session, parley.RenameSessionInput{Title: "renamed"})
	}},
	{"list sessions", 2, func(ctx context.Context, u *someone) error {
		_, err := u.Sessions(ctx, "", parley.Page{})
		return err
	}},
	{"page of messages", 2, func(ctx context.Context, u *someone) error {
		_, err := u.Messages(ctx, u.session, parley.Page{})
		return err
	}},
	// Token, session, the turn's begin, the session's files, its history, the turn's end.
	{"send", 6, func(ctx context.Context, u *someone) error {
		_, err := u.Send(ctx, parley.SendInput{SessionID: u.session, Content: "a question"})
		return err
	}},
	// Neither files nor history: four, and two for the session.
	{"create a session and send", 6, func(ctx context.Context, u *someone) error {
		made, err := u.CreateSession(ctx, parley.CreateSessionInput{})
		if err != nil {
			return err
		}
		_, err = u.Send(ctx, parley.SendInput{SessionID: made.SessionID, Content: "a question"})
		return err
	}},
	// As a send; in place of the turn's end all of it is taken back.
	{"send that fails", 6, func(ctx context.Context, u *someone) error {
		_, err := u.Send(ctx, parley.SendInput{SessionID: u.session, Content: "a question", ReplyOptions: parley.ReplyOptions{Model: parley.ModelBasic}})
		if codeOf(err) == parley.CodeAIUnavailable {
			return nil
		}
		return err
	}},
	// Token, session, the turn's begin, the session's files, the turn's end.
	{"regenerate", 5, func(ctx context.Context, u *someone) error {
		_, err := u.Regenerate(ctx, u.session, parley.RegenerateInput{})
		return err
	}},
	{"mark", 2, func(ctx context.Context, u *someone) error {
		_, err := u.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: u.session, MessageID: u.reply})
		return err
	}},
	{"unmark", 2, func(ctx context.Context, u *someone) error { return u.RemoveFavorite(ctx, u.question) }},
	{"list favorites", 2, func(ctx context.Context, u *someone) error {
		_, err := u.Favorites(ctx, "", parley.Page{})
		return err
	}},
	// Token, session (before the bytes and after them), the intent, the file.
	{"upload", 5, func(ctx context.Context, u *someone) error {
		_, err := u.Upload(ctx, u.session, "new.txt", strings.NewReader("new"))
		return err
	}},
	{"clear", 2, func(ctx context.Context, u *someone) error { return u.ClearSession(ctx, u.session) }},
	{"delete a session", 2, func(ctx context.Context, u *someone) error { return u.DeleteSession(ctx, u.session) }},
	{"delete a file", 2, func(ctx context.Context, u *someone) error { return u.DeleteFile(ctx, u.file) }},
	// Token, password, the account; the fourth tells other replicas.
	{"delete the account", 4, func(ctx context.Context, u *someone) error {
		return u.DeleteUser(ctx, parley.DeleteUserInput{Password: password})
	}},
	// The third tells other replicas.
	{"log out", 3, func(ctx context.Context, u *someone) error { return u.Logout(ctx) }},
}

// TestARequestTakesFewRoundTrips counts how often each request waits for PostgreSQL.
func TestARequestTakesFewRoundTrips(t *testing.T) {
	t.Parallel()
	c, way := countTrips(t, testdb.Postgres(t))
	s := &service{T: t, dir: t.TempDir(), databaseURL: way}
	s.start()
	for _, r := range requests {
		least := c.least(func() func() {
			who := s.user()
			return func() { s.must(r.do(t.Context(), who)) }
		})
		if least != r.trips {
			t.Errorf("%s: %d round trips, not %d", r.name, least, r.trips)
		}
	}
}

// least is how many round trips it takes to do what is prepared: the least of several,
// since a connection that has not seen a statement yet prepares it.
func (c *counter) least(prepare func() (do func())) int64 {
	least := int64(math.MaxInt64)
	for range 4 {
		do := prepare()
		before := c.trips.Load()
		do()
		least = min(least, c.trips.Load()-before)
	}
	return least
}

// TestATakeOverTakesAsManyRoundTripsForManyTurns has many turns taken over at once.
func TestATakeOverTakesAsManyRoundTripsForManyTurns(t *testing.T) {
	t.Parallel()
	c, way := countTrips(t, testdb.Postgres(t))
	s := &service{T: t, dir: t.TempDir(), databaseURL: way}
	s.start()
	who := s.user()
	me, err := who.User(t.Context())
	s.must(err)
	const turns = 5
	least := c.least(func() func() {
		for range turns {
			made, err := who.CreateSession(t.Context(), parley.CreateSessionInput{})
			s.must(err)
			_, err = s.database.BeginTurn(t.Context(), store.NewTurn{
				UserID: me.UserID, SessionID: made.SessionID, QuestionID: id.New(), ReplyID: id.New(), Content: "a question", Owner: "dead", Now: time.Now(),
			})
			s.must(err)
		}
		_, err := s.database.RenewLease(t.Context(), "heir", time.Minute)
		s.must(err)
		return func() {
			taken, err := s.database.TakeOver(t.Context(), "heir", 100)
			s.must(err)
			if len(taken) != turns {
				t.Errorf("%d turns are taken over, not %d", len(taken), turns)
			}
		}
	})
	// To look for them; BEGIN, all of them, COMMIT.
	if least != 4 {
		t.Errorf("%d round trips, not 4", least)
	}
}
