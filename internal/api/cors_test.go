package api_test

import (
	"strings"
	"testing"
)

func TestAnyOriginMayCall(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		for _, path := range []string{"/api/user/info", "/api/nothing", "/openapi.json"} {
			got := w.request("GET", path, "", as(ada), "Origin: https://app.example.com")
			if allowed := got.Header.Get("Access-Control-Allow-Origin"); allowed != "*" {
				w.Errorf("%s: Access-Control-Allow-Origin is %q", path, allowed)
			}
			if exposed := got.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "Retry-After") {
				w.Errorf("%s: Access-Control-Expose-Headers is %q", path, exposed)
			}
			if got.Header.Get("Access-Control-Allow-Credentials") != "" {
				w.Errorf("%s: cookies are allowed", path)
			}
		}
		preflight := w.request("OPTIONS", "/api/chat/send", "", "Origin: https://app.example.com",
			"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type")
		if preflight.StatusCode != 204 || preflight.text != "" {
			w.Errorf("the preflight got HTTP %d, %s", preflight.StatusCode, preflight.text)
		}
		for name, want := range map[string][]string{
			"Access-Control-Allow-Origin":  {"*"},
			"Access-Control-Allow-Methods": {"GET", "POST", "PATCH", "DELETE"},
			"Access-Control-Allow-Headers": {"Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"},
		} {
			if got := strings.Split(preflight.Header.Get(name), ", "); strings.Join(got, " ") != strings.Join(want, " ") {
				w.Errorf("%s is %v, want %v", name, got, want)
			}
		}
	})
}

func TestOriginsCanBeNarrowed(t *testing.T) {
	eachWith(t, func(w *world) { w.CORSOrigins = []string{"https://app.example.com"} }, func(w *world) {
		for origin, want := range map[string]string{
			"https://app.example.com": "https://app.example.com", "https://eve.example.com": "", "http://app.example.com": "",
			"null": "", "*": "",
		} {
			got := w.request("GET", "/api/user/info", "", "Origin: "+origin)
			if allowed := got.Header.Get("Access-Control-Allow-Origin"); allowed != want {
				w.Errorf("%s: Access-Control-Allow-Origin is %q, want %q", origin, allowed, want)
			}
			if vary := got.Header.Get("Vary"); !strings.Contains(vary, "Origin") {
				w.Errorf("%s: Vary is %q", origin, vary)
			}
			preflight := w.request("OPTIONS", "/api/chat/send", "", "Origin: "+origin, "Access-Control-Request-Method: POST")
			if allowed := preflight.Header.Get("Access-Control-Allow-Methods"); (allowed != "") != (want != "") {
				w.Errorf("%s: the preflight allows %q", origin, allowed)
			}
		}
		if got := w.request("GET", "/api/user/info", ""); got.StatusCode != 401 ||
			got.Header.Get("Access-Control-Allow-Origin") != "" {
			w.Errorf("without an origin: HTTP %d, %v", got.StatusCode, got.Header)
		}
	})
}
