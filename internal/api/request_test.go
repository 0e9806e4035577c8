package api_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"parley"
	"parley/client"
)

// reply is a response as received.
type reply struct {
	*http.Response
	text     string
	envelope map[string]json.RawMessage
}

// request makes a raw request. Headers have the form "Name: value". The body is JSON unless a header says otherwise.
func (w *world) request(method, path, body string, headers ...string) *reply {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, w.URL+path, strings.NewReader(body))
	w.must(err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Content-Type" {
			r.Header.Set(name, value)
		} else {
			r.Header.Add(name, value)
		}
	}
	res, err := w.http.Do(r)
	w.must(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	w.must(err)
	return newReply(res, text)
}

func newReply(res *http.Response, text []byte) *reply {
	out := &reply{Response: res, text: string(text)}
	_ = json.Unmarshal(text, &out.envelope) // not every response is an envelope
	return out
}

// as returns a header with the client's token.
func as(c *client.Client) string { return "Authorization: Bearer " + c.Token() }

func (r *reply) code() parley.Code {
	var code parley.Code
	_ = json.Unmarshal(r.envelope["error"], &code)
	return code
}

func (r *reply) message() string {
	var message string
	_ = json.Unmarshal(r.envelope["message"], &message)
	return message
}

// body decodes the envelope's body into out.
func (r *reply) body(w *world, out any) {
	w.Helper()
	w.must(json.Unmarshal(r.envelope["body"], out))
}

// keys returns the names of a JSON object's members, sorted.
func keys(object json.RawMessage) []string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(object, &members)
	return slices.Sorted(maps.Keys(members))
}

// scenario is a request and the expected response.
type scenario struct {
	name    string
	method  string // POST unless given
	path    string
	body    string
	headers []string
	status  int
	code    parley.Code
	says    string // text that the message must contain
}

// play runs scenarios. Each request uses the client's token unless c is nil.
func (w *world) play(c *client.Client, scenarios []scenario) {
	w.Helper()
	for _, s := range scenarios {
		w.sub(s.name, func(w *world) {
			if s.method == "" {
				s.method = http.MethodPost
			}
			if c != nil {
				s.headers = append(s.headers, as(c))
			}
			got := w.request(s.method, s.path, s.body, s.headers...)
			if got.StatusCode != s.status || got.code() != s.code {
				w.Fatalf("got HTTP %d with error %d (%s), want %d with %d", got.StatusCode, got.code(), got.text, s.status, s.code)
			}
			if !strings.Contains(got.message(), s.says) || got.message() == "" {
				w.Errorf("the message %q does not say %q", got.message(), s.says)
			}
			wantKeys(w, got, s.code)
		})
	}
}

// wantKeys checks the members of the envelope. An error may not have a body.
func wantKeys(w *world, got *reply, code parley.Code) {
	w.Helper()
	have := keys(json.RawMessage(got.text))
	if code == parley.CodeOK {
		have = slices.DeleteFunc(have, func(name string) bool { return name == "body" })
	}
	if !slices.Equal(have, []string{"error", "message", "success"}) {
		w.Errorf("the envelope has %v: %s", have, got.text)
	}
}
