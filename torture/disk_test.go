package torture

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/client"
)

// TestAFaultOfTheDiskIsRefusedAndPasses lets the disk fail under load, and be well
// again: what is refused leaves nothing, all that was acknowledged can be read all the
// while, and the server goes on by itself.
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
			w.mixed(50)
			end := test.fault(w)
			refused, more := w.untilRefused()
			for _, a := range refused {
				w.readable(a)
			}
			end()
			more()
			w.verify(true)
			w.mixed(100)
			w.kill()
			w.restart(false)
			w.verify(true)
			w.audit()
		})
	}
}

// mixed lets everybody act until so many more changes are acknowledged.
func (w *world) mixed(changes int64) {
	w.Helper()
	enough := w.acked.Load() + changes
	w.together(func(a *actor) error {
		if a.token == "" {
			if err := a.register(w.Context()); err != nil {
				return err
			}
		}
		return a.live(w.Context(), actions, func() bool { return w.acked.Load() >= enough })
	})
}

func (w *world) together(do func(*actor) error) {
	w.Helper()
	errs := make([]error, len(w.actors))
	var all sync.WaitGroup
	for i, a := range w.actors {
		all.Go(func() { errs[i] = do(a) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		w.Fatalf("%v\nthe log:\n%s", err, w.server.said())
	}
}

// untilRefused lets everybody act until half of them are refused, and returns those.
// The others may wait for replies that can't be stored yet; more waits for them.
func (w *world) untilRefused() (idle []*actor, more func()) {
	w.Helper()
	type outcome struct {
		*actor
		err error
	}
	var over atomic.Bool
	outcomes := make(chan outcome, len(w.actors))
	for _, a := range w.actors {
		go func() { outcomes <- outcome{a, a.live(w.Context(), actions, over.Load)} }()
	}
	for range len(w.actors) / 2 {
		select {
		case o := <-outcomes:
			w.refusal(o.err)
			idle = append(idle, o.actor)
		case <-time.After(patience):
			w.Fatalf("only %d were refused after %v", len(idle), patience)
		}
	}
	over.Store(true)
	return idle, func() {
		for range len(w.actors) - len(idle) {
			if o := <-outcomes; o.err != nil {
				w.refusal(o.err)
			}
		}
	}
}

// refusal makes sure that a request was refused as a fault of the disk is.
func (w *world) refusal(err error) {
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

// readable lets a user read while nothing can be written.
func (w *world) readable(a *actor) {
	w.Helper()
	if a.token == "" {
		return // the account was deleted, and another one refused
	}
	ctx, guest := w.Context(), w.server.guest()
	_, userErr := a.client.User(ctx)
	_, searchErr := a.client.Sessions(ctx, "渡", parley.Page{})
	_, favoritesErr := a.client.Favorites(ctx, "", parley.Page{})
	if err := errors.Join(guest.Health(ctx), guest.Ready(ctx), userErr, searchErr, favoritesErr); err != nil {
		w.Errorf("%s can't read: %v", a.name, err)
	}
}

// failing lets system calls of the server fail.
func failing(calls, fault string) func(*world) (end func()) {
	return func(w *world) (end func()) {
		w.Helper()
		needsStrace(w.T)
		cmd := exec.CommandContext(w.Context(), "strace", "-f", "-o", "/dev/null",
			"-e", "trace="+calls, "-e", "inject="+calls+":error="+fault, "-p", strconv.Itoa(w.server.cmd.Process.Pid))
		said, err := cmd.StderrPipe()
		must(w.T, err)
		must(w.T, cmd.Start())
		lines := bufio.NewScanner(said)
		for lines.Scan() && !strings.Contains(lines.Text(), "attached") {
			w.Log(lines.Text())
		}
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			_, _ = io.Copy(io.Discard, said)
		}()
		return func() {
			must(w.T, cmd.Process.Signal(os.Interrupt)) // it lets go of the server
			<-drained
			_ = cmd.Wait() // interrupted
		}
	}
}
