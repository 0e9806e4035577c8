package chat

import (
	"context"
	"sync"

	"parley"
)

// maxWaiting is how many sends may wait for one session's turn.
const maxWaiting = 32

// lines keeps the sends of each session in order: one has the turn, the others wait.
type lines struct {
	mu      sync.Mutex
	waiting map[string][]chan struct{} // by session; present while the turn is taken
}

func newLines() *lines {
	return &lines{waiting: map[string][]chan struct{}{}}
}

// enter waits for the session's turn. After nil, leave must be called.
func (l *lines) enter(ctx context.Context, sessionID string) error {
	l.mu.Lock()
	line, taken := l.waiting[sessionID]
	if !taken {
		l.waiting[sessionID] = nil
		l.mu.Unlock()
		return nil
	}
	if len(line) >= maxWaiting {
		l.mu.Unlock()
		return parley.ErrTurnBusy
	}
	called := make(chan struct{})
	l.waiting[sessionID] = append(line, called)
	l.mu.Unlock()

	select {
	case <-called:
		return nil
	case <-ctx.Done():
	}
	if !l.withdraw(sessionID, called) {
		l.leave(sessionID) // it was called at the last moment: pass the turn on
	}
	return parley.ErrTurnBusy.Because(ctx.Err())
}

// withdraw takes a waiting send out of its line, unless it has been called.
func (l *lines) withdraw(sessionID string, called chan struct{}) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, c := range l.waiting[sessionID] {
		if c == called {
			l.waiting[sessionID] = append(l.waiting[sessionID][:i:i], l.waiting[sessionID][i+1:]...)
			return true
		}
	}
	return false
}

// leave gives the turn to the next in line.
func (l *lines) leave(sessionID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.waiting[sessionID]
	if len(line) == 0 {
		delete(l.waiting, sessionID)
		return
	}
	close(line[0])
	l.waiting[sessionID] = line[1:]
}
