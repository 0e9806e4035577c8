package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

// reached is the response to a call of OpenAI's API.
type reached struct {
	status int
	header http.Header
	text   string
}

// openAIRequest returns a request to a path under /v1. Headers have the form "Name: value".
func (w *world) openAIRequest(c *client.Client, method, path, body string, headers ...string) *http.Request {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, w.URL+"/v1/"+path, strings.NewReader(body))
	w.must(err)
	if c != nil {
		r.Header.Set("Authorization", "Bearer "+c.Token())
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	return r
}

// call calls OpenAI's API. Browsers and proxies may not store any of its responses.
func (w *world) call(c *client.Client, method, path, body string, headers ...string) reached {
	w.Helper()
	response, err := http.DefaultClient.Do(w.openAIRequest(c, method, path, body, headers...))
	w.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	w.must(err)
	if kept := response.Header.Get("Cache-Control"); kept != "no-store" && kept != "no-store, no-transform" {
		w.Errorf("%s %s: HTTP %d has Cache-Control %q", method, path, response.StatusCode, kept)
	}
	return reached{response.StatusCode, response.Header, string(text)}
}

// wantsOpenAI checks that a response is an error in OpenAI's format.
func (w *world) wantsOpenAI(got reached, status int, kind, code, param string) {
	w.Helper()
	var body struct {
		Error struct{ Message, Type, Code, Param string }
	}
	err := json.Unmarshal([]byte(got.text), &body)
	e := body.Error
	if err != nil || got.status != status || e.Type != kind || e.Code != code || e.Param != param || e.Message == "" {
		w.Errorf("got HTTP %d, %s; want %d, %s, %s, %s", got.status, got.text, status, kind, code, param)
	}
}

const hello = `"messages":[{"role":"user","content":"Hello"}]`

// plainAnswer is a response without streaming.
const plainAnswer = `{"id":"chatcmpl-9","object":"chat.completion","created":1,"model":"upstream default",` +
	`"choices":[{"index":0,"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`

func TestACallIsPassedToTheModelAsItIs(t *testing.T) {
	eachWith(t, countCalls, func(w *world) {
		ada := w.user("ada")
		w.Model.Script(aitest.Status(200, plainAnswer))
		got := w.call(ada, "POST", "chat/completions", `{"model":"default","temperature":0.25,"seed":7,`+
			`"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"response_format":{"type":"json_object"},`+
			`"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}]}`)
		if want := strings.Replace(plainAnswer, "upstream default", "default", 1); got.status != 200 || got.text != want {
			w.Errorf("got HTTP %d, %s", got.status, got.text)
		}
		sent := w.Model.Last(w.T).Fields
		for name, want := range map[string]string{
			"model": `"upstream default"`, "temperature": "0.25", "seed": "7", "response_format": `{"type":"json_object"}`,
			"tools":    `[{"type":"function","function":{"name":"f","parameters":{}}}]`,
			"messages": `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}]`,
		} {
			if string(sent[name]) != want {
				w.Errorf("the model got %s %s", name, sent[name])
			}
		}
		if want := (parley.Usage{InputTokens: 7, OutputTokens: 2}); w.counted.last() != want {
			w.Errorf("counted %+v", w.counted.last())
		}
		if list, err := ada.Sessions(w.Context(), "", parley.Page{Number: 1, Size: 20}); err != nil || list.Total != 0 {
			w.Errorf("it has stored %+v, %v", list, err)
		}
	})
}

// countCalls gives the world a log of the usage of calls. Worlds run in parallel, so each has its own.
func countCalls(w *world) {
	w.counted = &usageLog{}
	w.BeginCall = w.counted.begin
}

// usageLog keeps the counted usage.
type usageLog struct {
	mu  sync.Mutex
	all []parley.Usage
}

func (l *usageLog) begin(context.Context, int64, string, int) (func(context.Context, parley.Usage) error, error) {
	return func(_ context.Context, usage parley.Usage) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = append(l.all, usage)
		return nil
	}, nil
}

func (l *usageLog) last() parley.Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return parley.Usage{}
	}
	return l.all[len(l.all)-1]
}

func TestTheUsageOfAStreamIsSentIfAsked(t *testing.T) {
	eachWith(t, countCalls, func(w *world) {
		ada := w.user("ada")
		usage := aitest.Event(`{"id":"c","created":1,"model":"m","choices":[],"usage":` +
			`{"prompt_tokens":3,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":1}}}`)
		steps := []aitest.Step{aitest.Text("Hi"), usage, aitest.End()}
		w.Model.Script(steps...)
		got := w.call(ada, "POST", "chat/completions", `{"stream":true,`+hello+`}`)
		if strings.Contains(got.text, "usage") || !strings.Contains(got.text, `"content":"Hi"`) ||
			!strings.Contains(got.text, `"model":"default"`) || !strings.HasSuffix(got.text, "data: [DONE]\n\n") {
			w.Errorf("got %s", got.text)
		}
		if want := `{"include_usage":true}`; string(w.Model.Last(w.T).Fields["stream_options"]) != want {
			w.Errorf("the model got %s", w.Model.Last(w.T).Body)
		}
		if want := (parley.Usage{InputTokens: 3, OutputTokens: 5, ThinkingTokens: 1}); w.counted.last() != want {
			w.Errorf("counted %+v", w.counted.last())
		}

		asked := `{"stream":true,"stream_options":{"include_usage":true},` + hello + `}`
		w.Model.Script(steps...)
		if got := w.call(ada, "POST", "chat/completions", asked); !strings.Contains(got.text, `"completion_tokens":5`) {
			w.Errorf("got %s", got.text)
		}
		w.Model.Script(aitest.Say("Hi")...) // a server without usage figures
		if got := w.call(ada, "POST", "chat/completions", asked); !strings.Contains(got.text, `"completion_tokens":1`) {
			w.Errorf("got %s", got.text)
		}
		if last := w.counted.last(); !last.Estimated || last.InputTokens == 0 || last.OutputTokens != 1 {
			w.Errorf("counted %+v", last)
		}

		// If a server does not know stream_options, later requests to it leave them out.
		w.Model.Script(aitest.Status(400, `{"error":{"message":"unknown field stream_options"}}`))
		w.Model.Script(aitest.Say("Hi")...)
		got = w.call(ada, "POST", "chat/completions", `{"stream":true,`+hello+`}`)
		if got.status != 200 || strings.Contains(string(w.Model.Last(w.T).Body), "stream_options") {
			w.Errorf("got HTTP %d, the model got %s", got.status, w.Model.Last(w.T).Body)
		}
	})
}

func TestTheErrorsOfOpenAIsAPI(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		const bad, rate, server = "invalid_request_error", "rate_limit_error", "server_error"
		w.wantsOpenAI(w.call(nil, "GET", "models", ""), 401, bad, "invalid_api_key", "")
		w.wantsOpenAI(w.call(ada, "GET", "nothing", ""), 404, bad, "", "")
		w.wantsOpenAI(w.call(ada, "DELETE", "models", ""), 405, bad, "", "")
		w.wantsOpenAI(w.call(ada, "GET", "responses/resp_1", ""), 404, bad, "", "response_id")
		const chat, responses = "chat/completions", "responses"
		for _, c := range []struct{ path, body, code, param string }{
			{chat, `{`, "", ""},
			{chat, `{"messages":[]}`, "", "messages"},
			{chat, `{"stream":1,` + hello + `}`, "", "stream"},
			{chat, `{"store":true,` + hello + `}`, "unsupported_parameter", "store"},
			{chat, `{"stream_options":{},` + hello + `}`, "", "stream_options"},
			{responses, `{}`, "", "input"},
			{responses, `{"input":"a","background":true}`, "unsupported_parameter", "background"},
			{responses, `{"input":"a","conversation":"c"}`, "unsupported_parameter", "conversation"},
			{responses, `{"input":"a","tools":[{"type":"web_search"}]}`, "unsupported_parameter", "tools[0].type"},
			{responses, `{"input":[{"type":"computer_call"}]}`, "unsupported_parameter", "input[0].type"},
			{responses, `{"input":"a","previous_response_id":"resp_1"}`, "previous_response_not_found", "previous_response_id"},
		} {
			w.wantsOpenAI(w.call(ada, "POST", c.path, c.body), 400, bad, c.code, c.param)
		}
		w.wantsOpenAI(w.call(ada, "POST", chat, `{"model":"gpt-0",`+hello+`}`), 404, bad, "model_not_found", "model")
		for _, upstream := range []struct {
			status, want int
			kind, code   string
		}{
			{400, 400, bad, ""},
			{401, 503, server, "model_key"},
			{402, 503, server, "model_quota"},
			{403, 503, server, "model_key"},
			{429, 429, rate, "rate_limit_exceeded"},
			{500, 503, server, "model_overloaded"},
		} {
			for _, stream := range []string{"false", "true"} {
				w.Model.Script(aitest.Status(upstream.status,
					`{"error":{"message":"so it is in organization org-Ab3 at http://10.0.0.7:8000"}}`, "Retry-After", "3"))
				got := w.call(ada, "POST", chat, `{"stream":`+stream+`,`+hello+`}`)
				w.wantsOpenAI(got, upstream.want, upstream.kind, upstream.code, "")
				if has := strings.Contains(got.text, "so it is"); has != (upstream.want == 400) {
					w.Errorf("for HTTP %d the client gets %s", upstream.status, got.text)
				}
				if strings.Contains(got.text, "org-Ab3") || strings.Contains(got.text, "10.0.0.7") {
					w.Errorf("the client gets %s", got.text)
				}
				if upstream.want == 429 && got.header.Get("Retry-After") != "3" {
					w.Errorf("Retry-After is %q", got.header.Get("Retry-After"))
				}
			}
		}
		w.Model.Script(aitest.Text("Half a"), aitest.Cut())
		got := w.call(ada, "POST", chat, `{"stream":true,`+hello+`}`)
		if got.status != 200 || !strings.Contains(got.text, `data: {"error":{"message":`) ||
			strings.Contains(got.text, "[DONE]") {
			w.Errorf("a stream that breaks off is %s", got.text)
		}
	})
}

func TestACallEndsWithItsClient(t *testing.T) {
	each(t, func(w *world) {
		gone := make(chan struct{})
		w.Model.Script(aitest.Text("Half a"), aitest.Gone(gone))
		ctx, leave := context.WithCancel(w.Context())
		request := w.openAIRequest(w.user("ada"), "POST", "chat/completions", `{"stream":true,`+hello+`}`)
		response, err := http.DefaultClient.Do(request.WithContext(ctx))
		w.must(err)
		defer response.Body.Close()
		leave()
		<-gone
	})
}

func TestACallCanBeRefusedBeforeTheModelIsAsked(t *testing.T) {
	eachWith(t, func(w *world) {
		w.BeginCall = func(context.Context, int64, string, int) (func(context.Context, parley.Usage) error, error) {
			return nil, parley.ErrTooManyRequests
		}
	}, func(w *world) {
		got := w.call(w.user("ada"), "POST", "chat/completions", `{`+hello+`}`)
		w.wantsOpenAI(got, 429, "rate_limit_error", "rate_limit_exceeded", "")
		if n := len(w.Model.Requests()); n > 0 {
			w.Errorf("the model got %d requests", n)
		}
	})
}

func TestACallBecomesATurnOfASession(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "Ferries")
		w.say(ada, session, "Before")
		header, key := "Parley-Session: "+session, "Idempotency-Key: k"
		body := `{"stream":%v,"messages":[{"role":"system","content":"ignored"},{"role":"user","content":"Hello %[1]v"}]}`
		got := w.call(ada, "POST", "chat/completions", fmt.Sprintf(body, false), header, key)
		again := w.call(ada, "POST", "chat/completions", fmt.Sprintf(body, false), header, key)
		text := regexp.MustCompile(`"content":"You said: Hello false"`)
		if !text.MatchString(got.text) || !text.MatchString(again.text) {
			w.Errorf("got %s and %s", got.text, again.text)
		}
		streamed := w.call(ada, "POST", "chat/completions", fmt.Sprintf(body, true), header)
		if !strings.Contains(streamed.text, `Hello true"`) || !strings.HasSuffix(streamed.text, "[DONE]\n\n") {
			w.Errorf("got %s", streamed.text)
		}
		if n := len(w.messages(ada, session)); n != 6 {
			w.Errorf("the session has %d messages", n)
		}
		if sent := w.Model.Last(w.T); sent.Messages[0].Content != "Before" || strings.Contains(string(sent.Body), "ignored") {
			w.Errorf("the model got %s", sent.Body)
		}
		w.wantsOpenAI(w.call(ada, "POST", "chat/completions", `{"temperature":1,`+hello+`}`, header),
			400, "invalid_request_error", "unsupported_parameter", "temperature")
		w.wantsOpenAI(w.call(w.user("bob"), "POST", "chat/completions", `{`+hello+`}`, header),
			404, "invalid_request_error", "", "")
	})
}

func TestACallWithAnIdempotencyKeyIsMadeOnce(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		for _, path := range []string{"chat/completions", "responses"} {
			for _, stream := range []string{"false", "true"} {
				key := "Idempotency-Key: key " + path + stream
				body := `{"stream":` + stream + `,` + hello + `}`
				if path == "responses" {
					body = `{"stream":` + stream + `,"input":"Hello"}`
				}
				before := len(w.Model.Requests())
				if path+stream == "chat/completionsfalse" {
					w.Model.Script(aitest.Status(200, plainAnswer))
				}
				var all sync.WaitGroup
				texts := make([]string, 3)
				for i := range texts {
					all.Go(func() { texts[i] = w.call(ada, "POST", path, body, key).text })
				}
				all.Wait()
				if texts[0] != texts[1] || texts[0] != texts[2] || texts[0] == "" {
					w.Errorf("%s: the responses are %q", path, texts)
				}
				if n := len(w.Model.Requests()) - before; n != 1 {
					w.Errorf("%s, stream %s: the model got %d requests", path, stream, n)
				}
				other := strings.Replace(body, "Hello", "Other", 1)
				w.wantsOpenAI(w.call(ada, "POST", path, other, key), 400, "invalid_request_error", "", "Idempotency-Key")
			}
		}
		w.Model.Script(aitest.Status(500, ""))
		w.call(ada, "POST", "chat/completions", `{`+hello+`}`, "Idempotency-Key: fails")
		w.Model.Script(aitest.Status(200, plainAnswer))
		if got := w.call(ada, "POST", "chat/completions", `{`+hello+`}`, "Idempotency-Key: fails"); got.status != 200 {
			w.Errorf("a call that failed keeps its key: HTTP %d", got.status)
		}
	})
}

// hangWithKey makes a call with an idempotency key. The call begins but does not end.
func (w *world) hangWithKey(c *client.Client, body, key string) {
	w.Helper()
	w.Model.Script(aitest.Text("Well"), aitest.Hang())
	response, err := http.DefaultClient.Do(w.openAIRequest(c, "POST", "chat/completions", body, key))
	w.must(err)
	w.Cleanup(func() { response.Body.Close() })
}

// keyExpires returns when the only key expires, in microseconds.
func (w *world) keyExpires() (micros int64) {
	w.Helper()
	w.must(w.database().QueryRowContext(w.Context(), `SELECT expires_at FROM responses`).Scan(&micros))
	return micros
}

func TestTheLeaseOfAKeyIsRenewed(t *testing.T) {
	eachWith(t, func(w *world) { w.KeyLease = 50 * time.Millisecond }, func(w *world) {
		w.hangWithKey(w.user("ada"), `{"stream":true,`+hello+`}`, "Idempotency-Key: k")
		first := w.keyExpires()
		w.eventually("the lease is renewed", func() bool { return w.keyExpires() > first })
	})
}

// TestAKeyOfADeadProcessIsSoonFree lets the lease of a call run out, as after a kill of the process, and repeats the
// call.
func TestAKeyOfADeadProcessIsSoonFree(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		body, key := `{"stream":true,`+hello+`}`, "Idempotency-Key: k"
		w.hangWithKey(ada, body, key)
		w.clock.forward(time.Minute)
		w.Model.Script(aitest.Text("Well then"), aitest.End())
		if again := w.call(ada, "POST", "chat/completions", body, key); !strings.Contains(again.text, "Well then") {
			w.Errorf("got HTTP %d, %s", again.status, again.text)
		}
	})
}

func TestTheBuiltInModelAnswersThroughOpenAIsAPI(t *testing.T) {
	eachWith(t, func(w *world) { w.Builtin = true }, func(w *world) {
		ada := w.user("ada")
		for path, body := range map[string]string{
			"chat/completions": hello, "responses": `"input":"Hello"`,
		} {
			for _, stream := range []string{"false", "true"} {
				got := w.call(ada, "POST", path, `{"stream":`+stream+`,`+body+`}`)
				if got.status != 200 || !strings.Contains(got.text, "built-in") {
					w.Errorf("%s: HTTP %d, %s", path, got.status, got.text)
				}
			}
		}
		got := w.call(ada, "POST", "chat/completions", `{"response_format":{"type":"json_object"},`+hello+`}`)
		w.wantsOpenAI(got, 400, "invalid_request_error", "unsupported_parameter", "response_format")
	})
}

// openAIStream reads a stream of OpenAI's API.
type openAIStream struct {
	w   *world
	res *http.Response
}

// openCall calls a path under /v1 and streams the response.
func (w *world) openCall(c *client.Client, path, body string, headers ...string) *openAIStream {
	w.Helper()
	response, err := http.DefaultClient.Do(w.openAIRequest(c, "POST", path, body, headers...))
	w.must(err)
	w.Cleanup(func() { response.Body.Close() })
	return &openAIStream{w, response}
}

// until reads until it has read the text.
func (s *openAIStream) until(text string) string {
	s.w.Helper()
	var read []byte
	for !strings.HasSuffix(string(read), text) {
		var one [1]byte
		_, err := s.res.Body.Read(one[:])
		s.w.must(err)
		read = append(read, one[0])
	}
	return string(read)
}

// rest reads to the end.
func (s *openAIStream) rest() string {
	s.w.Helper()
	text, err := io.ReadAll(s.res.Body)
	s.w.must(err)
	return string(text)
}
