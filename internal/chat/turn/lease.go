package turn

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/store"
)

// maxAdopted is how many turns are taken over at a time. A limit makes replicas share them.
const maxAdopted = 64

// Owner returns the id under which this process has its lease.
func (e *Engine) Owner() string { return e.owner }

// AcquireLease acquires the lease, which Run then renews. It must be called before the first turn: other processes take
// over turns of a process without a lease.
func (e *Engine) AcquireLease(ctx context.Context) error {
	_, err := e.extendLease(ctx)
	return err
}

// extendLease renews the lease and returns how many processes have one. If the database does not respond, there is
// time for two more tries before the lease expires.
func (e *Engine) extendLease(ctx context.Context) (alive int, err error) {
	ctx, cancel := context.WithTimeout(ctx, e.lease/3)
	defer cancel()
	return e.store.RenewLease(ctx, e.owner, e.lease)
}

// renewLease renews the lease, and takes over open turns if their owner's lease has expired.
func (e *Engine) renewLease(ctx context.Context) error {
	e.leaseMu.Lock()
	defer e.leaseMu.Unlock()
	if e.released {
		return nil
	}
	alive, err := e.extendLease(ctx)
	if err != nil {
		return err
	}
	e.notifier.setPeers(alive > 1)
	return e.takeOver(ctx)
}

// takeOver takes over open turns if their owner's lease has expired. It takes no longer than a try to renew the lease.
// It leaves them to others while this process admits no turns.
func (e *Engine) takeOver(ctx context.Context) error {
	done, err := e.admit()
	if err != nil {
		return nil
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, e.lease/3)
	defer cancel()
	if err := e.disownStrays(ctx); err != nil {
		return err
	}
	taken, err := e.store.TakeOver(ctx, e.owner, maxAdopted)
	for _, open := range taken {
		if e.denied.has(open.ReplyID) {
			err = errors.Join(err, e.store.FailTurn(ctx, open, parley.ErrSendFailed, e.now()))
			continue
		}
		e.adopt(open)
	}
	if len(taken) == maxAdopted {
		trigger(e.renewNow)
	}
	return err
}

// adopt generates a reply that another process has started. The caller must have called admit.
func (e *Engine) adopt(open store.Turn) {
	e.log.Info("take over a reply", "session", open.SessionID, "attempt", open.Attempt)
	r := e.newReply(e.ctx, open)
	r.adopted = true
	if open.Stopped {
		r.cancel(errStopped)
	}
	e.launch(r)
	e.notifier.publish(store.TurnChanged, r.ReplyID)
}

// disownStrays gives up replies that this process owns but does not generate, because the database did not respond when
// they were opened or closed. They are then taken over like those of a dead process. A reply counts as a stray only
// after a whole lease in this state: it may be about to start or have just ended.
func (e *Engine) disownStrays(ctx context.Context) error {
	open, err := e.store.OpenReplies(ctx, e.owner)
	if err != nil {
		return err
	}
	now, before := e.now(), e.strays
	e.denied.forget(now)
	e.strays = map[string]time.Time{}
	for _, replyID := range open {
		if e.find(replyID) != nil {
			continue
		}
		since, known := before[replyID]
		if !known {
			since = now
		}
		e.strays[replyID] = since
		if now.Sub(since) < e.lease && !e.denied.has(replyID) {
			continue
		}
		if err := e.store.Disown(ctx, e.owner, replyID); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) releaseLease() {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	e.leaseMu.Lock()
	defer e.leaseMu.Unlock()
	e.released = true
	if err := e.store.DropLease(ctx, e.owner); err != nil {
		e.log.Error("release lease", "error", err)
	}
}

// saveProgress stores the text so far of the live replies for other replicas, and ends replies that were stopped
// or taken over.
func (e *Engine) saveProgress(ctx context.Context) error {
	e.mu.Lock()
	live := make([]*reply, 0, len(e.live))
	for _, r := range e.live {
		live = append(live, r)
	}
	e.mu.Unlock()
	if len(live) == 0 {
		return nil
	}
	progress := make([]store.Progress, len(live))
	for i, r := range live {
		progress[i] = r.progress()
	}
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	standings, err := e.store.SaveProgress(ctx, e.owner, progress)
	for i, r := range live {
		switch {
		case standings[i] == store.Unknown:
		case standings[i] == store.Stopped:
			r.cancel(errStopped)
		case standings[i] == store.Lost:
			r.cancel(errMoved)
		case progress[i].Fresh:
			r.markSaved(progress[i])
			e.notifier.publish(store.TurnChanged, r.ReplyID)
		}
	}
	return err
}
