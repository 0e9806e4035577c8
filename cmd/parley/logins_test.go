package main_test

import (
	"errors"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"parley"
	"parley/client"
)

// TestManyLoginsAtOnceLeaveRoomForOthers has two hundred users log in at once. Each hash takes 19 MiB, so only as many
// are computed at a time as there are cores. The garbage collector lets the heap grow to five times what is in use:
// about 100 MiB a core. Without the limit it would be 4 GB.
func TestManyLoginsAtOnceLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL=builtin", "PARLEY_REQUEST_TIMEOUT=1m")
	p.user("ada")
	stop := p.chatter()
	var logins sync.WaitGroup
	for range 200 {
		logins.Go(func() {
			in := parley.LoginInput{Email: "ada@example.com", Password: "password of ada"}
			_, err := p.client(nil).Login(t.Context(), in)
			if err != nil && !isLate(err) {
				t.Error(err)
			}
		})
	}
	logins.Wait()
	sends, most := stop(), p.resident()
	if sends == 0 || most > (256+160*runtime.NumCPU())<<20 {
		t.Errorf("%d sends were answered meanwhile, and %d MB were resident", sends, most>>20)
	}
	t.Logf("%d sends were answered meanwhile, %d MB were resident at most", sends, most>>20)
}

// isLate reports whether a request was refused or timed out.
func isLate(err error) bool {
	var e *client.Error
	return errors.As(err, &e) &&
		(e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout)
}
