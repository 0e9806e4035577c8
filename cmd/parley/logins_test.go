package main_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testtier"
)

// TestManyLoginsAtOnceLeaveRoomForOthers has twenty users log in ten times each, all at once. Each hash takes 19 MiB.
// The server computes only as many at a time as there are cores, and collects the garbage. Without the limit it would
// need 4 GB.
func TestManyLoginsAtOnceLeaveRoomForOthers(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL=builtin", "PARLEY_REQUEST_TIMEOUT=1m")
	const users = 20
	for i := range users {
		p.user(fmt.Sprint("user", i))
	}
	stop := p.chatter()
	var logins sync.WaitGroup
	for i := range 10 * users {
		logins.Go(func() {
			name := fmt.Sprint("user", i%users)
			in := parley.LoginInput{Email: name + "@example.com", Password: "password of " + name}
			_, err := p.client(nil).Login(t.Context(), in)
			if err != nil && !isLate(err) {
				t.Error(err)
			}
		})
	}
	logins.Wait()
	sends, most := stop(), p.resident()
	if sends == 0 || most > (256+40*runtime.NumCPU())<<20 {
		t.Errorf("%d sends were answered meanwhile, and %d MB were resident", sends, most>>20)
	}
	t.Logf("%d sends were answered meanwhile, %d MB were resident at most", sends, most>>20)
}

// TestRegistrationsLeaveRoomForLogins has three hundred connections register accounts without a pause. Meanwhile a
// user must be able to log in from the same address.
func TestRegistrationsLeaveRoomForLogins(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL=builtin", "PARLEY_REQUEST_TIMEOUT=1m")
	p.user("ada")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var crowd sync.WaitGroup
	defer crowd.Wait()
	var refused atomic.Int64
	for i := range 300 {
		crowd.Go(func() {
			guest := p.client(nil)
			for n := 0; ctx.Err() == nil; n++ {
				email := fmt.Sprintf("crowd-%d-%d@example.com", i, n)
				_, err := guest.Register(ctx, parley.RegisterInput{Email: email, Password: "password"})
				if err != nil && isLate(err) {
					refused.Add(1)
				}
			}
		})
	}
	defer stop()
	until(t, "more register than can wait", func() bool { return refused.Load() > 0 })
	for range 5 {
		in := parley.LoginInput{Email: "ada@example.com", Password: "password of ada"}
		if _, err := p.client(nil).Login(t.Context(), in); err != nil {
			t.Error(err)
		}
	}
}

// isLate reports whether a request was refused or timed out.
func isLate(err error) bool {
	var e *client.Error
	return errors.As(err, &e) &&
		(e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout)
}
