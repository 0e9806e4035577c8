package torture

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

const (
	// searchers searches run at once, of one user with searchedTexts texts.
	searchers     = 100
	searchedTexts = 300
	// searchLimit is the request timeout. A search may be seen to take slowness times as long,
	// because the clients and the server share the machine.
	searchLimit = 5 * time.Second
	slowness    = 3
	// siegeRounds is how often the other user works meanwhile.
	siegeRounds = 20
)

// TestSiegeOfSearches has one user search a hundred times at once, over and over, for a keyword that no text contains,
// although every text has all of its grams. Each search must read all texts. Every search must end in time, and no
// request of another user may fail. It runs only if SIEGE is set.
func TestSiegeOfSearches(t *testing.T) {
	needsSiege(t)
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		model := aitest.New(t)
		model.Respond(reply)
		s := launch(t, []string{
			"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + databaseURL,
			"PARLEY_AI_BASE_URL=" + model.URL, "PARLEY_AI_MODEL=test", "PARLEY_AI_CONTEXT_TOKENS=1000000",
			"PARLEY_REQUEST_TIMEOUT=" + searchLimit.String(),
		})
		s.waitReady(t)
		ada, bob := besieger(t, s, "ada"), besieger(t, s, "bob")
		long := strings.Repeat("аб бв вг ", 11_000) // slow to fold
		for range searchedTexts {
			must(t, talk(t.Context(), ada, long))
		}
		siege := &siegeOfSearches{t: t}
		siege.begin(ada)
		for range siegeRounds {
			must(t, talk(t.Context(), bob, "Which ferry?"))
			found, err := bob.Sessions(t.Context(), "ferry", parley.Page{})
			must(t, err)
			if len(found.Sessions) == 0 {
				t.Error("the other user finds nothing")
			}
		}
		siege.end()
	})
}

// besieger registers a user.
func besieger(t *testing.T, s *server, name string) *client.Client {
	t.Helper()
	c := s.guest()
	_, err := c.Register(t.Context(), parley.RegisterInput{Email: name + "@example.com", Password: "password of " + name})
	must(t, err)
	return c
}

// talk sends a message in a new session.
func talk(ctx context.Context, c *client.Client, content string) error {
	session, err := c.CreateSession(ctx, parley.CreateSessionInput{})
	if err != nil {
		return err
	}
	_, err = c.Send(ctx, parley.SendInput{SessionID: session.SessionID, Content: content})
	return err
}

// siegeOfSearches counts what becomes of searches.
type siegeOfSearches struct {
	t    *testing.T
	stop context.CancelFunc
	all  sync.WaitGroup

	mu       sync.Mutex
	statuses map[int]int
	longest  time.Duration
}

// begin starts the searchers and returns when the first of their searches have ended.
func (s *siegeOfSearches) begin(c *client.Client) {
	ctx, stop := context.WithCancel(s.t.Context())
	s.stop, s.statuses = stop, map[int]int{}
	s.t.Cleanup(func() {
		stop()
		s.all.Wait()
	})
	first := make(chan struct{}, searchers)
	for range searchers {
		s.all.Go(func() {
			for ctx.Err() == nil {
				begun := time.Now()
				_, err := c.Sessions(s.t.Context(), "абвг", parley.Page{})
				s.count(err, time.Since(begun))
				select {
				case first <- struct{}{}:
				default:
				}
			}
		})
	}
	<-first
}

func (s *siegeOfSearches) count(err error, took time.Duration) {
	status := http.StatusOK
	var refused *client.Error
	switch {
	case errors.As(err, &refused):
		status = refused.Status
	case s.t.Context().Err() != nil:
		return // the test has failed
	case err != nil:
		s.t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses[status]++
	s.longest = max(s.longest, took)
}

// end stops the searchers and checks their responses.
func (s *siegeOfSearches) end() {
	s.t.Helper()
	s.stop()
	s.all.Wait()
	s.t.Logf("responses by status: %v; the longest took %v", s.statuses, s.longest)
	for status := range s.statuses {
		switch status {
		case http.StatusOK, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		default:
			s.t.Errorf("a search got HTTP %d", status)
		}
	}
	if s.longest > slowness*searchLimit {
		s.t.Errorf("a search took %v with a request timeout of %v", s.longest, searchLimit)
	}
}
