package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// watcher is a transport that looks at everything that goes over the wire. Every
// answer must be as the document says, no error may repeat what was submitted, and
// whatever was said in private is remembered, so that the log can be searched for it.
type watcher struct {
	t    *testing.T
	wire *http.Transport
	log  *logBook

	mu      sync.Mutex
	secrets map[string]bool
}

// newCheckedClient returns the HTTP client of a world. When the world ends its log is
// searched for what must not stand there.
func newCheckedClient(w *world) *http.Client {
	watch := &watcher{t: w.T, wire: &http.Transport{MaxIdleConnsPerHost: 64}, log: w.Log, secrets: map[string]bool{}}
	w.Cleanup(func() {
		watch.wire.CloseIdleConnections()
		watch.searchLog()
	})
	return &http.Client{Transport: watch}
}

// RoundTrip makes the request and looks at both sides of it.
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

// sent is the JSON body of a request, if it can be had.
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
		x.t.Errorf("%s %s: the answer is not as openapi.json says: %v\n%s", r.Method, r.URL, err, text)
	}
	var answer any
	_ = json.Unmarshal(text, &answer) // a download need not be JSON
	x.remember(asked)
	x.remember(answer)
	x.keep(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	x.keep(r.URL.Query().Get("keyword"))
	if envelope, ok := answer.(map[string]any); ok && res.StatusCode != http.StatusOK {
		x.noEcho(r, asked, envelope["message"])
	}
}

// noEcho makes sure that an error's message holds nothing of what was submitted.
func (x *watcher) noEcho(r *http.Request, asked, message any) {
	said, _ := message.(string)
	var values []string
	for _, list := range r.URL.Query() {
		values = append(values, list...)
	}
	eachString(asked, func(_, value string) { values = append(values, value) })
	for _, value := range values {
		if utf8.RuneCountInString(value) >= 4 && strings.Contains(said, value) {
			x.t.Errorf("%s %s: the message %q repeats a submitted value", r.Method, r.URL, said)
		}
	}
}

// private are the fields that nobody but their user should read.
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

// keep remembers a secret. Short ones could stand in a log by chance; of long ones
// the beginning is enough.
func (x *watcher) keep(secret string) {
	const shortest, longest = 8, 100
	if len(secret) < shortest {
		return
	}
	if len(secret) > longest {
		secret = strings.ToValidUTF8(secret[:longest], "")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.secrets[secret] = true
}

func (x *watcher) searchLog() {
	log := x.log.String()
	for secret := range x.secrets {
		quoted := strings.Trim(strconv.Quote(secret), `"`)
		if strings.Contains(log, secret) || strings.Contains(log, quoted) {
			x.t.Errorf("the server's log holds %q", secret)
		}
	}
}

// eachString visits all strings of a JSON value with the name they stand under.
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
