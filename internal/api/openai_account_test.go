package api_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ai/aitest"
)

func TestAKeyOpensTheDoorAsFarAsItsScopesGo(t *testing.T) {
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
		w.Model.Script(aitest.Status(400, `{"error":{"message":"no"}}`)) // takes nothing
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

// TestACallInASessionHasTheUsageOfItsTurn checks that a client is told what counts as its user's usage.
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
