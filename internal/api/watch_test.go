package api_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"parley/internal/language"
)

// watcher is a transport that checks all requests and responses. Every response must match the document. No error may
// repeat a submitted value or lack its Chinese message. The watcher collects private values and looks for them in the
// log.
type watcher struct {
	t    *testing.T
	wire *http.Transport
	log  *logBook

	mu      sync.Mutex
	secrets map[string]bool
}

// newCheckedClient returns the HTTP client of a world. At the world's end it searches the log for private values.
func newCheckedClient(w *world) *http.Client {
	watch := &watcher{t: w.T, wire: &http.Transport{MaxIdleConnsPerHost: 64}, log: w.Log, secrets: map[string]bool{}}
	w.Cleanup(func() {
		watch.wire.CloseIdleConnections()
		for _, secret := range watch.secretsIn(watch.log.String()) {
			w.Errorf("the server's log holds %q", secret)
		}
	})
	return &http.Client{Transport: watch}
}

// RoundTrip makes the request and checks both the request and its response.
func (x *watcher) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := sent(r)
	res, err := x.wire.RoundTrip(r)
	if err != nil || isStream(res) {
		return res, err
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	x.look(r, asked, res, text)
	return res, nil
}

// sent returns the JSON body of a request if the body can be read again.
func sent(r *http.Request) any {
	if r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil
	}
	var value any
	_ = json.NewDecoder(body).Decode(&value) // a test may send anything
	return value
}

func (x *watcher) look(r *http.Request, asked any, res *http.Response, text []byte) {
	d, err := theDocument()
	if err != nil {
		x.t.Errorf("read openapi.json: %v", err)
		return
	}
	if err := d.check(r, res, text); err != nil {
		x.t.Errorf("%s %s: the response does not match openapi.json: %v\n%s", r.Method, r.URL, err, text)
	}
	var answer any
	_ = json.Unmarshal(text, &answer) // a download need not be JSON
	x.remember(asked)
	x.remember(answer)
	x.keep(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	x.keep(r.URL.Query().Get("keyword"))
	if envelope, ok := answer.(map[string]any); ok && res.StatusCode != http.StatusOK {
		x.lookAtMessage(r, asked, envelope["message"])
	}
}

// lookAtMessage checks the message of an error.
func (x *watcher) lookAtMessage(r *http.Request, asked, message any) {
	if repeats(r, asked, message) {
		x.t.Errorf("%s %s: the message %q repeats a submitted value", r.Method, r.URL, message)
	}
	said, _ := message.(string)
	if r.Header["Accept-Language"] == nil && language.Chinese.Message(said) == said {
		x.t.Errorf("%s %s: the message %q is not translated", r.Method, r.URL, said)
	}
}

// repeats reports whether an error's message contains a submitted value. It ignores short values, which could be
// there by chance.
func repeats(r *http.Request, asked, message any) bool {
	const shortest = 4
	said, _ := message.(string)
	var values []string
	for _, list := range r.URL.Query() {
		values = append(values, list...)
	}
	eachString(asked, func(_, value string) { values = append(values, value) })
	return slices.ContainsFunc(values, func(value string) bool {
		return utf8.RuneCountInString(value) >= shortest && strings.Contains(said, value)
	})
}

// private lists the fields that only their user may read.
var private = map[string]bool{
	"token": true, "password": true, "old_password": true, "new_password": true,
	"content": true, "title": true, "session_title": true, "snippet": true,
}

func (x *watcher) remember(value any) {
	eachString(value, func(name, text string) {
		if private[name] {
			x.keep(text)
		}
	})
}

// keep adds a secret. It ignores short ones, which could be in a log by chance, and numbers, which tests send as wrong
// values also where the audit log has the name of a model. It cuts long ones.
func (x *watcher) keep(secret string) {
	const shortest, longest = 8, 100
	if _, err := strconv.ParseFloat(secret, 64); err == nil || len(secret) < shortest {
		return
	}
	if len(secret) > longest {
		secret = strings.ToValidUTF8(secret[:longest], "")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.secrets[secret] = true
}

// secretsIn returns the secrets that a log contains, verbatim or quoted.
func (x *watcher) secretsIn(log string) (found []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for secret := range x.secrets {
		quoted := strings.Trim(strconv.Quote(secret), `"`)
		if strings.Contains(log, secret) || strings.Contains(log, quoted) {
			found = append(found, secret)
		}
	}
	return found
}

// eachString visits all strings of a JSON value with the names of their fields.
func eachString(value any, visit func(name, text string)) {
	switch value := value.(type) {
	case []any:
		for _, member := range value {
			eachString(member, visit)
		}
	case map[string]any:
		for name, member := range value {
			if text, ok := member.(string); ok {
				visit(name, text)
			} else {
				eachString(member, visit)
			}
		}
	}
}

// TestWatchingFindsFaults checks that the watcher can fail.
func TestWatchingFindsFaults(t *testing.T) {
	d := mustDocument(t)
	const good = `{"error":0,"body":{"user_id":1,"nickname":"a","email":"b","avatar":"","created_at":1},` +
		`"message":"ok","success":true}`
	for _, test := range []struct {
		name, path, kind, text string
		status                 int
		fine                   bool
	}{
		{name: "as described", status: 200, text: good, fine: true},
		{name: "an error as described", status: 401, text: `{"error":1005,"message":"no","success":false}`, fine: true},
		{name: "a status that is not described", status: 418, text: good},
		{name: "a type that is not described", status: 200, kind: "text/html", text: good},
		{name: "a field of another type", status: 200, text: strings.Replace(good, `"user_id":1`, `"user_id":"1"`, 1)},
		{name: "a number that is too large", status: 200, text: strings.Replace(good, `"user_id":1`, `"user_id":1e30`, 1)},
		{name: "a field that is null", status: 200, text: strings.Replace(good, `"nickname":"a"`, `"nickname":null`, 1)},
		{name: "a missing field", status: 200, text: strings.Replace(good, `"avatar":"",`, ``, 1)},
		{name: "a field too many", status: 200, text: strings.Replace(good, `"avatar"`, `"hash":"x","avatar"`, 1)},
		{
			name: "an envelope with a field too many", status: 200,
			text: strings.Replace(good, `"error"`, `"$schema":"x","error"`, 1),
		},
		{name: "a success that is an error", status: 401, text: good[:len(good)-1] + `,"more":1}`},
		{
			name: "an unknown path", path: "/api/nothing", status: 404, text: `{"error":1001,"message":"no","success":false}`,
			fine: true,
		},
		{name: "an unknown path that succeeds", path: "/api/nothing", status: 200, text: good},
		{name: "an unknown path without an envelope", path: "/api/nothing", status: 404, text: `not found`},
	} {
		request := httptest.NewRequest(http.MethodGet, cmp.Or(test.path, "/api/user/info"), nil)
		answer := &http.Response{
			StatusCode: test.status,
			Header:     http.Header{"Content-Type": {cmp.Or(test.kind, "application/json")}},
		}
		if err := d.check(request, answer, []byte(test.text)); (err == nil) != test.fine {
			t.Errorf("%s: got %v", test.name, err)
		}
	}

	x := &watcher{secrets: map[string]bool{}}
	x.remember(map[string]any{"body": map[string]any{
		"token":    "secret token",
		"messages": []any{map[string]any{"content": "two\nlines"}},
	}})
	for log, want := range map[string]int{"status=200": 0, "token=secret token": 1, `error="two\nlines"`: 1} {
		if found := x.secretsIn(log); len(found) != want {
			t.Errorf("%q: found %q", log, found)
		}
	}
	request := httptest.NewRequest(http.MethodGet, "/api/chat/sessions?page=nonsense", nil)
	if !repeats(request, nil, "page must not be nonsense") || repeats(request, nil, "page must be a whole number") {
		t.Error("a value in the query")
	}
	if !repeats(request, map[string]any{"title": "my title"}, `"my title" is too long`) {
		t.Error("a value in the body")
	}
}
