package api_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func TestManyAtOnce(t *testing.T) {
	shared(t, []part{
		{"failures among many sends", failuresAmongManySends},
		{"only so many sends wait for one session", onlySoManySendsWaitForOneSession},
		{"favorites toggled at once", favoritesToggledAtOnce},
		{"adding one favorite at once gives one id", addingOneFavoriteAtOnceGivesOneID},
		{"clears among many sends", clearsAmongManySends},
	})
}

// together runs n calls at once and returns their errors.
func together(n int, call func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = call(i)
		})
	}
	close(start)
	all.Wait()
	return errs
}

func TestManySendsAtOnceIntoOneSession(t *testing.T) {
	each(t, func(w *world) {
		const sends = 50 // one runs, 32 wait, and the others may find the queue full
		ada := w.user("ada")
		session := w.session(ada, "")
		outs, answered := make([]parley.SendOutput, sends), 0
		for _, err := range together(sends, func(i int) (err error) {
			outs[i], err = ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: fmt.Sprintf("Question %d", i)})
			return err
		}) {
			if err == nil {
				answered++
				continue
			}
			w.wantsBusy(err)
		}
		messages := w.messages(ada, session)
		if got := w.only(ada); answered < 33 || len(messages) != 2*answered || got.MessageCount != int64(2*answered) {
			w.Fatalf("got %d messages, message_count %d, and %d answers", len(messages), got.MessageCount, answered)
		}
		reply := map[string]string{} // by question
		for _, out := range outs {
			reply[out.UserMessageID] = out.AIResponse.ID
		}
		for i := 0; i < len(messages); i += 2 {
			question, answer := messages[i], messages[i+1]
			if question.Role != "user" || answer.Role != "assistant" || answer.Content != "You said: "+question.Content ||
				reply[question.ID] != answer.ID {
				w.Errorf("%+v and %+v are not a pair", question, answer)
			}
		}
		w.wantContiguous(session)
		for i, request := range w.Model.Requests() { // turns run one at a time: each request contains all earlier ones
			if len(request.Messages) != 2*i+1 {
				w.Errorf("request %d has %d messages", i, len(request.Messages))
			}
		}
	})
}

// wantContiguous checks the stored numbers of a session's messages, except for later versions.
func (w *world) wantContiguous(session string) {
	w.Helper()
	var rows, first, last, distinct, count int
	db := w.database()
	w.must(db.QueryRowContext(w.Context(), `SELECT message_count FROM sessions WHERE id = $1`, session).Scan(&count))
	w.must(db.QueryRowContext(w.Context(), `
		SELECT count(*), COALESCE(min(number), 1), COALESCE(max(number), 0), count(DISTINCT number)
		FROM messages WHERE session_id = $1 AND branch = 0`, session).Scan(&rows, &first, &last, &distinct))
	if rows != count || first != 1 || last != rows || distinct != rows {
		w.Errorf("%d messages have the numbers %d to %d, %d of them distinct; message_count is %d", rows, first, last,
			distinct, count)
	}
}

func failuresAmongManySends(w *world) {
	const sends = 24
	ada := w.user("ada")
	session := w.session(ada, "")
	defer w.Model.Respond(aitest.Echo)
	w.Model.Respond(func(r aitest.Request) []aitest.Step {
		if strings.HasPrefix(r.Question(), "Bad") {
			return []aitest.Step{aitest.Text("Half"), aitest.Cut()}
		}
		return aitest.Echo(r)
	})
	errs := together(sends, func(i int) error {
		content := fmt.Sprintf("Good %d", i)
		if i%3 == 0 {
			content = fmt.Sprintf("Bad %d", i)
		}
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: content})
		return err
	})
	for i, err := range errs {
		if i%3 == 0 {
			w.wants(err, parley.CodeAIUnavailable, 503)
		} else {
			w.must(err)
		}
	}
	messages := w.messages(ada, session)
	if len(messages) != 2*sends*2/3 {
		w.Errorf("got %d messages, want %d", len(messages), 2*sends*2/3)
	}
	for i := 0; i+1 < len(messages); i += 2 {
		if messages[i+1].Content != "You said: "+messages[i].Content || strings.HasPrefix(messages[i].Content, "Bad") {
			w.Errorf("%+v and %+v are not a pair", messages[i], messages[i+1])
		}
	}
	w.wantContiguous(session)
}

func onlySoManySendsWaitForOneSession(w *world) {
	const waiting, more = 32, 5
	ada := w.user("ada")
	session := w.session(ada, "")
	begun, gate := make(chan struct{}), make(chan struct{})
	w.Model.Script(aitest.Reached(begun), aitest.Wait(gate), aitest.Text("At last."), aitest.End())
	outcome := make(chan error, 1+waiting+more)
	send := func() {
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "A question"})
		outcome <- err
	}
	go send()
	<-begun
	for range waiting + more {
		go send()
	}
	for range more { // sends beyond the queue are refused at once
		w.wantsBusy(<-outcome)
	}
	close(gate)
	for range 1 + waiting {
		w.must(<-outcome)
	}
	if got := w.only(ada); got.MessageCount != 2*(1+waiting) {
		w.Errorf("got %d messages, want %d", got.MessageCount, 2*(1+waiting))
	}
}

func TestManyRegistrationsOfOneAddress(t *testing.T) {
	each(t, func(w *world) {
		const attempts = 50
		made := 0
		for _, err := range together(attempts, func(i int) error {
			email := "ada@example.com"
			if i%2 == 1 {
				email = "ADA@Example.com"
			}
			_, err := w.guest().Register(w.Context(), parley.RegisterInput{Email: email, Password: "password of ada"})
			return err
		}) {
			if err == nil {
				made++
				continue
			}
			w.wants(err, parley.CodeEmailTaken, 409)
		}
		var accounts int
		w.must(w.database().QueryRowContext(w.Context(), `SELECT count(*) FROM users`).Scan(&accounts))
		if made != 1 || accounts != 1 {
			w.Errorf("%d of %d attempts made %d accounts", made, attempts, accounts)
		}
		w.login("ada", "password of ada")
	})
}

func favoritesToggledAtOnce(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "")
	sent := w.say(ada, session, "A question")
	steady, err := ada.AddFavorite(ctx, parley.AddFavoriteInput{MessageID: sent.UserMessageID, SessionID: session})
	w.must(err)
	var mu sync.Mutex
	balance := 0
	for _, err := range together(100, func(i int) error {
		change := 1
		var err error
		if i%2 == 0 {
			_, err = ada.AddFavorite(ctx, parley.AddFavoriteInput{MessageID: sent.AIResponse.ID, SessionID: session})
		} else {
			change, err = -1, ada.RemoveFavorite(ctx, sent.AIResponse.ID)
		}
		if err == nil {
			mu.Lock()
			balance += change
			mu.Unlock()
		}
		return err
	}) {
		if err != nil {
			w.wants(err, parley.CodeNoSuchFavorite, 404)
		}
	}
	list := w.favorites(ada, "", parley.Page{})
	favorited := w.messages(ada, session)[1].IsFavorited
	want := int64(1)
	if favorited {
		want = 2
	}
	if list.Total != want || int64(len(list.Favorites)) != want || list.Favorites[want-1].ID != steady.FavoriteID {
		w.Errorf("is_favorited is %v, and the list is %+v", favorited, list)
	}
	if favorited && balance < 1 {
		w.Errorf("a favorite is left of %d", balance)
	}
}

func addingOneFavoriteAtOnceGivesOneID(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	sent := w.say(ada, session, "A question")
	var mu sync.Mutex
	ids := map[string]bool{}
	for _, err := range together(20, func(int) error {
		out, err := ada.AddFavorite(w.Context(), parley.AddFavoriteInput{MessageID: sent.AIResponse.ID, SessionID: session})
		mu.Lock()
		ids[out.FavoriteID] = true
		mu.Unlock()
		return err
	}) {
		w.must(err)
	}
	if list := w.favorites(ada, "", parley.Page{}); len(ids) != 1 || list.Total != 1 || len(list.Favorites) != 1 {
		w.Errorf("got the ids %v and %+v", ids, list)
	}
}

// clearsAmongManySends sends and clears concurrently. No question may lose its reply, and the count must be right.
func clearsAmongManySends(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	for _, err := range together(24, func(i int) error {
		if i%6 == 0 {
			return ada.ClearSession(w.Context(), session)
		}
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: fmt.Sprintf("Question %d", i)})
		return err
	}) {
		var e *client.Error
		if err != nil && (!errors.As(err, &e) || e.Code != parley.CodeSendFailed || e.Status != 409) {
			w.Errorf("got %v, want 2002 with 409", err)
		}
	}
	messages := w.messages(ada, session)
	for i := 0; i+1 < len(messages); i += 2 {
		if messages[i+1].Content != "You said: "+messages[i].Content {
			w.Errorf("%+v and %+v are not a pair", messages[i], messages[i+1])
		}
	}
	if got := w.only(ada); got.MessageCount != int64(len(messages)) || len(messages)%2 != 0 {
		w.Errorf("message_count is %d, and there are %d", got.MessageCount, len(messages))
	}
	w.wantContiguous(session)
	if n := w.count("turns", ""); n != 0 {
		w.Errorf("%d turns are open", n)
	}
}
