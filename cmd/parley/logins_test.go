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

// TestManyLoginsAtOnceLeaveRoomForOthers lets two hundred people log in at once. Each
// needs 19 MiB for its hash, so only as many are made at a time as there are cores.
func TestManyLoginsAtOnceLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL=builtin")
	p.user("ada")
	stop := p.chatter()
	var logins sync.WaitGroup
	for range 200 {
		logins.Go(func() {
			_, err := p.client(nil).Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: "password of ada"})
			var late *client.Error
			if err != nil && (!errors.As(err, &late) || late.Status != http.StatusServiceUnavailable && late.Status != http.StatusGatewayTimeout) {
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
