package account

import (
	"context"
	"strconv"
	"sync"

	"parley/internal/store"
)

// watches are the open streams, by user and login: a stream ends with the login it
// was opened with.
type watches struct {
	mu    sync.Mutex
	users map[int64]map[*watch]bool
}

type watch struct {
	tokenID string
	ended   chan struct{}
}

func newWatches() *watches {
	return &watches{users: map[int64]map[*watch]bool{}}
}

// Watch returns a channel that is closed when the login ends. release must be called.
func (s *Service) Watch(who Identity) (ended <-chan struct{}, release func()) {
	w := &watch{tokenID: who.TokenID, ended: make(chan struct{})}
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	if s.watches.users[who.User.ID] == nil {
		s.watches.users[who.User.ID] = map[*watch]bool{}
	}
	s.watches.users[who.User.ID][w] = true
	return w.ended, func() { s.watches.drop(who.User.ID, w) }
}

func (ws *watches) drop(userID int64, w *watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.users[userID], w)
	if len(ws.users[userID]) == 0 {
		delete(ws.users, userID)
	}
}

// end closes the streams of a user's logins that are meant.
func (ws *watches) end(userID int64, meant func(tokenID string) bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.users[userID] {
		if meant(w.tokenID) {
			close(w.ended)
			delete(ws.users[userID], w)
		}
	}
}

// tellEnded ends the streams of logins that have ended, here and on other replicas.
func (s *Service) tellEnded(ctx context.Context, userID int64, meant func(tokenID string) bool) {
	s.watches.end(userID, meant)
	signal := store.Signal{Kind: store.LoginEnded, ID: strconv.FormatInt(userID, 10)}
	if err := s.Store.Signal(context.WithoutCancel(ctx), []store.Signal{signal}); err != nil {
		s.Log.Warn("tell other replicas of a logout", "error", err)
	}
}

// Heard takes a signal from another replica: streams whose login has ended are closed.
func (s *Service) Heard(ctx context.Context, signal store.Signal) {
	var users []int64
	switch signal.Kind {
	case store.LoginEnded:
		if userID, err := strconv.ParseInt(signal.ID, 10, 64); err == nil && s.watches.has(userID) {
			users = append(users, userID)
		}
	case store.Missed:
		users = s.watches.all()
	}
	for _, userID := range users {
		tokens, err := s.Store.Tokens(ctx, userID, s.Now())
		if err != nil {
			s.Log.Warn("look at the logins of open streams", "error", err)
			continue
		}
		good := map[string]bool{}
		for _, token := range tokens {
			good[token.ID] = true
		}
		s.watches.end(userID, func(tokenID string) bool { return !good[tokenID] })
	}
}

func (ws *watches) has(userID int64) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return len(ws.users[userID]) > 0
}

func (ws *watches) all() []int64 {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	users := make([]int64, 0, len(ws.users))
	for userID := range ws.users {
		users = append(users, userID)
	}
	return users
}
