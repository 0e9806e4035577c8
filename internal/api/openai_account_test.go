package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func TestAKeyCallsOpenAIsAPIAsFarAsItsScopesGo(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		id, chats := w.key(ada, parley.ScopeChat)
		_, reads := w.key(ada, parley.ScopeRead)
		if got := w.call(reads, "GET", "models", ""); got.status != 200 {
			w.Errorf("the models are HTTP %d, %s", got.status, got.text)
		}
		for _, path := range []string{"chat/completions", "responses"} {
			w.wantsOpenAI(w.call(reads, "POST", path, `{`+hello+`}`), 403, "permission_error", "", "")
		}
		w.Model.Script(aitest.Status(200, plainAnswer))
		if got := w.call(chats, "POST", "chat/completions", `{`+hello+`}`); got.status != 200 {
			w.Errorf("got HTTP %d, %s", got.status, got.text)
		}
		w.must(ada.DeleteKey(w.Context(), id))
		w.wantsOpenAI(w.call(chats, "POST", "chat/completions", `{`+hello+`}`), 401, "invalid_request_error",
			"invalid_api_key", "")
	})
}

func TestCallsCountAsUsageAndAgainstTheQuota(t *testing.T) {
	eachWith(t, func(w *world) { w.Settings.Quota = parley.Quota{Messages: 2} }, func(w *world) {
		ada := w.user("ada")
		w.Model.Script(aitest.Status(400, `{"error":{"message":"no"}}`)) // uses no tokens
		w.Model.Script(aitest.Status(200, plainAnswer))
		w.Model.Script(aitest.Status(200, plainAnswer))
		for _, want := range []int{400, 200, 200} {
			if got := w.call(ada, "POST", "chat/completions", `{`+hello+`}`); got.status != want {
				w.Errorf("got HTTP %d, %s; want %d", got.status, got.text, want)
			}
		}
		got := w.call(ada, "POST", "chat/completions", `{`+hello+`}`)
		w.wantsOpenAI(got, 429, "rate_limit_error", "rate_limit_exceeded", "")
		out, err := ada.Usage(w.Context(), parley.UsageInput{})
		w.must(err)
		want := parley.UsageSum{Day: w.clock.now().UTC().Format(time.DateOnly), InputTokens: 14, OutputTokens: 4, Messages: 2}
		if len(out.Usage) != 1 || out.Usage[0] != want || out.Quota == nil || out.Quota.Messages.Left != 0 {
			w.Errorf("the usage is %+v, %+v", out.Usage, out.Quota)
		}
		if line := "parley_model_tokens_total{kind=\"input\",model=\"default\"} 14\n"; !strings.Contains(w.metrics(), line) {
			w.Errorf("the metrics lack %q", line)
		}
	})
}

// TestACallInASessionHasTheUsageOfItsTurn checks that the response reports the same usage that counts for the user.
func TestACallInASessionHasTheUsageOfItsTurn(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		header := "Parley-Session: " + w.session(ada, "a title")
		for _, options := range []string{`"stream":false`, `"stream":true,"stream_options":{"include_usage":true}`} {
			w.Model.Script(aitest.Text("Well."), aitest.EndCounted(40, 5))
			got := w.call(ada, "POST", "chat/completions", `{`+options+`,`+hello+`}`, header)
			if !strings.Contains(got.text, `"prompt_tokens":40,"completion_tokens":5,"total_tokens":45`) {
				w.Errorf("%s: got HTTP %d, %s", options, got.status, got.text)
			}
		}
		if used := w.used(ada); used.InputTokens != 80 || used.OutputTokens != 10 || used.Messages != 2 || used.Estimated {
			w.Errorf("the usage is %+v", used)
		}
	})
}

// TestEachChoiceOfACallCounts asks for three replies at once.
func TestEachChoiceOfACallCounts(t *testing.T) {
	eachWith(t, func(w *world) { w.Settings.Quota = parley.Quota{Messages: 4} }, func(w *world) {
		ada := w.user("ada")
		for _, n := range []string{"0", "-1", "17", "50", "1.5", `"2"`, "99999999999999999999"} {
			got := w.call(ada, "POST", "chat/completions", `{"n":`+n+`,`+hello+`}`)
			w.wantsOpenAI(got, 400, "invalid_request_error", "", "n")
		}
		w.Model.Script(aitest.Status(200, plainAnswer))
		if got := w.call(ada, "POST", "chat/completions", `{"n":3,`+hello+`}`); got.status != 200 {
			w.Errorf("got HTTP %d, %s", got.status, got.text)
		}
		if used := w.used(ada); used.Messages != 3 || used.InputTokens != 7 {
			w.Errorf("the usage is %+v", used)
		}
		w.wantsOpenAI(w.call(ada, "POST", "chat/completions", `{"n":2,`+hello+`}`), 429, "rate_limit_error",
			"rate_limit_exceeded", "")
		if n := len(w.Model.Requests()); n != 1 {
			w.Errorf("the model got %d requests", n)
		}
	})
}

// TestFieldsThatRedirectACallAreRefused checks that a client can't choose what its call costs.
func TestFieldsThatRedirectACallAreRefused(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		for _, field := range []string{"models", "route", "service_tier", "Models", "max_Tokens"} {
			w.wantsOpenAI(w.call(ada, "POST", "chat/completions", `{"`+field+`":"x",`+hello+`}`), 400,
				"invalid_request_error", "unsupported_parameter", field)
		}
		w.wantsOpenAI(w.call(ada, "POST", "responses", `{"service_tier":"priority","input":"Hello"}`), 400,
			"invalid_request_error", "unsupported_parameter", "service_tier")
		if n := len(w.Model.Requests()); n > 0 {
			w.Errorf("the model got %d requests", n)
		}
		if used := w.used(ada); used.Messages != 0 {
			w.Errorf("the usage is %+v", used)
		}
	})
}

// TestTheInstructionsOfTheServerGoWithCalls checks how the model gets the server's instructions together with the
// client's own.
func TestTheInstructionsOfTheServerGoWithCalls(t *testing.T) {
	eachWith(t, func(w *world) { w.Settings.Instructions = "Be kind." }, func(w *world) {
		ada := w.user("ada")
		const chat, responses, user = "chat/completions", "responses", `{"role":"user","content":"Hello"}`
		const system, both = `{"role":"system","content":"Be kind."}`, `Be kind.\n\nBe brief.`
		for _, c := range []struct{ path, body, want string }{
			{chat, `"messages":[` + user + `]`, `[` + system + `,` + user + `]`},
			{
				chat, `"messages":[{"role":"system","content":"Be brief."},` + user + `]`,
				`[{"content":"` + both + `","role":"system"},` + user + `]`,
			},
			{
				chat, `"messages":[{"role":"developer","name":"n","content":[{"type":"text","text":"Be brief."}]},` + user + `]`,
				`[{"content":[{"text":"Be kind.","type":"text"},{"type":"text","text":"Be brief."}],"name":"n",` +
					`"role":"developer"},` + user + `]`,
			},
			{
				chat, `"messages":[` + user + `,{"role":"system","content":"Be brief."},` + user + `]`,
				`[` + system + `,` + user + `,{"role":"system","content":"Be brief."},` + user + `]`,
			},
			{responses, `"input":"Hello"`, `[` + system + `,` + user + `]`},
			{
				responses, `"input":"Hello","instructions":"Be brief."`,
				`[{"content":"` + both + `","role":"system"},` + user + `]`,
			},
		} {
			for _, stream := range []string{"true", "false"} {
				if c.path+stream == chat+"false" {
					w.Model.Script(aitest.Status(200, plainAnswer))
				}
				if got := w.call(ada, "POST", c.path, `{"stream":`+stream+`,`+c.body+`}`); got.status != 200 {
					w.Errorf("HTTP %d, %s", got.status, got.text)
				}
				if sent := string(w.Model.Last(w.T).Fields["messages"]); sent != c.want {
					w.Errorf("for %s the model got %s, want %s", c.body, sent, c.want)
				}
			}
		}
		w.instructionsOnce(ada)
	})
}

// instructionsOnce checks that a model gets the instructions once, in a session and in a continued response. If the
// instructions change, a repeated call with the same key is still the same call.
func (w *world) instructionsOnce(ada *client.Client) {
	w.Helper()
	once := func(what string) {
		w.Helper()
		if n := strings.Count(string(w.Model.Last(w.T).Body), "Be kind."); n != 1 {
			w.Errorf("%s has the instructions %d times", what, n)
		}
	}
	w.call(ada, "POST", "chat/completions", `{"stream":true,`+hello+`}`, "Parley-Session: "+w.session(ada, "a title"))
	once("a turn")
	var first streamedResponse
	w.must(json.Unmarshal([]byte(w.call(ada, "POST", "responses", `{"input":"Hello","store":true}`).text), &first))
	w.call(ada, "POST", "responses", `{"input":"And?","previous_response_id":"`+first.ID+`"}`)
	once("a continued response")
	body, key := `{"stream":true,`+hello+`}`, "Idempotency-Key: k"
	before := w.call(ada, "POST", "chat/completions", body, key).text
	w.set(w.admin("eve"), parley.SettingsInput{Instructions: new("Be bold.")})
	if after := w.call(ada, "POST", "chat/completions", body, key).text; after != before {
		w.Errorf("with other instructions a repeated call gets %s", after)
	}
}
