package account

import (
	"context"
	"strconv"
	"sync"
	"time"

	"parley"
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
	end     context.CancelCauseFunc
}

// lookTimeout bounds the look at a login whose stream begins.
const lookTimeout = 10 * time.Second

func newWatches() *watches {
	return &watches{users: map[int64]map[*watch]bool{}}
}

// Watch returns a context that ends with ctx, or because of parley.ErrBadToken when the
// login ends. release must be called.
func (s *Service) Watch(ctx context.Context, who Identity) (_ context.Context, release func(), err error) {
	watched, end := context.WithCancelCause(ctx)
	w := &watch{tokenID: who.TokenID, end: end}
	s.watches.add(who.User.ID, w)
	release = func() {
		s.watches.drop(who.User.ID, w)
		end(nil)
	}
	// The login may have ended between the look at its token and now.
	look, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	good, err := s.goodTokens(look, who.User.ID)
	if err == nil && !good[who.TokenID] {
		err = parley.ErrBadToken
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return watched, release, nil
}

func (ws *watches) add(userID int64, w *watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.users[userID] == nil {
		ws.users[userID] = map[*watch]bool{}
	}
	ws.users[userID][w] = true
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
			w.end(parley.ErrBadToken)
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
		if err := s.endWatches(ctx, userID); err != nil {
			s.Log.Warn("look at the logins of open streams", "error", err)
		}
	}
}

// endWatches ends the streams of a user whose login is no longer good.
func (s *Service) endWatches(ctx context.Context, userID int64) error {
	good, err := s.goodTokens(ctx, userID)
	if err != nil {
		return err
	}
	s.watches.end(userID, func(tokenID string) bool { return !good[tokenID] })
	return nil
}

// goodTokens are the ids of a user's logins that have not ended.
func (s *Service) goodTokens(ctx context.Context, userID int64) (map[string]bool, error) {
	tokens, err := s.Store.Tokens(ctx, userID, s.Now())
	good := make(map[string]bool, len(tokens))
	for _, token := range tokens {
		good[token.ID] = true
	}
	return good, err
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
