package api_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

func TestRegenerate(t *testing.T) {
	shared(t, []part{
		{"regenerate asks the same question anew", regenerateAsksTheSameQuestionAnew},
		{"a failed regenerate keeps the old reply", aFailedRegenerateKeepsTheOldReply},
		{"regenerate inputs", regenerateInputs},
		{"clear ends a regenerate", clearEndsARegenerate},
	})
}

func regenerateAsksTheSameQuestionAnew(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.say(ada, session, "An earlier question")
	w.Model.Script(aitest.Say("A tortoise.")...)
	first := w.say(ada, session, "Which animal?")
	w.Model.Script(aitest.Say("A penguin.")...)
	again, err := ada.Regenerate(w.Context(), session, parley.RegenerateInput{})
	w.must(err)
	if again.UserMessageID != first.UserMessageID || again.AIResponse.ID != first.AIResponse.ID ||
		again.AIResponse.Content != "A penguin." {
		w.Errorf("got %+v, was %+v", again, first)
	}
	asked := w.Model.Last(w.T)
	wantPrompt(w, asked, "Which animal?", "user", "assistant", "user")
	if strings.Contains(string(asked.Body), "tortoise") {
		w.Error("the model received its old reply")
	}
	for _, stage := range []string{"just made", "indexed"} {
		if w.sessions(ada, "penguin", parley.Page{}).Total != 1 || w.sessions(ada, "tortoise", parley.Page{}).Total != 0 {
			w.Errorf("%s: the search does not know the new text only", stage)
		}
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
	}
	if got := w.only(ada); got.MessageCount != 4 {
		w.Errorf("got %+v", got)
	}
	w.wantContiguous(session)
}

func aFailedRegenerateKeepsTheOldReply(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.say(ada, session, "A question")
	before := w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)).text
	defer w.Model.Respond(aitest.Echo)
	for name, steps := range faults {
		w.Model.Respond(func(aitest.Request) []aitest.Step { return steps })
		_, err := ada.Regenerate(w.Context(), session, parley.RegenerateInput{})
		w.wants(err, parley.CodeAIUnavailable, 503)
		if after := w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)).text; after != before {
			w.Errorf("%s: got %s, want %s", name, after, before)
		}
	}
}

func regenerateInputs(w *world) {
	ada := w.user("ada")
	empty, session := w.session(ada, ""), w.session(ada, "")
	w.say(ada, session, "A question")
	path := "/api/chat/session/" + session + "/regenerate"
	w.play(ada, []scenario{
		{name: "no body", path: path, status: 200},
		{name: "another model", path: path, body: `{"model":"增强模型","deep_thinking":true}`, status: 200},
		{name: "no such model", path: path, body: `{"model":"gpt-4"}`, status: 400, code: 1001, says: "model"},
		{name: "web search where there is none", path: path, body: `{"web_search":true}`, status: 503, code: 5002},
		{name: "nothing to regenerate", path: "/api/chat/session/" + empty + "/regenerate", status: 409, code: 2002},
		{name: "no such session", path: "/api/chat/session/x/regenerate", status: 404, code: 2001},
		{
			name: "the model before the session", path: "/api/chat/session/x/regenerate", body: `{"model":"gpt-4"}`,
			status: 400, code: 1001, says: "model",
		},
		{
			name: "the session before search", path: "/api/chat/session/x/regenerate", body: `{"web_search":true}`,
			status: 404, code: 2001,
		},
		{
			name: "search before there is nothing", path: "/api/chat/session/" + empty + "/regenerate",
			body: `{"web_search":true}`, status: 503, code: 5002,
		},
	})
	if messages := w.messages(ada, session); messages[1].Model != parley.ModelEnhanced {
		w.Errorf("got %+v", messages[1])
	}
}

func clearEndsARegenerate(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.say(ada, session, "A question")
	begun := make(chan struct{})
	w.Model.Script(aitest.Text("Half"), aitest.Reached(begun), aitest.Hang())
	outcome := make(chan error, 1)
	go func() {
		_, err := ada.Regenerate(w.Context(), session, parley.RegenerateInput{})
		outcome <- err
	}()
	<-begun
	w.must(ada.ClearSession(w.Context(), session))
	w.wants(<-outcome, parley.CodeSendFailed, 409)
	if messages := w.messages(ada, session); len(messages) != 0 {
		w.Errorf("got %+v", messages)
	}
}
