package torture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
)

const (
	// visitorAddress is the address of those who use the server while others attack it. Attackers have others.
	visitorAddress  = "127.0.0.1"
	attackerAddress = "127.0.0.2"
	// attackPause is between the tries of an attacker, who would be busy with being refused otherwise.
	attackPause = 200 * time.Millisecond
)

// siegeSize returns how large an attack is: full if SIEGE is set, as `make siege` does, and small otherwise.
func siegeSize(t *testing.T, full, small int) int {
	t.Helper()
	if setting(t, "SIEGE", 0) == 0 {
		return small
	}
	return full
}

// besieged is a server under attack. It counts what becomes of requests.
type besieged struct {
	*testing.T
	*server
	dir       string          // of its data
	attack    context.Context // ends with the attack
	stop      context.CancelFunc
	attackers sync.WaitGroup
	complete  chan struct{} // closed when all attackers have begun

	mu     sync.Mutex
	counts map[string]int
}

// besiege starts a server. If wrapper is given, it runs the program.
func besiege(t *testing.T, databaseURL string, settings []string, wrapper ...string) *besieged {
	t.Helper()
	dir := t.TempDir()
	settings = append(settings, "PARLEY_DATA="+dir, "PARLEY_DATABASE_URL="+databaseURL)
	b := &besieged{T: t, server: launch(t, settings, wrapper...), dir: dir}
	b.complete, b.counts = make(chan struct{}), map[string]int{}
	b.attack, b.stop = context.WithCancel(t.Context())
	t.Cleanup(b.end)
	b.waitReady(t)
	return b
}

// host returns the host and port of the server.
func (b *besieged) host() string { return strings.TrimPrefix(b.url, "http://") }

// begin lets attackers attack over and over until the end of the attack, one after the other. The next one begins when
// the one before has called placed.
func (b *besieged) begin(count int, once func(i int, placed func())) {
	b.Helper()
	for i := range count {
		done := make(chan struct{})
		placed := sync.OnceFunc(func() { close(done) })
		b.attackers.Go(func() {
			defer placed()
			for b.attack.Err() == nil {
				once(i, placed)
				select {
				case <-time.After(attackPause):
				case <-b.attack.Done():
				}
			}
		})
		<-done
	}
	close(b.complete)
}

// end stops the attackers and waits for them.
func (b *besieged) end() {
	b.stop()
	b.attackers.Wait()
}

// dial opens a connection from an address of this machine. It is closed with the attack.
func (b *besieged) dial(address string) (conn net.Conn, closeConn func(), err error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	conn, err = dialer.DialContext(b.attack, "tcp", b.host())
	if err != nil {
		return nil, nil, err
	}
	unwatch := context.AfterFunc(b.attack, func() { conn.Close() })
	return conn, func() { unwatch(); conn.Close() }, nil
}

// count notes a result of someone's request.
func (b *besieged) count(who, result string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts[who+": "+result]++
}

// wantsOnly fails if there is another result than the wanted ones.
func (b *besieged) wantsOnly(who string, wanted ...string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for what, count := range b.counts {
		if result, found := strings.CutPrefix(what, who+": "); found && !slices.Contains(wanted, result) {
			b.Errorf("%d times %s", count, what)
		}
	}
}

// report ends the attack and logs the counts and the largest resident memory of the server.
func (b *besieged) report() {
	b.Helper()
	peak := memory(b.T, b.server, "VmHWM")
	b.end()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(b.counts)) {
		b.Logf("%6d %s", b.counts[what], what)
	}
	b.Logf("%d MB resident at most", peak)
}

// visitor is a user who has nothing to do with the attack, and opens a connection for each request.
type visitor struct {
	*besieged
	client *client.Client
	login  parley.LoginInput
	failed bool
}

// visitor registers a user at an address.
func (b *besieged) visitor(name, address string) *visitor {
	b.Helper()
	login := parley.LoginInput{Email: name + "@example.com", Password: "password of " + name}
	guest := b.from(address)
	_, err := guest.Register(b.Context(), parley.RegisterInput{Email: login.Email, Password: login.Password})
	must(b.T, err)
	return &visitor{besieged: b, client: guest, login: login}
}

// from returns a client at an address that opens a connection for each request.
func (b *besieged) from(address string) *client.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
	return client.New(b.url, client.WithHTTPClient(&http.Client{Transport: transport}))
}

// stays makes requests while the attack goes on. They must all succeed.
func (v *visitor) stays() {
	v.Helper()
	const atLeast = 3
	full := time.Duration(siegeSize(v.T, 20, 0)) * time.Second
	for begun, round := time.Now(), 0; round < atLeast || time.Since(begun) < full; round++ {
		v.visits()
	}
}

// visits makes requests that must all succeed.
func (v *visitor) visits() {
	v.Helper()
	_, err := v.client.Login(v.Context(), v.login)
	v.wants("a visitor logs in", err)
	session, err := v.client.CreateSession(v.Context(), parley.CreateSessionInput{})
	v.wants("a visitor creates a session", err)
	if err != nil {
		return
	}
	_, err = v.client.Send(v.Context(), parley.SendInput{SessionID: session.SessionID, Content: "Which ferry?"})
	v.wants("a visitor sends", err)
	_, err = v.client.Messages(v.Context(), session.SessionID, parley.Page{})
	v.wants("a visitor reads", err)
}

// wants counts a result of the visitor and fails unless it is a success.
func (v *visitor) wants(what string, err error) {
	v.Helper()
	v.count(what, result(err))
	if err != nil && !v.failed {
		v.failed = true // once is enough: all are counted
		v.Errorf("%s: %v", what, err)
	}
}

// result names what became of a request.
func result(err error) string {
	var refused *client.Error
	switch {
	case err == nil:
		return "HTTP 200"
	case errors.As(err, &refused):
		return fmt.Sprintf("HTTP %d", refused.Status)
	default:
		return "no response"
	}
}
