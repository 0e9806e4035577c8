package store_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/store"
	"parley/internal/store/storetest"
	"parley/internal/testtier"
)

// fault is an error or a panic before or after a commit, or a write to the blob store.
type fault struct {
	name          string
	before, after error
	panics        bool
}

var errFault = errors.New("injected")

var faults = []fault{
	{"an error before", errFault, nil, false},
	{"an error after", nil, errFault, false},
	{"a panic before", errFault, nil, true},
	{"a panic after", nil, errFault, true},
}

// failpoint is a fault at the nth time; nil means no fault.
type failpoint struct {
	fault
	nth    int64
	passed atomic.Int64
}

func (f *failpoint) pass(before bool) error {
	if f == nil {
		return nil
	}
	err := f.after
	if before {
		err = f.before
	}
	if err == nil || f.passed.Add(1) != f.nth {
		return nil
	}
	if f.panics {
		panic(err)
	}
	return err
}

// TestAFaultAtAnyCommitLeavesAllOrNothing fails once before and once after every commit of
// every operation, with an error and with a panic, and at every write of bytes with an
// error. The service keeps working. After a restart the operation is done or not, never in
// part.
func TestAFaultAtAnyCommitLeavesAllOrNothing(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	storetest.EachParallel(t, func(t *testing.T, databaseURL string) {
		s := &service{T: t, dir: t.TempDir(), databaseURL: databaseURL}
		s.start()
		for _, op := range operations {
			usual := s.rehearse(op)
			for _, fault := range faults {
				for nth := range usual.commits {
					s.perform(fmt.Sprintf("%s, %s commit %d", op.name, fault.name, nth+1), op, usual, &s.atCommit, fault, nth+1)
				}
				if fault.panics {
					continue // in a write of bytes it would end the process, as a kill does
				}
				for nth := range usual.blobs {
					s.perform(fmt.Sprintf("%s, %s write of bytes %d", op.name, fault.name, nth+1), op, usual, &s.atBlob, fault, nth+1)
				}
			}
		}
	})
}

// usual is what an operation does if nothing fails.
type usual struct {
	before, after  string // what its user sees
	commits, blobs int64  // how many it makes
}

// rehearse runs an operation without a fault.
func (s *service) rehearse(op operation) (u usual) {
	s.Helper()
	who := s.user()
	u.before = op.look(s, who)
	u.commits, u.blobs = s.commits.Load(), s.blobs.Load()
	s.must(op.do(s.Context(), who))
	u.commits, u.blobs = s.commits.Load()-u.commits, s.blobs.Load()-u.blobs
	u.after = op.look(s, who)
	if u.before == u.after || u.commits == 0 {
		s.Fatalf("%s changes nothing", op.name)
	}
	return u
}

// perform runs an operation with a fault and checks the result.
func (s *service) perform(
	name string, op operation, usual usual, at *atomic.Pointer[failpoint], fault fault, nth int64,
) {
	s.Helper()
	who := s.user()
	at.Store(&failpoint{fault: fault, nth: nth})
	err := op.do(s.Context(), who)
	at.Store(nil)
	var refused *client.Error
	if err != nil && !errors.As(err, &refused) {
		s.Fatalf("%s: no response: %v", name, err)
	}
	_, next := who.CreateSession(s.Context(), parley.CreateSessionInput{Title: nextTitle})
	if next != nil && codeOf(next) != parley.CodeBadToken { // the operation may have ended the token
		s.Errorf("%s: the next request fails: %v", name, next)
	}

	s.restart()
	rest := s.background()
	who.Client = client.New(s.url, client.WithToken(who.Token()))
	got := op.look(s, who)
	rest()
	store.Audit(s, s.database)
	switch {
	case err == nil && got != usual.after:
		s.Errorf("%s: it was acknowledged, and is\n%s\nnot\n%s", name, got, usual.after)
	case err != nil && fault.before != nil && got != usual.before:
		s.Errorf("%s: it was refused (%v), and left\n%s\nnot\n%s", name, err, got, usual.before)
	case got != usual.before && got != usual.after:
		s.Errorf("%s: neither done nor not done (%v):\n%s\nnot\n%s\nnor\n%s", name, err, got, usual.before, usual.after)
	}
}

// TestAPanicInATurnDoesNotBlockItsSession panics after the commit that opens a turn, and
// after the one that ends it.
func TestAPanicInATurnDoesNotBlockItsSession(t *testing.T) {
	t.Parallel()
	storetest.EachParallel(t, func(t *testing.T, databaseURL string) {
		s := &service{T: t, dir: t.TempDir(), databaseURL: databaseURL}
		for nth := range int64(2) {
			s.start()
			who := s.user()
			s.atCommit.Store(&failpoint{fault: faults[3], nth: nth + 1})
			_, err := who.Send(s.Context(), parley.SendInput{SessionID: who.session, Content: "What?"})
			s.atCommit.Store(nil)
			if codeOf(err) == parley.CodeOK {
				t.Errorf("the panic of commit %d is not reported: %v", nth+1, err)
			}
			rest := s.background() // takes over the open reply
			_, err = who.Send(s.Context(), parley.SendInput{SessionID: who.session, Content: "Next?"})
			s.must(err)
			if got := s.settled(who, who.session); len(got) != 6 {
				t.Errorf("%d messages", len(got))
			}
			rest()
			s.stop()
		}
	})
}
