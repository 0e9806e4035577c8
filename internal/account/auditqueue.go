package account

import (
	"context"
	"strings"
	"sync"
	"time"

	"parley/internal/store"
)

const (
	// auditInterval is how often the entries of the audit log are stored that wait for it.
	auditInterval = time.Second
	// maxAuditQueue bounds how many of them wait. Further ones are only in the log.
	maxAuditQueue = 10_000
	// lastAuditTimeout bounds how long storing them may delay the end of the server, or the response to an administrator.
	lastAuditTimeout = 5 * time.Second

	// Refusals, such as failed logins, cost their caller nothing. Of these maxRefusals are stored at once, and then one
	// more in each refusalInterval. Otherwise a guesser could fill the disk.
	maxRefusals     = 1000
	refusalInterval = 6 * time.Second

	// Old entries are deleted auditSweepBatch at a time, with a pause after each batch.
	auditSweepInterval = time.Hour
	auditSweepBatch    = 200
	auditSweepPause    = time.Second
)

// auditQueue holds entries of the audit log until they are stored. No request waits for it.
type auditQueue struct {
	mu       sync.Mutex
	waiting  []store.NewAuditEntry
	leftOut  int       // entries left out since they were last logged
	refusals time.Time // when maxRefusals can be stored at once again
	last     time.Time // of the latest entry

	saving sync.Mutex
}

// tick returns the time of a new entry. It is later than the entry before, which keeps ids in order.
func (q *auditQueue) tick(now time.Time) time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now = now.Truncate(time.Microsecond); !now.After(q.last) {
		now = q.last.Add(time.Microsecond)
	}
	q.last = now
	return now
}

// add queues an entry, if there is room for it.
func (q *auditQueue) add(entry store.NewAuditEntry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= maxAuditQueue || isRefusal(entry) && !q.allowRefusal(entry.Time) {
		q.leftOut++
		return
	}
	q.waiting = append(q.waiting, entry)
}

// isRefusal reports whether an entry is about a request that was refused. Its event says so.
func isRefusal(entry store.NewAuditEntry) bool { return strings.HasSuffix(entry.Event, "-failed") }

// allowRefusal reports whether one more refusal is stored.
func (q *auditQueue) allowRefusal(now time.Time) bool {
	next := q.refusals
	if next.Before(now) {
		next = now
	}
	next = next.Add(refusalInterval)
	if next.Sub(now) > maxRefusals*refusalInterval {
		return false
	}
	q.refusals = next
	return true
}

// take returns the entries that wait, and how many were left out.
func (q *auditQueue) take() (entries []store.NewAuditEntry, leftOut int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	entries, leftOut = q.waiting, q.leftOut
	q.waiting, q.leftOut = nil, 0
	return entries, leftOut
}

// putBack queues entries again that could not be stored.
func (q *auditQueue) putBack(entries []store.NewAuditEntry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(entries, q.waiting...)
	if over := len(q.waiting) - maxAuditQueue; over > 0 {
		q.waiting = q.waiting[:maxAuditQueue]
		q.leftOut += over
	}
}

// saveAudit stores the entries that wait. What can't be stored waits on.
func (s *Service) saveAudit(ctx context.Context) error {
	s.entries.saving.Lock()
	defer s.entries.saving.Unlock()
	entries, leftOut := s.entries.take()
	if leftOut > 0 {
		s.log.Warn("entries of the audit log are in this log only, since there were too many", "count", leftOut)
	}
	left, err := s.store.AddAuditEntries(ctx, entries)
	s.entries.putBack(left)
	return err
}

// storeEntry stores an entry without the queue, and reports whether it did. The change that it is about is done, so
// it is stored even if ctx has ended.
func (s *Service) storeEntry(ctx context.Context, entry store.NewAuditEntry) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAuditTimeout)
	defer cancel()
	_, err := s.store.AddAuditEntries(ctx, []store.NewAuditEntry{entry})
	s.logFailure(ctx, "store an entry of the audit log", err)
	return err == nil
}

// runAudit stores the entries of the audit log until ctx ends, and then the last ones.
func (s *Service) runAudit(ctx context.Context) {
	ticker := time.NewTicker(auditInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAuditTimeout)
			defer cancel()
			s.logFailure(last, "store the last entries of the audit log", s.saveAudit(last))
			return
		case <-ticker.C:
			s.logFailure(ctx, "store entries of the audit log", s.saveAudit(ctx))
		}
	}
}

// runAuditSweep deletes the old entries of the audit log, now and every hour, until ctx ends.
func (s *Service) runAuditSweep(ctx context.Context) {
	if s.auditKeep == 0 {
		return
	}
	for pause := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		more, err := s.sweepAudit(ctx)
		s.logFailure(ctx, "delete old entries of the audit log", err)
		pause = auditSweepInterval
		if more {
			pause = auditSweepPause
		}
	}
}

// sweepAudit deletes a batch of old entries of the audit log. It reports whether there may be more.
func (s *Service) sweepAudit(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	return s.store.SweepAudit(ctx, s.now().Add(-s.auditKeep), auditSweepBatch)
}
