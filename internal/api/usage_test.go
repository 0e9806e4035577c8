package api_test

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/store/storetest"
)

// meter is a model that counts its tokens.
type meter struct{ calls, prompts, replies atomic.Int64 }

// answer is a complete reply to any request. It reports the tokens used, fewer than 1,000.
func (m *meter) answer(r aitest.Request) []aitest.Step {
	prompt, reply := int64(200+len(r.Body)%500), int64(10*min(len(r.Messages), 20))
	m.calls.Add(1)
	m.prompts.Add(prompt)
	m.replies.Add(reply)
	return []aitest.Step{aitest.Text("Well."), aitest.EndCounted(int(prompt), int(reply))}
}

// used returns the sum of a user's usage in the last days.
func (w *world) used(c *client.Client) (sum parley.UsageSum) {
	w.Helper()
	out, err := c.Usage(w.Context(), parley.UsageInput{})
	w.must(err)
	for _, day := range out.Usage {
		sum.InputTokens += day.InputTokens
		sum.OutputTokens += day.OutputTokens
		sum.Messages += day.Messages
		sum.Cost += day.Cost
		sum.Estimated = sum.Estimated || day.Estimated
	}
	return sum
}

// wantUsage compares a user's sums with the model's counts.
func (w *world) wantUsage(what string, c *client.Client, m *meter) {
	w.Helper()
	got := w.used(c)
	if got.InputTokens != m.prompts.Load() || got.OutputTokens != m.replies.Load() || got.Messages != m.calls.Load() ||
		got.Estimated {
		w.Errorf("%s: got %+v, the model counts %d calls with %d and %d tokens",
			what, got, m.calls.Load(), m.prompts.Load(), m.replies.Load())
	}
}

func TestUsageIsWhatTheModelCounts(t *testing.T) {
	price := parley.Price{Input: 2, Output: 10, Currency: "EUR"}
	eachWith(t, func(w *world) { w.Price = price }, func(w *world) {
		t := w.T
		m := &meter{}
		w.Model.Respond(m.answer)
		ada := w.user("ada")
		session := w.session(ada, "a title")

		sent := w.say(ada, session, "A question")
		if sent.AIResponse.Usage == nil || sent.AIResponse.Usage.InputTokens != m.prompts.Load() {
			t.Errorf("the reply has the usage %+v", sent.AIResponse.Usage)
		}
		w.wantUsage("send", ada, m)
		w.ask(ada, session, "Another").rest()
		w.wantUsage("stream", ada, m)
		_, err := ada.Regenerate(t.Context(), session, parley.RegenerateInput{})
		w.must(err)
		w.wantUsage("regenerate", ada, m)
		_, err = ada.Send(t.Context(),
			parley.SendInput{SessionID: session, Content: "Edited", Replaces: sent.UserMessageID})
		w.must(err)
		w.wantUsage("edit", ada, m)
		for name, steps := range faults {
			w.Model.Respond(func(aitest.Request) []aitest.Step { return steps })
			_, err := ada.Send(t.Context(), parley.SendInput{SessionID: session, Content: "Fails"})
			if err == nil {
				t.Errorf("%s: it did not fail", name)
			}
			w.wantUsage("failed turns", ada, m)
		}
		w.must(ada.DeleteSession(t.Context(), session))
		w.wantUsage("a deleted session", ada, m)

		want := float64(2*m.prompts.Load()+10*m.replies.Load()) / 1e6
		if cost := w.used(ada).Cost; math.Abs(cost-want) > 1e-9 {
			t.Errorf("the cost is %v, want %v", cost, want)
		}
		byModel, err := ada.Usage(t.Context(), parley.UsageInput{By: parley.ByModel})
		w.must(err)
		if len(byModel.Usage) != 1 || byModel.Usage[0].Model != "default" || byModel.Usage[0].Currency != "EUR" ||
			byModel.Quota != nil {
			t.Errorf("by model: %+v", byModel)
		}
	})
}

// TestAStoppedReplyIsEstimated stops a reply before the model's server reports its usage, and continues the reply.
func TestAStoppedReplyIsEstimated(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "a title")
		w.Model.Script(aitest.Text("Half of it"), aitest.Hang())
		s := w.ask(ada, session, "A question")
		replyID := s.started()
		s.wants(event{"1.0.10", "delta", `{"text":"Half of it"}`})
		w.must(ada.Stop(w.Context(), replyID))
		s.rest()
		stopped := w.used(ada)
		if stopped.Messages != 1 || !stopped.Estimated || stopped.InputTokens == 0 || stopped.OutputTokens == 0 {
			w.Errorf("stopped: %+v", stopped)
		}
		w.Model.Script(aitest.Text(" and the rest"), aitest.EndCounted(100, 7))
		_, err := ada.Continue(w.Context(), session, parley.RegenerateInput{})
		w.must(err)
		after := w.used(ada)
		if after.Messages != 2 || after.InputTokens != stopped.InputTokens+100 ||
			after.OutputTokens != stopped.OutputTokens+7 {
			w.Errorf("continued: %+v after %+v", after, stopped)
		}
		usage := w.messages(ada, session)[1].Usage
		if usage == nil || usage.InputTokens != after.InputTokens || usage.OutputTokens != after.OutputTokens ||
			!usage.Estimated {
			w.Errorf("the reply has the usage %+v", usage)
		}
	})
}

// TestAReplyOfADeletedSessionIsCounted deletes a session while a client reads its reply.
func TestAReplyOfADeletedSessionIsCounted(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "a title")
		w.Model.Script(aitest.Text("All that one wants to know"), aitest.Hang())
		s := w.ask(ada, session, "A question")
		s.started()
		s.wants(event{"1.0.26", "delta", `{"text":"All that one wants to know"}`})
		w.must(ada.DeleteSession(w.Context(), session))
		w.eventually("it is counted", func() bool { return w.used(ada).Messages == 1 })
	})
}

func TestATitleCountsAsTokens(t *testing.T) {
	eachWith(t, func(w *world) { w.Titles = true }, func(w *world) {
		m := &meter{}
		w.Model.Respond(m.answer)
		ada := w.user("ada")
		w.say(ada, w.session(ada, ""), "which ferry")
		w.eventually("the title is counted", func() bool {
			got := w.used(ada)
			return m.calls.Load() == 2 && got.InputTokens == m.prompts.Load() && got.OutputTokens == m.replies.Load()
		})
		if got := w.used(ada); got.Messages != 1 {
			w.Errorf("got %+v", got)
		}
	})
}

func TestUsageInputs(t *testing.T) {
	shared(t, []part{{"ranges", func(w *world) {
		ada := w.user("ada")
		for _, in := range []parley.UsageInput{
			{From: 2, To: 1}, {From: 1, To: 366*24*60*60 + 2}, {By: "week"}, {From: -1},
		} {
			_, err := ada.Usage(w.Context(), in)
			w.wants(err, parley.CodeInvalidParameter, 400)
		}
		out, err := ada.Usage(w.Context(), parley.UsageInput{From: 1, To: 366 * 24 * 60 * 60})
		if err != nil || out.Usage == nil || len(out.Usage) != 0 {
			w.Errorf("got %+v, %v", out, err)
		}
	}}})
}

func TestAQuotaEndsWithTheDay(t *testing.T) {
	eachWith(t, func(w *world) {
		w.Settings.Quota = parley.Quota{Messages: 2, Tokens: 1_000_000}
		w.clock.freeze()
	}, func(w *world) {
		t := w.T
		ada := w.user("ada")
		session := w.session(ada, "a title")
		first := w.say(ada, session, "One")
		out, err := ada.Usage(t.Context(), parley.UsageInput{})
		w.must(err)
		if q := out.Quota; q == nil || q.Messages == nil || *q.Messages != (parley.QuotaPart{Limit: 2, Used: 1, Left: 1}) ||
			q.Tokens == nil || q.Tokens.Used == 0 || q.ResetsAt != parley.QuotaReset(w.clock.now()).Unix() {
			t.Errorf("the quota is %+v", q)
		}
		_, err = ada.Regenerate(t.Context(), session, parley.RegenerateInput{})
		w.must(err)
		before := w.messages(ada, session)
		_, err = ada.Send(t.Context(), parley.SendInput{SessionID: session, Content: "Three"})
		w.wants(err, parley.CodeTooManyAttempts, 429)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.RetryAfter <= 0 || refused.RetryAfter > 24*time.Hour ||
			!strings.Contains(refused.Message, "it starts anew at") {
			t.Errorf("got %+v", refused)
		}
		_, err = ada.Send(t.Context(), parley.SendInput{SessionID: session, Content: "Edit", Replaces: first.UserMessageID})
		w.wants(err, parley.CodeTooManyAttempts, 429)
		_, err = ada.Regenerate(t.Context(), session, parley.RegenerateInput{})
		w.wants(err, parley.CodeTooManyAttempts, 429)
		if after := w.messages(ada, session); len(after) != len(before) {
			t.Errorf("%d messages after refusals, %d before", len(after), len(before))
		}
		w.clock.forward(24 * time.Hour)
		w.say(ada, session, "The next day")
	})
}

// quotaReplicas returns three servers on one database and their shared model. Their users have a quota.
func quotaReplicas(t *testing.T, quota parley.Quota, contextTokens int) ([]*world, *meter) {
	t.Helper()
	databaseURL := storetest.Postgres(t)
	m := &meter{}
	var servers []*world
	for range 3 {
		w := newWorld(t, databaseURL)
		w.Settings.Quota, w.ContextTokens = quota, contextTokens
		if len(servers) > 0 {
			w.Dir = servers[0].Dir
		}
		w.Model.Respond(m.answer)
		w.start()
		servers = append(servers, w)
	}
	return servers, m
}

// maxAtOnce is how many of a thousand messages are on their way at once. A busy machine answers a thousand too late.
const maxAtOnce = 100

// TestAQuotaHoldsOnThreeReplicas has several users send a thousand messages, in many sessions and to several replicas.
// It does not run in parallel: other tests beside it would wait for the database so long that it counts as gone.
func TestAQuotaHoldsOnThreeReplicas(t *testing.T) {
	servers, m := quotaReplicas(t, parley.Quota{Messages: 7, Tokens: 250_000}, 32_000)
	const users, sends = 4, 250
	var refused atomic.Int64
	people, sessions := servers[0].crowd(users, 50)
	var all errgroup.Group
	all.SetLimit(maxAtOnce)
	for n := range sends {
		for i, c := range people {
			to := servers[n%len(servers)].again(c)
			all.Go(func() error {
				_, err := to.Send(t.Context(), parley.SendInput{SessionID: sessions[i][n%50], Content: "Question"})
				var failed *client.Error
				if errors.As(err, &failed) && failed.Code == parley.CodeTooManyAttempts && failed.Status == 429 {
					refused.Add(1)
				} else if err != nil {
					t.Errorf("send %d: %v", n, err)
				}
				return nil
			})
		}
	}
	_ = all.Wait() // what fails is reported above
	var total int64
	for _, c := range people {
		used := servers[0].used(c)
		total += used.Messages
		if used.Messages == 0 || used.Messages > 7 {
			t.Errorf("a user has %d replies, want at most 7", used.Messages)
		}
	}
	if total != m.calls.Load() || total+refused.Load() != users*sends {
		t.Errorf("%d replies, the model has made %d; %d sends were refused", total, m.calls.Load(), refused.Load())
	}
}

// crowd registers users, each with some sessions.
func (w *world) crowd(users, sessions int) (people []*client.Client, of [][]string) {
	w.Helper()
	for i := range users {
		c := w.user(string(rune('a' + i)))
		var own []string
		for range sessions {
			own = append(own, w.session(c, "a title"))
		}
		people, of = append(people, c), append(of, own)
	}
	return people, of
}

// TestATokenQuotaHoldsOnThreeReplicas has several users send a thousand messages to several replicas, half of them
// through OpenAI's API. A user may exceed the quota by at most one reply. It does not run in parallel either.
func TestATokenQuotaHoldsOnThreeReplicas(t *testing.T) {
	const users, sends, limit, most = 4, 250, 5_000, 1_000
	servers, m := quotaReplicas(t, parley.Quota{Tokens: limit}, most)
	people, sessions := servers[0].crowd(users, 20)
	var all errgroup.Group
	all.SetLimit(maxAtOnce)
	for n := range sends {
		for i, c := range people {
			all.Go(func() error {
				servers[n%len(servers)].spend(c, sessions[i][n%20], n)
				return nil
			})
		}
	}
	_ = all.Wait() // spend reports what fails
	for i, c := range people {
		session := servers[0].session(c, "a title")
		for n := 0; servers[0].spend(c, session, n); n++ { // use what the thousand have left
		}
		if used := servers[0].used(c); used.InputTokens+used.OutputTokens < limit ||
			used.InputTokens+used.OutputTokens >= limit+most {
			t.Errorf("user %d has used %+v of %d tokens", i, used, limit)
		}
	}
	total, err := servers[0].admin("root").TotalUsage(t.Context(), parley.TotalUsageInput{})
	if err != nil || len(total.Usage) != 1 || total.Usage[0].InputTokens != m.prompts.Load() ||
		total.Usage[0].OutputTokens != m.replies.Load() || total.Usage[0].Messages != m.calls.Load() {
		t.Errorf("all have used %+v, %v; the model counts %d calls with %d and %d tokens", total.Usage, err,
			m.calls.Load(), m.prompts.Load(), m.replies.Load())
	}
}

// spend sends a message to a session, or calls OpenAI's API with or without a session. It reports whether the quota
// allowed it.
func (w *world) spend(c *client.Client, session string, n int) bool {
	if n%2 == 0 {
		_, err := w.again(c).Send(w.Context(), parley.SendInput{SessionID: session, Content: "Question"})
		var failed *client.Error
		if errors.As(err, &failed) && failed.Code == parley.CodeTooManyAttempts && failed.Status == 429 {
			return false
		} else if err != nil {
			w.Errorf("send %d: %v", n, err)
		}
		return err == nil
	}
	var headers []string
	if n%4 == 1 {
		headers = []string{"Parley-Session: " + session}
	}
	got := w.call(c, "POST", "chat/completions", `{"stream":true,`+hello+`}`, headers...)
	for got.status == 503 || got.status == 504 { // the machine is too slow
		got = w.call(c, "POST", "chat/completions", `{"stream":true,`+hello+`}`, headers...)
	}
	if got.status != 200 && got.status != 429 {
		w.Errorf("call %d: HTTP %d, %s", n, got.status, got.text)
	}
	return got.status == 200
}
