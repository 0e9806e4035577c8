package api_test

import (
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

func TestARestartKeepsEverything(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		own := w.property(ada)
		before := w.inventory(ada, own)
		w.restart()
		ada = w.again(ada)
		if after := w.inventory(ada, own); after != before {
			w.Errorf("got\n%s\nbefore:\n%s", after, before)
		}
		w.login("ada", "password of ada")
		_, err := w.guest().Register(w.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "password of ada"})
		w.wants(err, parley.CodeEmailTaken, 409)
		if got := w.sessions(ada, "private question", parley.Page{}); got.Total != 1 {
			w.Errorf("the search forgot: %+v", got)
		}
		w.say(ada, own["session_id"], "Another question")
		if asked := w.Model.Last(w.T); len(asked.Messages) != 4 { // file, question, reply, question
			w.Errorf("the model received %+v", asked.Messages)
		}
		if got := w.only(ada); got.MessageCount != 4 {
			w.Errorf("got %+v", got)
		}
	})
}

// TestTheNextServerFinishesAnOpenTurn stops a server in the middle of a reply.
func TestTheNextServerFinishesAnOpenTurn(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		left := make(chan struct{})
		w.Model.Script(aitest.Text("Half"), aitest.Gone(left))
		begun, _ := w.late(ada, session, "An unfinished question", "Half")
		w.stop()
		<-left
		w.Model.Script(aitest.Say("A whole reply.")...)
		w.start()
		ada = w.again(ada)
		w.say(ada, session, "Another question")
		messages := w.messages(ada, session)
		if len(messages) != 4 || messages[0].ID != begun.UserMessageID || messages[1].ID != begun.AIResponse.ID ||
			messages[1].Content != "A whole reply." || messages[1].Status != "" {
			w.Errorf("got %+v", messages)
		}
		w.wantContiguous(session)
	})
}
