package account

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	// watchTimeout bounds the check of a login at the start of its stream.
	watchTimeout = 10 * time.Second
	// recheckTimeout bounds the checks after a signal.
	recheckTimeout = time.Minute
	// signalTimeout bounds how long a logout waits until other replicas are notified.
	signalTimeout = 2 * time.Second
)

// watcher ends a stream when its login ends.
type watcher struct {
	tokenID string
	cancel  context.CancelCauseFunc
}

// watchers holds the watchers of all open streams, by user.
type watchers struct {
	mu    sync.Mutex
	users map[int64]map[*watcher]bool
}

func newWatchers() *watchers {
	return &watchers{users: map[int64]map[*watcher]bool{}}
}

// Watch returns a context that is canceled with cause parley.ErrBadToken when the login ends.
// The caller must call release.
func (s *Service) Watch(ctx context.Context, who Identity) (_ context.Context, release func(), err error) {
	watched, cancel := context.WithCancelCause(ctx)
	w := &watcher{tokenID: who.TokenID, cancel: cancel}
	s.watchers.add(who.User.ID, w)
	release = func() {
		s.watchers.remove(who.User.ID, w)
		cancel(nil)
	}
	// The login may have ended since its token was checked.
	checkCtx, cancelCheck := context.WithTimeout(ctx, watchTimeout)
	defer cancelCheck()
	valid, err := s.validTokens(checkCtx, who.User.ID)
	if err == nil && !valid[who.TokenID] {
		err = parley.ErrBadToken
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return watched, release, nil
}

// endStreams ends the streams of a user's logins that match, on this and on other replicas.
func (s *Service) endStreams(ctx context.Context, userID int64, match func(tokenID string) bool) {
	s.watchers.cancel(userID, match)
	signal := store.Signal{Kind: store.LoginEnded, ID: strconv.FormatInt(userID, 10)}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), signalTimeout)
	defer cancel()
	if err := s.store.Signal(ctx, []store.Signal{signal}); err != nil {
		s.log.Warn("notify other replicas of a logout", "error", err)
	}
}

// endAllStreams ends all streams of a user, on this and on other replicas.
func (s *Service) endAllStreams(ctx context.Context, userID int64) {
	s.endStreams(ctx, userID, func(string) bool { return true })
}

// HandleSignal ends the streams whose login has ended on another replica.
func (s *Service) HandleSignal(ctx context.Context, signal store.Signal) {
	var users []int64
	switch signal.Kind {
	case store.LoginEnded:
		if userID, err := strconv.ParseInt(signal.ID, 10, 64); err == nil && s.watchers.has(userID) {
			users = append(users, userID)
		}
	case store.Missed:
		users = s.watchers.userIDs()
	}
	ctx, cancel := context.WithTimeout(ctx, recheckTimeout)
	defer cancel()
	for _, userID := range users {
		valid, err := s.validTokens(ctx, userID)
		if err != nil {
			s.log.Warn("check the logins of open streams", "error", err)
			continue
		}
		s.watchers.cancel(userID, func(tokenID string) bool { return !valid[tokenID] })
	}
}

// validTokens returns the ids of a user's current logins.
func (s *Service) validTokens(ctx context.Context, userID int64) (map[string]bool, error) {
	tokens, err := s.store.Tokens(ctx, userID, s.now())
	valid := make(map[string]bool, len(tokens))
	for _, token := range tokens {
		valid[token.ID] = true
	}
	return valid, err
}

func (ws *watchers) add(userID int64, w *watcher) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.users[userID] == nil {
		ws.users[userID] = map[*watcher]bool{}
	}
	ws.users[userID][w] = true
}

func (ws *watchers) remove(userID int64, w *watcher) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.users[userID], w)
	if len(ws.users[userID]) == 0 {
		delete(ws.users, userID)
	}
}

// cancel ends the streams of a user's logins that match.
func (ws *watchers) cancel(userID int64, match func(tokenID string) bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.users[userID] {
		if match(w.tokenID) {
			w.cancel(parley.ErrBadToken)
		}
	}
}

func (ws *watchers) has(userID int64) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return len(ws.users[userID]) > 0
}

func (ws *watchers) userIDs() []int64 {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return slices.Collect(maps.Keys(ws.users))
}
