package openaiapi

import (
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"parley"
	"parley/internal/ai"
)

const badRequest = "invalid_request_error"

func TestTheBodyOfARequestIsChecked(t *testing.T) {
	w := newWorld(t, nil)
	long := `{"a":"` + strings.Repeat("x", MaxBody) + `"}`
	for _, path := range []string{"chat/completions", "responses"} {
		for _, test := range []struct {
			name, body, header string
			status             int
		}{
			{"no JSON", `{`, "", 400},
			{"nothing", ``, "", 400},
			{"a list", `[]`, "", 400},
			{"null", `null`, "", 400},
			{"a text", `"a"`, "", 400},
			{"two objects", `{}{}`, "", 400},
			{"no Unicode", "{\"a\":\"\xff\"}", "", 400},
			{"many values", `{"a":[` + strings.Repeat("1,", maxValues) + `1]}`, "", 400},
			{"too long", long, "", 413},
			{"compressed", `{}`, "Content-Encoding: gzip", 415},
		} {
			got := w.call("POST", path, test.body, test.header)
			w.wantsError(path+": "+test.name, got, test.status, badRequest, "", "")
		}
		for name, body := range map[string]io.Reader{
			"it breaks off":               io.MultiReader(strings.NewReader(`{"a":`), iotest.ErrReader(io.ErrUnexpectedEOF)),
			"too long, of unknown length": struct{ io.Reader }{strings.NewReader(long)},
		} {
			want := 400
			if strings.HasPrefix(name, "too long") {
				want = 413
			}
			r := httptest.NewRequestWithContext(t.Context(), "POST", Prefix+path, body)
			w.wantsError(path+": "+name, w.do(r), want, badRequest, "", "")
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", Prefix+path, iotest.ErrReader(parley.ErrOverloaded))
		if w.do(r); !errors.Is(w.failed, parley.ErrOverloaded) {
			t.Errorf("%s: without memory for a body: %v", path, w.failed)
		}
	}
	if w.model.count() > 0 {
		t.Error("the model was called")
	}
}

func TestABodyIsTaken(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events = []string{`{"choices":[]}`}
	for name, body := range map[string]string{
		"nulls":                  `{"model":null,"stream":null,"n":null,"store":null,"stream_options":null,` + hello + `}`,
		"white space":            " \n\t{ " + hello + " }\n",
		"the model's own fields": `{"seed":7,"tools":[],` + hello + `}`,
		"a field twice":          `{"seed":"x","seed":7,` + hello + `}`,
		"long":                   `{"messages":[{"role":"user","content":"` + strings.Repeat("x", MaxBody-100) + `"}]}`,
	} {
		if got := w.call("POST", "chat/completions", body, "Content-Encoding: identity"); got.Code != 200 {
			t.Errorf("%s: HTTP %d, %s", name, got.Code, got.Body)
		}
		if _, has := w.model.last()["stream"]; has {
			t.Errorf("%s: the model got null", name)
		}
	}
	if got := string(w.model.calls[0]["messages"]); got == "" {
		t.Error("the model got no messages")
	}
}

func TestACallIsChecked(t *testing.T) {
	w := newWorld(t, nil)
	for _, test := range []struct {
		body        string
		status      int
		code, param string
	}{
		{`{}`, 400, "", "messages"},
		{`{"messages":[]}`, 400, "", "messages"},
		{`{"messages":"Hello"}`, 400, "", "messages"},
		{`{"model":"gpt-0",` + hello + `}`, 404, "model_not_found", "model"},
		{`{"model":7,` + hello + `}`, 400, "", "model"},
		{`{"stream":1,` + hello + `}`, 400, "", "stream"},
		{`{"stream_options":{},` + hello + `}`, 400, "", "stream_options"},
		{`{"stream":true,"stream_options":{"include_usage":1},` + hello + `}`, 400, "", "stream_options"},
		{`{"store":true,` + hello + `}`, 400, "unsupported_parameter", "store"},
		{`{"store":"yes",` + hello + `}`, 400, "", "store"},
		{`{"n":0,` + hello + `}`, 400, "", "n"},
		{`{"n":17,` + hello + `}`, 400, "", "n"},
		{`{"n":1.5,` + hello + `}`, 400, "", "n"},
	} {
		w.wantsError(test.body, w.call("POST", "chat/completions", test.body), test.status, badRequest, test.code, test.param)
	}
	if w.model.count() > 0 {
		t.Error("the model was called")
	}
}

// TestTheFirstWrongFieldIsNamed has several fields that are wrong. The error must not depend on the order of a map.
func TestTheFirstWrongFieldIsNamed(t *testing.T) {
	wrong := func(names ...string) fields {
		f := fields{"input": []byte(`"Hello"`)}
		for _, name := range names {
			f[name] = []byte(`[{}]`)
		}
		return f
	}
	a := New(Config{Now: time.Now})
	for name, test := range map[string]struct {
		check func() error
		want  string
	}{
		"a call": {func() error {
			_, _, err := a.newCall(wrong("n", "store", "messages", "stream", "model"))
			return err
		}, "model"},
		"unknown fields of a response": {func() error {
			return checkFields(wrong("zeta", "gamma", "beta", "alpha", "model"))
		}, "alpha"},
		"fields of a response that are checked": {func() error {
			return checkFields(wrong("top_logprobs", "include", "truncation", "background"))
		}, "background"},
		"fields that a response repeats": {func() error {
			_, err := a.newResponse(wrong("user", "top_p", "temperature", "instructions", "store", "model"))
			return err
		}, "model"},
		"fields that no turn can honor": {func() error {
			_, err := sendInput("s", ai.Call{Body: wrong("tools", "seed", "logprobs", "audio", "model")})
			return err
		}, "audio"},
	} {
		for range 50 {
			var own *Error
			if err := test.check(); !errors.As(err, &own) || own.Param != test.want {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestIdempotencyKeysAreChecked(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events = says("Hi.")
	for name, keys := range map[string][]string{
		"two": {"a", "b"}, "too long": {strings.Repeat("渡", 129)}, "no Unicode": {"\xff"},
	} {
		for path, body := range map[string]string{"chat/completions": `{` + hello + `}`, "responses": `{"input":"Hello"}`} {
			var headers []string
			for _, key := range keys {
				headers = append(headers, "Idempotency-Key: "+key)
			}
			w.wantsError(path+": "+name, w.call("POST", path, body, headers...), 400, badRequest, "", "Idempotency-Key")
		}
	}
	longest := "Idempotency-Key: " + strings.Repeat("渡", 128)
	if got := w.call("POST", "responses", `{"input":"Hello"}`, longest); got.Code != 200 {
		t.Errorf("the longest: HTTP %d, %s", got.Code, got.Body)
	}
}
