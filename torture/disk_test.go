package torture

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/client"
)

// TestAFaultOfTheDiskIsRefusedAndPasses makes the disk fail under load for a while.
// Refused changes must leave nothing behind, acknowledged ones must stay readable, and the
// server must recover by itself.
func TestAFaultOfTheDiskIsRefusedAndPasses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault func(*world) (end func())
	}{
		{"full", fillDisk},
		{"sync fails", failing("fsync,fdatasync", "EIO")},
		{"write fails", failing("pwrite64", "EIO")},
		{"read-only", failing("pwrite64,ftruncate", "EROFS")},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, "")
			if test.name == "full" {
				w.disk = newDisk(t, w.dir)
			}
			w.restart(false)
			w.work(50)
			end := test.fault(w)
			refused, waitForOthers := w.workUntilRefused()
			for _, a := range refused {
				w.checkReads(a)
			}
			end()
			waitForOthers()
			w.verify(true)
			w.work(100)
			w.kill()
			w.restart(false)
			w.verify(true)
			w.audit()
		})
	}
}

// work makes all actors act until that many more changes are acknowledged.
func (w *world) work(changes int64) {
	w.Helper()
	enough := w.acked.Load() + changes
	errs := make([]error, len(w.actors))
	var all sync.WaitGroup
	for i, a := range w.actors {
		all.Go(func() {
			errs[i] = a.registerAndAct(w.Context(), actions, func() bool { return w.acked.Load() >= enough })
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		w.Fatalf("%v\nthe log:\n%s", err, w.server.logged())
	}
}

// workUntilRefused makes all actors act until half of them are refused, and returns those.
// The others may wait for replies that can't be stored yet; waitForOthers waits for them.
func (w *world) workUntilRefused() (refused []*actor, waitForOthers func()) {
	w.Helper()
	type outcome struct {
		*actor
		err error
	}
	var enough atomic.Bool
	outcomes := make(chan outcome, len(w.actors))
	for _, a := range w.actors {
		go func() { outcomes <- outcome{a, a.act(w.Context(), actions, enough.Load)} }()
	}
	limit := time.After(waitLimit)
	for range len(w.actors) / 2 {
		select {
		case o := <-outcomes:
			w.checkRefusal(o.err)
			refused = append(refused, o.actor)
		case <-limit:
			w.Fatalf("only %d were refused after %v", len(refused), waitLimit)
		}
	}
	enough.Store(true)
	return refused, func() {
		for range len(w.actors) - len(refused) {
			if o := <-outcomes; o.err != nil {
				w.checkRefusal(o.err)
			}
		}
	}
}

// checkRefusal fails the test unless err is a refusal because of a disk fault.
func (w *world) checkRefusal(err error) {
	w.Helper()
	var e *client.Error
	if !errors.As(err, &e) {
		w.Fatalf("not refused: %v", err)
	}
	known := e.Code == parley.CodeInternal || e.Code == parley.CodeSendFailed || e.Code == parley.CodeUploadFailed
	if inStream := e.Status == 200; !known || e.Status != 500 && !inStream {
		w.Errorf("refused with %v", err)
	}
}

// checkReads fails the test unless a user can read while nothing can be written.
func (w *world) checkReads(a *actor) {
	w.Helper()
	if a.token == "" {
		return // its account was deleted, and another one refused
	}
	ctx, guest := w.Context(), w.server.guest()
	_, userErr := a.client.User(ctx)
	_, searchErr := a.client.Sessions(ctx, "渡", parley.Page{})
	_, favoritesErr := a.client.Favorites(ctx, "", parley.Page{})
	if err := errors.Join(guest.Health(ctx), guest.Ready(ctx), userErr, searchErr, favoritesErr); err != nil {
		w.Errorf("%s can't read: %v", a.name, err)
	}
}

// failing makes system calls of the server fail.
func failing(calls, fault string) func(*world) (end func()) {
	return func(w *world) (end func()) {
		w.Helper()
		return attach(w.T, w.server, "-o", "/dev/null",
			"-e", "trace="+calls, "-e", "inject="+calls+":error="+fault).detach
	}
}
