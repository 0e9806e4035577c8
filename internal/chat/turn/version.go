package turn

import (
	"context"
)

// ShowVersion makes a version of a message visible; see store.ShowVersion. It waits in the session's queue until the
// session has no open turn. It returns parley.ErrTurnBusy if ctx ends first, and parley.ErrShuttingDown while draining.
func (e *Engine) ShowVersion(ctx context.Context, userID int64, sessionID, messageID string, version int64) error {
	done, err := e.admit()
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := e.untilShutdown(ctx)
	defer cancel()
	if err := e.enqueue(ctx, sessionID); err != nil {
		return err
	}
	defer e.queue.release(sessionID)
	return e.whenFree(ctx, sessionID, func() error {
		return e.store.ShowVersion(ctx, userID, sessionID, messageID, version)
	})
}
