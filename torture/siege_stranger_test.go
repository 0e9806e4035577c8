package torture

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/testdb"
)

// TestSiegeOfUnfinishedLogins has strangers send the largest bodies but for their last byte. First all of them send so
// much that the server can just hold it in memory, then the rest. Others log in and send.
func TestSiegeOfUnfinishedLogins(t *testing.T) {
	t.Parallel()
	const strangers, large, first = 34, 2 << 20, 63 << 20 / 34
	head := fmt.Sprintf("POST /api/auth/login HTTP/1.1\r\nHost: parley\r\nContent-Length: %d\r\n\r\n", large)
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		b := besiege(t, databaseURL, nil)
		ada := b.visitor("ada", visitorAddress)
		b.begin(strangers, func(_ int, placed func()) {
			b.hold(attackerAddress, head+strings.Repeat(" ", first), strings.Repeat(" ", large-first-1), placed)
		})
		time.Sleep(2 * settle) // for the rest
		ada.stays()
		b.report()
	})
}

// settle is how long the server has to read what attackers have sent.
const settle = time.Second

// hold opens a connection, sends the beginning of a request, the rest of the beginning once all attackers are there,
// and waits until the server closes the connection or the attack ends. It counts the first line of the response.
func (b *besieged) hold(address, request, rest string, placed func()) {
	conn, closeConn, err := b.dial(address)
	if err != nil {
		return
	}
	defer closeConn()
	_, _ = io.WriteString(conn, request) // it fails if the server has refused the request
	placed()
	if rest != "" {
		<-b.complete
		time.Sleep(settle)
		_, _ = io.WriteString(conn, rest)
	}
	response := bufio.NewReader(conn)
	line, err := response.ReadString('\n')
	switch {
	case b.attack.Err() != nil:
		b.count("an attacker", "held until the end")
	case err != nil:
		b.count("an attacker", "closed without a response")
	default:
		b.count("an attacker", strings.TrimSpace(line))
		_, _ = io.Copy(io.Discard, response)
	}
}

// TestSiegeOfUnreadBodies has strangers at many addresses send requests that are answered without their body, which
// never comes. They have more connections than the server has descriptors. The server must close them, and serve
// others then.
func TestSiegeOfUnreadBodies(t *testing.T) {
	t.Parallel()
	const body = "Content-Length: 100\r\n\r\n"
	requests := []string{
		"POST /api/chat/send HTTP/1.1\r\nHost: parley\r\n" + body,                              // 401
		"POST /api/nothing HTTP/1.1\r\nHost: parley\r\n" + body,                                // 404
		"DELETE /api/auth/login HTTP/1.1\r\nHost: parley\r\n" + body,                           // 405
		"POST /api/auth/login HTTP/1.1\r\nHost: parley\r\nContent-Encoding: gzip\r\n" + body,   // 415
		"GET /healthz HTTP/1.1\r\nHost: parley\r\n" + body,                                     // 200
		"GET /api/user/info HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer none\r\n" + body, // 401
	}
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		count := siegeSize(t, 1200, 300)
		descriptors := fmt.Sprintf("--nofile=%d:%[1]d", siegeSize(t, 1024, 256))
		// Some of the requests are refused with 429.
		rate := fmt.Sprintf("PARLEY_RATE_LIMIT=address=%d/h", count/30)
		b := besiege(t, databaseURL, []string{rate}, "prlimit", descriptors)
		ada := b.visitor("ada", visitorAddress)
		var crowd sync.WaitGroup
		for i := range count {
			done := make(chan struct{})
			placed := sync.OnceFunc(func() { close(done) })
			crowd.Go(func() {
				defer placed()
				b.hold(fmt.Sprintf("127.0.0.%d", 2+i%8), requests[i%len(requests)], "", placed)
			})
			<-done
		}
		ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
		defer cancel()
		unstuck := context.AfterFunc(ctx, b.stop)
		defer unstuck()
		ada.isServed(ctx)
		crowd.Wait() // the server closes all connections
		if ctx.Err() != nil {
			t.Error("the server does not close the connections")
		}
		ada.visits()
		b.report()
	})
}

// isServed asks whether the server is alive until it says so. It may say that it is overloaded before.
func (v *visitor) isServed(ctx context.Context) {
	v.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	for {
		status, err := get(ctx, transport, v.url+"/healthz")
		if err != nil {
			v.count("a visitor asks for health", "no response")
			v.Errorf("a visitor asks for health: %v", err)
			return
		}
		v.count("a visitor asks for health", fmt.Sprint("HTTP ", status))
		if status == http.StatusOK {
			return
		}
		time.Sleep(attackPause)
	}
}

func get(ctx context.Context, transport *http.Transport, url string) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, err
	}
	response.Body.Close()
	return response.StatusCode, nil
}

// TestSiegeOfRegistrations has a stranger register accounts over three hundred connections. Others log in, at the same
// address and at another one.
func TestSiegeOfRegistrations(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		b := besiege(t, databaseURL, nil)
		visitors := []*visitor{b.visitor("ada", visitorAddress), b.visitor("bob", attackerAddress)}
		stranger := b.from(attackerAddress)
		first := make(chan struct{})
		hasFirst := sync.OnceFunc(func() { close(first) })
		b.begin(siegeSize(t, 300, 30), func(i int, placed func()) {
			placed()
			email := fmt.Sprintf("%d-%d@example.com", i, rand.Uint64())
			_, err := stranger.Register(b.attack, parley.RegisterInput{Email: email, Password: "password"})
			if b.attack.Err() == nil {
				b.count("an attacker", result(err))
			}
			hasFirst()
		})
		<-first
		for range siegeSize(t, 5, 1) {
			for _, v := range visitors {
				v.visits()
			}
		}
		b.report()
	})
}

// TestSiegeOfUnfinishedHeaders has a stranger open more connections than the server takes, over and over, and send the
// beginning of a header on each. Others are served at another address.
func TestSiegeOfUnfinishedHeaders(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		count := min(siegeSize(t, 10_000, 150), freeDescriptors(t))
		b := besiege(t, databaseURL, []string{"PARLEY_MAX_CONNECTIONS=" + strconv.Itoa(count*4/5)})
		ada := b.visitor("ada", visitorAddress)
		b.begin(count, func(_ int, placed func()) {
			b.hold(attackerAddress, "GET /api/user/info HTTP/1.1\r\nHost: parley\r\nX-Slow: ", "", placed)
		})
		ada.stays()
		b.report()
	})
}

// freeDescriptors returns how many connections a test may open.
func freeDescriptors(t *testing.T) int {
	t.Helper()
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	return int(min(limit.Cur, 1<<20)) * 3 / 4
}
