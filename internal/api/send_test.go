package api_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func TestSend(t *testing.T) {
	shared(t, []part{
		{"send stores the question and its reply", sendStoresTheQuestionAndItsReply},
		{"model names reach their model", modelNamesReachTheirModel},
		{"a passing fault of the model is not seen", aPassingFaultOfTheModelIsNotSeen},
	})
}

func sendStoresTheQuestionAndItsReply(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.Model.Script(aitest.Say("The hydrofoil ", "at nine.")...)
	sent := w.say(ada, session, "Which ferry goes to Capri?")
	if sent.AIResponse.Content != "The hydrofoil at nine." || sent.UserMessageID == sent.AIResponse.ID {
		w.Errorf("got %+v", sent)
	}
	at := sent.AIResponse.Timestamp
	want := []parley.Message{
		{ID: sent.UserMessageID, Role: "user", Content: "Which ferry goes to Capri?", Timestamp: at},
		{ID: sent.AIResponse.ID, Role: "assistant", Content: "The hydrofoil at nine.", Timestamp: at},
	}
	want[1].Usage = sent.AIResponse.Usage
	if got := w.messages(ada, session); !reflect.DeepEqual(got, want) {
		w.Errorf("got %+v, want %+v", got, want)
	}
	if got := w.only(ada); got.MessageCount != 2 || got.LastMessageTime != at {
		w.Errorf("got %+v", got)
	}
}

func TestSendInputs(t *testing.T) {
	eachWith(t, func(w *world) { w.ContextTokens = 400_000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		input := func(rest string) string { return `{"session_id":"` + session + `",` + rest + `}` }
		const path = "/api/chat/send"
		w.play(ada, []scenario{
			{
				name: "no content", path: path, body: `{"session_id":"` + session + `"}`, status: 400, code: 1001,
				says: "content is required",
			},
			{
				name: "empty content", path: path, body: input(`"content":""`), status: 400, code: 1001,
				says: "content is required",
			},
			{
				name: "blank content", path: path, body: input(`"content":" \n\t\u3000"`), status: 400, code: 1001,
				says: "content is required and must not be blank",
			},
			{name: "no session", path: path, body: `{"content":"hi"}`, status: 400, code: 1001, says: "session_id is required"},
			{name: "an empty session", path: path, body: `{"session_id":"","content":"hi"}`, status: 400, code: 1001},
			{name: "an empty model", path: path, body: input(`"content":"hi","model":""`), status: 400, code: 1001},
			{name: "an endless session", path: path, body: `{"session_id":"` + strings.Repeat("x", 100_000) +
				`","content":"hi"}`, status: 404, code: 2001},
			{
				name: "100,001 characters", path: path, body: input(`"content":"` + strings.Repeat("船", 100_001) + `"`),
				status: 400, code: 1001, says: "content must be at most 100000 characters",
			},
			{
				name: "another model", path: path, body: input(`"content":"hi","model":"gpt-4"`), status: 400, code: 1001,
				says: "model must be one of",
			},
			{
				name: "a number for the model", path: path, body: input(`"content":"hi","model":4`), status: 400, code: 1001,
				says: "model must be a string",
			},
			{
				name: "web search where there is none", path: path, body: input(`"content":"hi","web_search":true`), status: 503,
				code: 5002,
			},
		})
		if got := w.only(ada); got.MessageCount != 0 || got.Title != "New chat" || len(w.Model.Requests()) != 0 {
			w.Errorf("something was stored or asked: %+v", got)
		}
		w.play(ada, []scenario{
			{
				name: "100,000 characters", path: path, body: input(`"content":"` + strings.Repeat("船", 100_000) + `"`),
				status: 200,
			},
			{name: "the default model", path: path, body: input(`"content":"hi","model":"default"`), status: 200},
			{name: "the basic model", path: path, body: input(`"content":"hi","model":"基础模型"`), status: 200},
			{name: "the enhanced model", path: path, body: input(`"content":"hi","model":"增强模型"`), status: 200},
			{name: "no model", path: path, body: input(`"content":"hi","model":null`), status: 200},
			{name: "deep thinking", path: path, body: input(`"content":"hi","deep_thinking":true`), status: 200},
			{
				name: "all options off", path: path, body: input(`"content":"hi","deep_thinking":false,"web_search":false`),
				status: 200,
			},
		})
		if got := w.only(ada); got.MessageCount != 14 {
			w.Errorf("got %d messages, want 14", got.MessageCount)
		}
	})
}

// modelNamesReachTheirModel checks which upstream model gets the request, and which model a message names.
func modelNamesReachTheirModel(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	for _, test := range []struct{ name, asked, shown string }{
		{"", "default", ""},
		{"default", "default", ""},
		{parley.ModelBasic, parley.ModelBasic, parley.ModelBasic},
		{parley.ModelEnhanced, parley.ModelEnhanced, parley.ModelEnhanced},
	} {
		sent, err := ada.Send(w.Context(), parley.SendInput{
			SessionID: session, Content: "hi",
			ReplyOptions: parley.ReplyOptions{Model: test.name},
		})
		w.must(err)
		if got := w.Model.Last(w.T).Model; got != "upstream "+test.asked {
			w.Errorf("%q: asked %q", test.name, got)
		}
		messages := w.messages(ada, session)
		if stored := messages[len(messages)-1].Model; stored != test.shown || sent.AIResponse.Model != test.shown {
			w.Errorf("%q: the reply says %q, stored %q, want %q", test.name, sent.AIResponse.Model, stored, test.shown)
		}
	}
}

// faults are the ways in which a model can fail to reply.
var faults = map[string][]aitest.Step{
	"an error":          {aitest.Status(500, "boom")},
	"a refusal":         {aitest.Status(401, `{"error":{"message":"bad key"}}`)},
	"a reset":           {aitest.Reset()},
	"an empty reply":    {aitest.End()},
	"half a reply":      {aitest.Text("The hydro"), aitest.Cut()},
	"no end":            {aitest.Text("The hydro")},
	"a page":            {aitest.Status(200, "<html>busy</html>", "Content-Type", "text/html")},
	"an error in a 200": {aitest.Text("The hydro"), aitest.Event(`{"error":{"message":"overloaded"}}`)},
}

// TestAFailedSendLeavesNothingBehind compares everything that a user can see before and after a failed send, in a new
// session and in one with messages.
func TestAFailedSendLeavesNothingBehind(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		fresh := w.session(ada, "")
		used := w.property(ada)["session_id"]
		w.session(ada, "A later one")
		view := func() string {
			var all strings.Builder
			for _, path := range []string{
				"/api/chat/sessions", "/api/favorites/list", "/api/chat/sessions?keyword=sunken",
				"/api/chat/sessions?keyword=hydro", "/api/chat/sessions?keyword=private",
				"/api/chat/messages?session_id=" + fresh, "/api/chat/messages?session_id=" + used,
			} {
				all.WriteString(path + " " + w.request("GET", path, "", as(ada)).text)
			}
			return all.String()
		}
		before := view()
		for name, steps := range faults {
			w.Model.Respond(func(aitest.Request) []aitest.Step { return steps })
			w.clock.forward(time.Hour)
			for _, session := range []string{fresh, used} {
				_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "A sunken question"})
				w.wants(err, parley.CodeAIUnavailable, 503)
				if after := view(); after != before {
					w.Fatalf("%s left something behind:\n%s\nbefore:\n%s", name, after, before)
				}
			}
		}
		for _, table := range []string{"turns", "search_queue"} {
			w.eventually(table+" is empty", func() bool { return w.count(table, "") == 0 })
		}
		w.Model.Respond(aitest.Echo)
		for session, number := range map[string]int64{fresh: 2, used: 4} {
			sent := w.say(ada, session, "A good question")
			if got := w.favoriteNumber(ada, session, sent.AIResponse.ID); got != number {
				w.Errorf("the next reply has number %d, want %d", got, number)
			}
		}
		if got := w.sessions(ada, "good question", parley.Page{}); got.Total != 2 {
			w.Errorf("got %+v, want both sessions", got)
		}
	})
}

// favoriteNumber marks a message and returns its position in the session.
func (w *world) favoriteNumber(c *client.Client, session, message string) int64 {
	w.Helper()
	added, err := c.AddFavorite(w.Context(), parley.AddFavoriteInput{SessionID: session, MessageID: message})
	w.must(err)
	list, err := c.Favorites(w.Context(), "", parley.Page{})
	w.must(err)
	for _, f := range list.Favorites {
		if f.ID == added.FavoriteID {
			return f.Number
		}
	}
	w.Fatalf("the favorite is not listed: %+v", list)
	return 0
}

func aPassingFaultOfTheModelIsNotSeen(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.Model.Script(aitest.Status(503, "busy"))
	w.Model.Script(aitest.Reset())
	sent := w.say(ada, session, "hello")
	if sent.AIResponse.Content != "You said: hello" || len(w.messages(ada, session)) != 2 {
		w.Errorf("got %+v", sent)
	}
}

// again returns a client of the restarted server with the same token.
func (w *world) again(c *client.Client) *client.Client { return w.guest().WithToken(c.Token()) }

func TestASlowReplyIsAnsweredInTimeAndGoesOn(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		gate := make(chan struct{})
		w.Model.Script(aitest.Text("The hydrofoil"), aitest.Wait(gate), aitest.Text(" at nine."), aitest.End())
		slow, text := w.late(ada, session, "Which ferry goes to Capri?", "The hydrofoil")
		if slow.AIResponse.Timestamp == 0 {
			w.Errorf("got %+v", slow)
		}
		var body map[string]json.RawMessage
		w.must(json.Unmarshal(text, &body))
		wantNames(w, "body", text, "ai_response", "user_message_id")
		wantNames(w, "ai_response", body["ai_response"], "content", "id", "timestamp")

		close(gate)
		w.say(ada, session, "And back?") // waits for its turn, which comes after the slow reply's
		messages := w.messages(ada, session)
		if len(messages) != 4 || messages[0].ID != slow.UserMessageID || messages[1].ID != slow.AIResponse.ID ||
			messages[1].Content != "The hydrofoil at nine." || messages[1].Status != "" {
			w.Errorf("got %+v", messages)
		}
	})
}

func TestASlowReplyThatFailsLeavesNothing(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		gate := make(chan struct{})
		w.Model.Script(aitest.Text("The hydrofoil"), aitest.Wait(gate), aitest.Cut())
		w.late(ada, session, "Which ferry goes to Capri?", "The hydrofoil")
		close(gate)
		w.eventually("the turn is taken back", func() bool { return len(w.messages(ada, session)) == 0 })
		if got := w.only(ada); got.MessageCount != 0 || got.LastMessageTime != 0 || got.Title != "New chat" {
			w.Errorf("got %+v", got)
		}
		w.say(ada, session, "And back?")
		if got := w.only(ada); got.MessageCount != 2 || got.Title != "And back?" {
			w.Errorf("got %+v", got)
		}
	})
}

func TestASendWhoseTurnDoesNotComeStoresNothing(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session, other := w.session(ada, ""), w.session(ada, "")
		gate := make(chan struct{})
		w.Model.Script(aitest.Wait(gate), aitest.Text("Late."), aitest.End())
		_, text := w.late(ada, session, "A slow one", "")
		var body map[string]json.RawMessage
		w.must(json.Unmarshal(text, &body))
		wantNames(w, "ai_response", body["ai_response"], "content", "id", "timestamp")
		w.busy(ada, session, "A waiting one")
		w.say(ada, other, "Another session does not wait")
		close(gate)
		w.say(ada, session, "A third one")
		var texts []string
		for _, m := range w.messages(ada, session) {
			texts = append(texts, m.Content)
		}
		if got := strings.Join(texts, "|"); got != "A slow one|Late.|A third one|You said: A third one" {
			w.Errorf("got %s", got)
		}
	})
}

// wantsBusy checks the response to a send that could not wait any longer.
func (w *world) wantsBusy(err error) {
	w.Helper()
	w.wants(err, parley.CodeSendFailed, 503)
	var e *client.Error
	if errors.As(err, &e); e.RetryAfter <= 0 {
		w.Errorf("no Retry-After: %v", err)
	}
}
