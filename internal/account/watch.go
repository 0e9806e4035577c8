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

// watcher ends a stream when its login or key ends.
type watcher struct {
	credential credential
	cancel     context.CancelCauseFunc
}

// watchers holds the watchers of all open streams, by user.
type watchers struct {
	mu    sync.Mutex
	users map[int64]map[*watcher]bool
}

func newWatchers() *watchers {
	return &watchers{users: map[int64]map[*watcher]bool{}}
}

// Watch returns a context. When the login or the key ends, it is canceled with cause parley.ErrBadToken. The caller
// must call release.
func (s *Service) Watch(ctx context.Context, who *Identity) (_ context.Context, release func(), err error) {
	watched, cancel := context.WithCancelCause(ctx)
	w := &watcher{credential: who.credential(), cancel: cancel}
	s.watchers.add(who.User.ID, w)
	expiry := s.afterExpiry(who, func() { cancel(parley.ErrBadToken) })
	release = func() {
		expiry()
		s.watchers.remove(who.User.ID, w)
		cancel(nil)
	}
	// It may have ended since the request was authenticated.
	checkCtx, cancelCheck := context.WithTimeout(ctx, watchTimeout)
	defer cancelCheck()
	valid, err := s.validCredentials(checkCtx, who.User.ID)
	if err == nil && !valid[w.credential.id] {
		err = parley.ErrBadToken
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return watched, release, nil
}

// afterExpiry calls end when a key expires. The caller must call stop when it no longer needs this.
func (s *Service) afterExpiry(who *Identity, end func()) (stop func()) {
	if who.keyExpires == 0 {
		return func() {}
	}
	timer := time.AfterFunc(time.Unix(who.keyExpires, 0).Sub(s.now()), end)
	return func() { timer.Stop() }
}

// endStreams ends the streams of a user's logins and keys that match, on this and on other
// replicas.
func (s *Service) endStreams(ctx context.Context, userID int64, match func(credential) bool) {
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
	s.endStreams(ctx, userID, func(credential) bool { return true })
}

// HandleSignal ends a stream if its login or key has ended on another replica, and notes whether there is an
// administrator.
func (s *Service) HandleSignal(ctx context.Context, signal store.Signal) {
	var users []int64
	switch signal.Kind {
	case store.LoginEnded:
		if userID, err := strconv.ParseInt(signal.ID, 10, 64); err == nil && s.watchers.has(userID) {
			users = append(users, userID)
		}
	case store.AdminsChanged:
		s.logFailure(ctx, "check whether there is an administrator", s.checkAdmins(ctx))
	case store.Missed:
		users = s.watchers.userIDs()
		s.logFailure(ctx, "check whether there is an administrator", s.checkAdmins(ctx))
	}
	ctx, cancel := context.WithTimeout(ctx, recheckTimeout)
	defer cancel()
	for _, userID := range users {
		valid, err := s.validCredentials(ctx, userID)
		if err != nil {
			s.log.Warn("check the logins of open streams", "error", err)
			continue
		}
		s.watchers.cancel(userID, func(c credential) bool { return !valid[c.id] })
	}
}

// validCredentials returns the ids of a user's current logins and keys.
func (s *Service) validCredentials(ctx context.Context, userID int64) (map[string]bool, error) {
	ids, err := s.store.Credentials(ctx, userID, s.now())
	valid := make(map[string]bool, len(ids))
	for _, id := range ids {
		valid[id] = true
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

// cancel ends the streams of a user's logins and keys that match.
func (ws *watchers) cancel(userID int64, match func(credential) bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.users[userID] {
		if match(w.credential) {
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
