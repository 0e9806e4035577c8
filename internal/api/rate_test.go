package api_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/config"
)

func TestAUserWhoCallsTooOftenHasToWait(t *testing.T) {
	settings := func(w *world) {
		w.RateLimit.User = config.Rate{Requests: 4, Per: time.Minute}
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		ctx := w.Context()
		ada, eve := w.user("ada"), w.user("eve")
		session := w.session(ada, "")
		key := client.WithIdempotencyKey("once")
		in := parley.SendInput{SessionID: session, Content: "Is it?"}
		first, err := ada.Send(ctx, in, key)
		w.must(err)
		for range 2 {
			_, err = ada.User(ctx)
			w.must(err)
		}
		refused := w.request("GET", "/api/user/info", "", as(ada))
		if refused.StatusCode != http.StatusTooManyRequests || refused.code() != parley.CodeTooManyAttempts ||
			refused.Header.Get("Retry-After") != "15" {
			w.Errorf("got HTTP %d, %s, Retry-After %q", refused.StatusCode, refused.text, refused.Header.Get("Retry-After"))
		}
		_, err = ada.Send(ctx, in, client.WithIdempotencyKey("another"))
		w.wants(err, parley.CodeTooManyAttempts, 429)
		if again, err := ada.Send(ctx, in, key); err != nil || again.AIResponse.ID != first.AIResponse.ID {
			w.Errorf("sent again: %+v, %v", again, err)
		}
		if _, err := eve.User(ctx); err != nil {
			w.Errorf("another user: %v", err)
		}
		w.must(ada.Health(ctx))
		w.clock.forward(15 * time.Second)
		if got := w.messages(ada, session); len(got) != 2 {
			w.Errorf("stored %+v", got)
		}
	})
}

func TestAnAddressThatCallsTooOftenHasToWait(t *testing.T) {
	settings := func(w *world) {
		w.RateLimit.Address = config.Rate{Requests: 4, Per: time.Minute}
		w.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		ada := w.user("ada")
		from := func(address, path string, more ...string) int {
			return w.request("GET", path, "", append(more, "X-Forwarded-For: "+address)...).StatusCode
		}
		session := w.session(ada, "")
		again := func(key string) *reply {
			return w.request("POST", "/api/chat/send", fmt.Sprintf(`{"session_id":%q,"content":"Is it?"}`, session),
				"X-Forwarded-For: 192.0.2.1", "Idempotency-Key: "+key, as(ada))
		}
		first := again("once")
		for i, want := range []int{401, 401, 401, 429, 429} {
			if got := from("192.0.2.1", "/api/user/info"); got != want {
				w.Errorf("call %d: HTTP %d, want %d", i+1, got, want)
			}
		}
		refused := w.request("GET", "/api/user/info", "", "X-Forwarded-For: 192.0.2.1", "Origin: https://app.example.com")
		if refused.code() != parley.CodeTooManyAttempts || refused.Header.Get("Retry-After") == "" ||
			refused.Header.Get("Access-Control-Allow-Origin") != "*" {
			w.Errorf("a page of another site gets %s with %v", refused.text, refused.Header)
		}
		for _, path := range []string{"/healthz", "/openapi.json", "/"} {
			if got := from("192.0.2.1", path); got == 429 {
				w.Errorf("%s is limited", path)
			}
		}
		if got := from("192.0.2.2", "/api/user/info", as(ada)); got != 200 {
			w.Errorf("from another address: HTTP %d", got)
		}
		// Without a valid token, nobody knows whether the message was sent before.
		if unknown := again("another"); unknown.StatusCode != 429 {
			w.Errorf("an unknown key: HTTP %d, %s", unknown.StatusCode, unknown.text)
		}
		if known := again("once"); known.StatusCode != 200 || known.text != first.text {
			w.Errorf("sent again: HTTP %d, %s, want %s", known.StatusCode, known.text, first.text)
		}
	})
}

// TestEntriesOfOneAddressAreLimited checks that logins and registrations have separate limits.
func TestEntriesOfOneAddressAreLimited(t *testing.T) {
	settings := func(w *world) {
		w.RateLimit.Login = config.Rate{Requests: 2, Per: time.Minute}
		w.RateLimit.Register = config.Rate{Requests: 3, Per: time.Minute}
		w.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		enter := func(path, name string, headers ...string) int {
			body := fmt.Sprintf(`{"email":%q,"password":"password"}`, w.address(name))
			return w.request("POST", path, body, headers...).StatusCode
		}
		const here, there = "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2"
		for i, want := range []int{200, 200, 200, 429} {
			if got := enter("/api/auth/register", fmt.Sprint("user", i), here); got != want {
				w.Errorf("registration %d: HTTP %d, want %d", i+1, got, want)
			}
		}
		for i, want := range []int{200, 200, 429, 429} {
			if got := enter("/api/auth/login", "user0", here); got != want {
				w.Errorf("login %d: HTTP %d, want %d", i+1, got, want)
			}
		}
		if got := enter("/api/auth/login", "user0", there); got != 200 {
			w.Errorf("a login from another address: HTTP %d", got)
		}
		for range 4 {
			if got := enter("/api/auth/login", "user0"); got != 200 {
				w.Errorf("a login from this machine: HTTP %d", got)
			}
		}
		w.clock.forward(30 * time.Second)
		if got := enter("/api/auth/login", "user0", here); got != 200 {
			w.Errorf("a login later: HTTP %d", got)
		}
	})
}
