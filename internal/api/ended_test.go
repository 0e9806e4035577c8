package api_test

import (
	"context"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func TestTurns(t *testing.T) {
	shared(t, []part{
		{"a send into a session that is deleted while it waits", aSendIntoASessionThatIsDeletedWhileItWaits},
		{"a renamed session keeps its new title when the turn fails", aRenamedSessionKeepsItsNewTitleWhenTheTurnFails},
		{"a turn goes on without its caller", aTurnGoesOnWithoutItsCaller},
	})
}

// openTurn sends a message and leaves its reply open. It returns the error of the send in outcome. It closes left
// when the model's connection ends.
func (w *world) openTurn(c *client.Client, session string) (outcome <-chan error, left <-chan struct{}) {
	w.Helper()
	begun, gone := make(chan struct{}), make(chan struct{})
	w.Model.Script(aitest.Text("Half"), aitest.Reached(begun), aitest.Gone(gone))
	done := make(chan error, 1)
	go func() {
		_, err := c.Send(w.Context(), parley.SendInput{SessionID: session, Content: "An unfinished question"})
		done <- err
	}()
	<-begun
	return done, gone
}

func TestClearAndDeleteEndARunningTurn(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada, eve := w.user("ada"), w.user("eve")
		session := w.session(ada, "")
		w.say(ada, session, "An earlier question")

		outcome, left := w.openTurn(ada, session)
		w.must(ada.ClearSession(ctx, session))
		w.wants(<-outcome, parley.CodeSendFailed, 409)
		<-left
		if messages := w.messages(ada, session); len(messages) != 0 {
			w.Errorf("after clear: %+v", messages)
		}
		w.say(ada, session, "Once more") // the session is free
		if got := w.only(ada); got.MessageCount != 2 {
			w.Errorf("after clear and a send: %+v", got)
		}

		outcome, left = w.openTurn(ada, session)
		w.must(ada.DeleteSession(ctx, session))
		w.wants(<-outcome, parley.CodeSendFailed, 409)
		<-left
		if list := w.sessions(ada, "", parley.Page{}); list.Total != 0 || len(list.Sessions) != 0 {
			w.Errorf("after delete: %+v", list)
		}

		outcome, left = w.openTurn(eve, w.session(eve, ""))
		w.must(eve.DeleteUser(ctx, parley.DeleteUserInput{Password: "password of eve"}))
		w.wants(<-outcome, parley.CodeSendFailed, 409)
		<-left
		for _, table := range []string{"sessions", "messages", "turns"} {
			if n := w.count(table, ""); n != 0 {
				w.Errorf("%d rows are left in %s", n, table)
			}
		}
		w.eventually("the index has forgotten them", func() bool { return w.count("search_queue", "") == 0 })
	})
}

func aSendIntoASessionThatIsDeletedWhileItWaits(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	outcome, _ := w.openTurn(ada, session)
	waiting := make(chan error, 1)
	go func() {
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "A waiting question"})
		waiting <- err
	}()
	w.must(ada.DeleteSession(w.Context(), session))
	w.wants(<-outcome, parley.CodeSendFailed, 409)
	w.wants(<-waiting, parley.CodeNoSuchSession, 404)
}

func aRenamedSessionKeepsItsNewTitleWhenTheTurnFails(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	begun, gate := make(chan struct{}), make(chan struct{})
	w.Model.Script(aitest.Text("Half"), aitest.Reached(begun), aitest.Wait(gate), aitest.Cut())
	outcome := make(chan error, 1)
	go func() {
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "A question"})
		outcome <- err
	}()
	<-begun
	if got := w.only(ada).Title; got != "A question" {
		w.Errorf("the title is %q while the reply is made", got)
	}
	w.must(ada.RenameSession(w.Context(), session, parley.RenameSessionInput{Title: "My own"}))
	close(gate)
	w.wants(<-outcome, parley.CodeAIUnavailable, 503)
	if got := w.only(ada); got.Title != "My own" || got.MessageCount != 0 {
		w.Errorf("got %+v", got)
	}
}

func aTurnGoesOnWithoutItsCaller(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	begun, gate := make(chan struct{}), make(chan struct{})
	w.Model.Script(aitest.Text("Half"), aitest.Reached(begun), aitest.Wait(gate), aitest.Text(" and half"), aitest.End())
	ctx, leave := context.WithCancel(w.Context())
	outcome := make(chan error, 1)
	go func() {
		_, err := ada.Send(ctx, parley.SendInput{SessionID: session, Content: "A question"})
		outcome <- err
	}()
	<-begun
	leave()
	if err := <-outcome; err == nil {
		w.Fatal("the caller did not leave")
	}
	close(gate)
	w.say(ada, session, "Another question")
	if messages := w.messages(ada, session); len(messages) != 4 || messages[1].Content != "Half and half" {
		w.Errorf("got %+v", messages)
	}
}
