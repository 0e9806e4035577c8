package api_test

import (
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func TestVersions(t *testing.T) {
	shared(t, []part{
		{"an edit sets the rest aside", anEditSetsTheRestAside},
		{"a failed edit changes nothing", aFailedEditChangesNothing},
		{"versions of a reply", versionsOfAReply},
		{"version inputs", versionInputs},
		{"a version waits for the open turn", aVersionWaitsForTheOpenTurn},
	})
}

// edit replaces a question.
func (w *world) edit(c *client.Client, session, replaces, content string) parley.SendOutput {
	w.Helper()
	out, err := c.Send(w.Context(), parley.SendInput{SessionID: session, Content: content, Replaces: replaces})
	w.must(err)
	return out
}

// line returns the texts of a session's messages.
func (w *world) line(c *client.Client, session string) string {
	w.Helper()
	var texts []string
	for _, m := range w.messages(c, session) {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "|")
}

func anEditSetsTheRestAside(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	first := w.say(ada, session, "A tortoise")
	second := w.say(ada, session, "An old penguin")
	_, err := ada.AddFavorite(w.Context(), parley.AddFavoriteInput{
		SessionID: session, MessageID: second.UserMessageID,
	})
	w.must(err)
	before := w.line(ada, session)
	other := w.edit(ada, session, first.UserMessageID, "A heron")
	if asked := w.Model.Last(w.T); strings.Contains(string(asked.Body), "penguin") {
		w.Error("the model received what is set aside")
	}
	messages := w.messages(ada, session)
	if len(messages) != 2 || messages[0].ID != other.UserMessageID || messages[0].Version != 2 ||
		messages[0].Versions != 2 || messages[1].Versions != 0 {
		w.Errorf("got %+v", messages)
	}
	if got := w.only(ada); got.MessageCount != 2 {
		w.Errorf("got %+v", got)
	}
	aside := func() bool {
		list, err := ada.Favorites(w.Context(), "", parley.Page{})
		w.must(err)
		return list.Favorites[0].Aside
	}
	if !aside() {
		w.Error("the favorite does not say that it is set aside")
	}
	for _, stage := range []string{"just made", "indexed"} {
		if w.sessions(ada, "heron", parley.Page{}).Total != 1 || w.sessions(ada, "penguin", parley.Page{}).Total != 0 {
			w.Errorf("%s: the search does not find what is visible only", stage)
		}
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
	}
	_, err = ada.Send(w.Context(), parley.SendInput{
		SessionID: session, Content: "No", Replaces: second.UserMessageID,
	})
	w.wants(err, parley.CodeNoSuchSession, 404)

	w.must(ada.ShowVersion(w.Context(), second.UserMessageID, 0))
	if got := w.line(ada, session); got != before || aside() {
		w.Errorf("got %q, want %q", got, before)
	}
	if w.sessions(ada, "heron", parley.Page{}).Total != 0 || w.sessions(ada, "penguin", parley.Page{}).Total != 1 {
		w.Error("the search does not find what is visible again")
	}
	w.must(ada.ShowVersion(w.Context(), first.UserMessageID, 2))
	if got := w.messages(ada, session); len(got) != 2 || got[0].ID != other.UserMessageID {
		w.Errorf("got %+v", got)
	}
}

func aFailedEditChangesNothing(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	first := w.say(ada, session, "A question")
	w.say(ada, session, "Another")
	before := w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)).text
	defer w.Model.Respond(aitest.Echo)
	for name, steps := range faults {
		w.Model.Respond(func(aitest.Request) []aitest.Step { return steps })
		_, err := ada.Send(w.Context(), parley.SendInput{
			SessionID: session, Content: "A third", Replaces: first.UserMessageID,
		})
		w.wants(err, parley.CodeAIUnavailable, 503)
		if after := w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)).text; after != before {
			w.Errorf("%s: got %s, want %s", name, after, before)
		}
	}
}

func versionsOfAReply(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.Model.Script(aitest.Say("A tortoise.")...)
	said := w.say(ada, session, "Which animal?")
	w.Model.Script(aitest.Say("A penguin.")...)
	_, err := ada.Regenerate(w.Context(), session, parley.RegenerateInput{})
	w.must(err)
	for version, want := range map[int64]string{1: "A tortoise.", 2: "A penguin."} {
		w.must(ada.ShowVersion(w.Context(), said.AIResponse.ID, version))
		messages := w.messages(ada, session)
		if m := messages[1]; m.ID != said.AIResponse.ID || m.Content != want || m.Version != version || m.Versions != 2 {
			w.Errorf("version %d: got %+v", version, m)
		}
	}
}

func versionInputs(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	said := w.say(ada, session, "A question")
	path := func(id string) string { return "/api/chat/message/" + id + "/version" }
	send := func(replaces string) string {
		return `{"session_id":"` + session + `","content":"New","replaces":"` + replaces + `"}`
	}
	w.play(ada, []scenario{
		{name: "no body", path: path(said.UserMessageID), status: 200},
		{name: "the only version", path: path(said.AIResponse.ID), body: `{"version":1}`, status: 200},
		{
			name: "no such version", path: path(said.AIResponse.ID), body: `{"version":2}`,
			status: 400, code: 1001, says: "version",
		},
		{
			name: "version 0", path: path(said.AIResponse.ID), body: `{"version":0}`,
			status: 400, code: 1001, says: "version",
		},
		{name: "no such message", path: path("x"), body: `{"version":2}`, status: 404, code: 2001},
		{
			name: "a reply is not replaced", path: "/api/chat/send", body: send(said.AIResponse.ID),
			status: 400, code: 1001, says: "replaces",
		},
		{name: "nothing to replace", path: "/api/chat/send", body: send("x"), status: 404, code: 2001},
		{name: "an empty id replaces nothing", path: "/api/chat/send", body: send(""), status: 200},
	})
	if got := w.messages(ada, session); len(got) != 4 {
		w.Errorf("got %+v", got)
	}
}

func aVersionWaitsForTheOpenTurn(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	said := w.say(ada, session, "A question")
	w.edit(ada, session, said.UserMessageID, "Another")
	begun, goOn := make(chan struct{}), make(chan struct{})
	w.Model.Script(aitest.Text("Half"), aitest.Reached(begun), aitest.Wait(goOn), aitest.Text(" and half"), aitest.End())
	sent, shown := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "More"})
		sent <- err
	}()
	<-begun
	go func() { shown <- ada.ShowVersion(w.Context(), said.UserMessageID, 1) }()
	w.eventually("the request waits", func() bool {
		select {
		case err := <-shown:
			w.Fatalf("the version was shown during the turn: %v", err)
		default:
		}
		return strings.Contains(w.request("GET", "/metrics", "").text, "parley_waiting_sends 1")
	})
	close(goOn)
	w.must(<-sent)
	w.must(<-shown)
	if got := w.messages(ada, session); len(got) != 2 || got[0].Content != "A question" {
		w.Errorf("got %+v", got)
	}
}
