package api_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testtier"
	"parley/internal/websearch"
)

// outcome is the result of a send in the background.
type outcome struct {
	parley.SendOutput
	err error
}

// sending sends in the background.
func (w *world) sending(c *client.Client, sessionID, content string, options ...client.SendOption) <-chan outcome {
	out := make(chan outcome, 1)
	go func() {
		var s outcome
		s.SendOutput, s.err = c.Send(w.Context(), parley.SendInput{SessionID: sessionID, Content: content}, options...)
		out <- s
	}()
	return out
}

// asked waits until the model has received this many requests.
func (w *world) asked(times int) {
	w.Helper()
	w.eventually(fmt.Sprintf("the model is asked %d times", times),
		func() bool { return len(w.Model.Requests()) >= times })
}

func TestStopKeepsWhatWasSaid(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		left := make(chan struct{})
		w.Model.Script(aitest.Text("Well, 渡"), aitest.Gone(left))
		s := w.ask(ada, session, "Is it?")
		replyID := s.started()
		s.wants(event{"1.0.7", "delta", `{"text":"Well, 渡"}`})
		w.must(ada.Stop(w.Context(), replyID))
		<-left
		stored := w.messages(ada, session)
		if len(stored) != 2 || stored[1].Content != "Well, 渡" || stored[1].Status != parley.StatusStopped {
			w.Errorf("stored: %+v", stored)
		}
		if got := names(s.rest()); !slices.Equal(got, []string{"done"}) {
			w.Errorf("the stream ended with %v", got)
		}
		w.must(ada.Stop(w.Context(), replyID)) // changes nothing on a finished reply
		if again := w.messages(ada, session); again[1].Content != "Well, 渡" {
			w.Errorf("stored: %+v", again)
		}
		w.say(ada, session, "And now?")
		w.noOrphans(ada)
	})
}

func TestStopBeforeTheFirstWordLeavesNothing(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.Model.Script(aitest.Thinking("Hm"), aitest.Hang())
		answer := w.sending(ada, session, "Is it?", client.WithIdempotencyKey("once"))
		w.asked(1)
		w.must(ada.Stop(w.Context(), w.messages(ada, session)[1].ID))
		w.wants((<-answer).err, parley.CodeSendFailed, 409)
		if stored := w.messages(ada, session); len(stored) != 0 {
			w.Errorf("stored: %+v", stored)
		}
		if got := w.only(ada); got.Title != parley.DefaultTitle || got.LastMessageTime != 0 {
			w.Errorf("the session is %+v", got)
		}
		// The key is free again.
		if again := <-w.sending(ada, session, "Is it?", client.WithIdempotencyKey("once")); again.err != nil {
			w.Error(again.err)
		}
	})
}

func TestRegenerateKeepsTheReplysPlace(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		session := w.session(ada, "")
		first := w.say(ada, session, "Is it?")
		favorite, err := ada.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: session, MessageID: first.AIResponse.ID})
		w.must(err)
		g := make(gate)
		w.Model.Script(aitest.Text("Better"), aitest.Wait(g), aitest.Text("!"), aitest.End())
		answer := make(chan outcome, 1)
		go func() {
			var s outcome
			s.SendOutput, s.err = ada.Regenerate(ctx, session, parley.RegenerateInput{})
			answer <- s
		}()
		w.asked(2)
		if during := w.messages(ada, session); during[1].Content != first.AIResponse.Content ||
			during[1].Status != parley.StatusPending {
			w.Errorf("while it is regenerated: %+v", during[1])
		}
		reader := w.follow(ada, first.AIResponse.ID, fmt.Sprintf("1.0.%d", len(first.AIResponse.Content)))
		reader.wants(event{"2.0.0", "restart", `{}`}, event{"2.0.6", "delta", `{"text":"Better"}`})
		g.open()
		again := <-answer
		w.must(again.err)
		if again.AIResponse.ID != first.AIResponse.ID || again.UserMessageID != first.UserMessageID ||
			again.AIResponse.Content != "Better!" {
			w.Errorf("got %+v after %+v", again, first)
		}
		reader.wants(event{"2.0.7", "delta", `{"text":"!"}`})
		stored := w.messages(ada, session)
		list, err := ada.Favorites(ctx, "", parley.Page{})
		w.must(err)
		if len(stored) != 2 || stored[1].Content != "Better!" || !stored[1].IsFavorited ||
			list.Favorites[0].ID != favorite.FavoriteID || list.Favorites[0].Content != "Better!" {
			w.Errorf("stored: %+v, %+v", stored, list)
		}

		w.Model.Script(aitest.Text("Worse"), aitest.Cut())
		_, err = ada.Regenerate(ctx, session, parley.RegenerateInput{})
		w.wants(err, parley.CodeAIUnavailable, 503)
		stored = w.messages(ada, session)
		if stored[1].Content != "Better!" || stored[1].Status != "" || !stored[1].IsFavorited {
			w.Errorf("after a failure: %+v", stored[1])
		}
		// A client that has read text of the failed attempt must discard it.
		if events := w.follow(ada, first.AIResponse.ID, "3.0.5").rest(); text(events, "delta") != "Better!" ||
			events[0].Name != "restart" {
			w.Errorf("got %v", events)
		}
		_, err = ada.Regenerate(ctx, w.session(ada, ""), parley.RegenerateInput{})
		w.wants(err, parley.CodeSendFailed, 409)
		w.noOrphans(ada)
	})
}

func TestASendIsMadeOnceForItsKey(t *testing.T) {
	each(t, func(w *world) {
		ada, eve := w.user("ada"), w.user("eve")
		session := w.session(ada, "")
		key := client.WithIdempotencyKey("one")
		g := make(gate)
		w.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.End())
		first := w.sending(ada, session, "Is it?", key)
		w.asked(1)
		second := w.sending(ada, session, "Is it?", key) // while the first is running
		stream, err := ada.Stream(w.Context(), parley.SendInput{SessionID: session, Content: "Is it?"}, key)
		w.must(err)
		defer stream.Close()
		_, err = ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "Is it not?"}, key)
		w.wants(err, parley.CodeInvalidParameter, 400)
		g.open()
		one, two := <-first, <-second
		w.must(errors.Join(one.err, two.err))
		three, err := stream.Wait()
		w.must(err)
		w.restart()
		ada, eve = w.again(ada), w.again(eve)
		four, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "Is it?"}, key)
		w.must(err)
		for i, again := range []parley.SendOutput{two.SendOutput, three, four} {
			if again.UserMessageID != one.UserMessageID || again.AIResponse.ID != one.AIResponse.ID ||
				again.AIResponse.Content != "Well" {
				w.Errorf("answer %d is %+v, want %+v", i+2, again, one)
			}
		}
		if stored := w.messages(ada, session); len(stored) != 2 || len(w.Model.Requests()) != 1 {
			w.Errorf("stored %d messages, asked the model %d times", len(stored), len(w.Model.Requests()))
		}
		if other, err := eve.Send(w.Context(), parley.SendInput{SessionID: w.session(eve, ""), Content: "Is it?"},
			key); err != nil || other.AIResponse.ID == one.AIResponse.ID {
			w.Errorf("another user's key: %+v, %v", other, err)
		}
		four, err = ada.Send(w.Context(), parley.SendInput{
			SessionID: session, Content: "Is it?", ReplyOptions: parley.ReplyOptions{Model: "default"},
		}, key)
		if err != nil || four.AIResponse.ID != one.AIResponse.ID {
			w.Errorf("with the default model by name: %+v, %v", four, err)
		}
		input := fmt.Sprintf(`{"session_id":%q,"content":"Two keys"}`, session)
		w.play(ada, []scenario{
			{
				name: "two keys", path: "/api/chat/send", body: input,
				headers: []string{"Idempotency-Key: a", "Idempotency-Key: b"}, status: 400, code: 1001, says: "once",
			},
			{
				name: "one key twice", path: "/api/chat/stream", body: input,
				headers: []string{"Idempotency-Key: a", "Idempotency-Key: a"}, status: 400, code: 1001, says: "once",
			},
		})
		for key, want := range map[string]int{
			strings.Repeat("k", 128): 200, strings.Repeat("k", 129): 400,
			strings.Repeat("键", 128): 200, "no text: \xff": 400,
		} {
			got := w.request("POST", "/api/chat/send", fmt.Sprintf(`{"session_id":%q,"content":"Another key"}`, session),
				as(ada), "Idempotency-Key: "+key)
			if got.StatusCode != want || want == 400 && got.code() != parley.CodeInvalidParameter {
				w.Errorf("the key %q: HTTP %d, %s", key, got.StatusCode, got.text)
			}
		}
	})
}

func TestAKeyHoldsForADay(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		send := func(key string) string {
			out, err := w.again(ada).Send(w.Context(), parley.SendInput{SessionID: session, Content: "Is it?"},
				client.WithIdempotencyKey(key))
			w.must(err)
			return out.AIResponse.ID
		}
		older := send("older")
		w.clock.forward(2 * time.Hour)
		younger := send("younger")
		w.clock.forward(23 * time.Hour)
		w.restart()
		w.eventually("the older key is forgotten", func() bool { return send("older") != older })
		if send("younger") != younger {
			w.Error("the younger key is forgotten before its day is over")
		}
	})
}

// TestTheFirstMessageThatIsKeptGivesTheTitle has a message wait behind another. The other one gives the session its
// title and then fails.
func TestTheFirstMessageThatIsKeptGivesTheTitle(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		g := make(gate)
		w.Model.Script(aitest.Wait(g), aitest.Status(400, "no"))
		first := w.sending(ada, session, "A sunken question")
		w.asked(1)
		second := w.sending(ada, session, "A good question")
		w.eventually("the second waits", func() bool {
			return strings.Contains(w.request("GET", "/metrics", "").text, "\nparley_waiting_sends 1\n")
		})
		g.open()
		w.wants((<-first).err, parley.CodeAIUnavailable, 503)
		w.must((<-second).err)
		if got := w.only(ada); got.Title != "A good question" || got.MessageCount != 2 {
			w.Errorf("got %+v", got)
		}
		if got := w.sessions(ada, "good question", parley.Page{}); got.Total != 1 || got.Sessions[0].Snippet != "" {
			w.Errorf("found %+v, want it by its title", got)
		}
	})
}

// TestQueuedSendsOfOneKeyAreMadeOnce sends the same message many times at once, behind a running turn.
func TestQueuedSendsOfOneKeyAreMadeOnce(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		g := make(gate)
		w.Model.Script(aitest.Wait(g), aitest.Text("First"), aitest.End())
		w.Model.Script(aitest.Status(400, "no")) // the first one with the key fails and frees it
		before := w.sending(ada, session, "Before")
		w.asked(1)
		var waiting []<-chan outcome
		for range 8 {
			waiting = append(waiting, w.sending(ada, session, "Is it?", client.WithIdempotencyKey("one")))
		}
		g.open()
		w.must((<-before).err)
		failed := 0
		ids := map[string]bool{}
		for _, one := range waiting {
			if s := <-one; s.err != nil {
				w.wants(s.err, parley.CodeAIUnavailable, 503)
				failed++
			} else {
				ids[s.AIResponse.ID] = true
			}
		}
		if failed == len(waiting) { // all followed the failed one
			again := <-w.sending(ada, session, "Is it?", client.WithIdempotencyKey("one"))
			w.must(again.err)
			ids[again.AIResponse.ID] = true
		}
		if stored := w.messages(ada, session); len(ids) != 1 || failed == 0 || len(stored) != 4 {
			w.Errorf("%d replies, %d failures, %d messages", len(ids), failed, len(stored))
		}
		w.noOrphans(ada)
	})
}

func TestAFailedSendFreesItsKey(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		key := client.WithIdempotencyKey("one")
		w.Model.Script(aitest.Text("Half"), aitest.Cut())
		w.wants((<-w.sending(ada, session, "Is it?", key)).err, parley.CodeAIUnavailable, 503)
		w.must((<-w.sending(ada, session, "Is it?", key)).err)
		if stored := w.messages(ada, session); len(stored) != 2 {
			w.Errorf("%d messages, want 2", len(stored))
		}
	})
}

func TestALateReplyCanBeFollowedAndAskedForAgain(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		g := make(gate)
		w.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.Text(", yes."), aitest.End())
		late, _ := w.late(ada, session, "Is it?", "Well")
		if twice, _ := w.late(ada, session, "Is it?", "Well"); twice.AIResponse.ID != late.AIResponse.ID {
			w.Errorf("got %+v, then %+v", late, twice)
		}
		g.open()
		if got := text(w.follow(ada, late.AIResponse.ID, "1.0.4").rest(), "delta"); got != ", yes." {
			w.Errorf("got %q", got)
		}
		if again := <-w.sending(ada, session, "Is it?", client.WithIdempotencyKey("late")); again.err != nil ||
			again.AIResponse.Content != "Well, yes." {
			w.Errorf("asked again: %+v", again)
		}
		w.noOrphans(ada)
	})
}

// inPairs checks that each question is followed by its own reply.
func (w *world) inPairs(messages []parley.Message, turns int) {
	w.Helper()
	if len(messages) != 2*turns {
		w.Fatalf("%d messages, want %d", len(messages), 2*turns)
	}
	for i := 0; i < len(messages); i += 2 {
		if messages[i].Role != parley.RoleUser || messages[i+1].Role != parley.RoleAssistant ||
			messages[i+1].Content != "You said: "+messages[i].Content {
			w.Errorf("messages %d and %d are %+v", i, i+1, messages[i:i+2])
		}
	}
}

func TestThinkingStaysOutOfTheReplyAndOfLaterPrompts(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.Model.Script(aitest.Thinking("a private thought"), aitest.Text("Yes."), aitest.End())
		out, err := ada.Send(w.Context(), parley.SendInput{
			SessionID: session, Content: "Is it?",
			ReplyOptions: parley.ReplyOptions{DeepThinking: true},
		})
		w.must(err)
		if out.AIResponse.Content != "Yes." || out.AIResponse.Thinking != "a private thought" ||
			out.AIResponse.ThinkingMS < 1 || !w.Model.Last(w.T).DeepThinking() {
			w.Errorf("got %+v", out)
		}
		w.say(ada, session, "Sure?")
		request := w.Model.Last(w.T)
		if strings.Contains(string(request.Body), "private thought") || !strings.Contains(string(request.Body), "Yes.") ||
			request.DeepThinking() {
			w.Errorf("the model was asked %s", request.Body)
		}
		if stored := w.messages(ada, session); stored[1].Thinking != "a private thought" || stored[3].Thinking != "" {
			w.Errorf("stored: %+v", stored)
		}
	})
}

// engine is a search engine with scripted results.
type engine struct {
	mu      sync.Mutex
	results []websearch.Result
	err     error
	queries []string
}

func (e *engine) Search(_ context.Context, query string) ([]websearch.Result, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queries = append(e.queries, query)
	return e.results, e.err
}

func (e *engine) finds(err error, results ...websearch.Result) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.results, e.err = results, err
}

// hangs is a search engine that never responds.
type hangs struct{}

func (hangs) Search(ctx context.Context, _ string) ([]websearch.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestASearchThatHangsFailsInTime(t *testing.T) {
	testtier.Slow(t)
	eachWith(t, func(w *world) { w.Search = hangs{} }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.RequestTimeout = 30 * time.Second // the search may take a third of it
		w.restart()
		ada = w.again(ada)
		_, err := ada.Send(w.Context(), parley.SendInput{
			SessionID: session, Content: "Which ferry?",
			ReplyOptions: parley.ReplyOptions{WebSearch: true},
		})
		w.wants(err, parley.CodeSearchUnavailable, 503)
		if got := w.only(ada); got.MessageCount != 0 {
			w.Errorf("got %+v", got)
		}
	})
}

func TestSourcesOfAWebSearch(t *testing.T) {
	eachWith(t, func(w *world) { w.Search = &engine{} }, func(w *world) {
		e := w.Search.(*engine)
		ada := w.user("ada")
		session := w.session(ada, "")
		searching := fmt.Sprintf(`{"session_id":%q,"content":"Which ferry?","web_search":true}`, session)
		if out, err := ada.Models(w.Context()); err != nil || !out.Models[0].WebSearch || !out.Models[2].WebSearch {
			w.Errorf("the models on offer are %+v, %v", out, err)
		}
		e.finds(nil, websearch.Result{Title: "Ferries", URL: "https://example.com/f", Text: "It leaves at nine."})
		w.Model.Script(aitest.Say("At nine [1].")...)
		s := w.open("POST", "/api/chat/stream", searching, as(ada))
		replyID := s.started()
		s.wants(event{"1.0.0", "sources", `{"results":[{"title":"Ferries","url":"https://example.com/f"}]}`},
			event{"1.0.12", "delta", `{"text":"At nine [1]."}`})
		request := w.Model.Last(w.T)
		if !strings.Contains(request.System(), "It leaves at nine.") ||
			!strings.Contains(request.System(), "https://example.com/f") || request.Question() != "Which ferry?" {
			w.Errorf("the model was asked %s", request.Body)
		}
		s.rest()
		want := []parley.Source{{Title: "Ferries", URL: "https://example.com/f"}}
		if stored := w.messages(ada, session); !slices.Equal(stored[1].Sources, want) {
			w.Errorf("stored: %+v", stored)
		}
		if again := names(w.follow(ada, replyID, "").rest()); !slices.Equal(again,
			[]string{"start", "sources", "delta", "done"}) {
			w.Errorf("read again: %v", again)
		}
		if rest := names(w.follow(ada, replyID, "1.0.3").rest()); !slices.Equal(rest, []string{"delta", "done"}) {
			w.Errorf("the rest: %v", rest)
		}

		e.finds(errors.New("engine down, key sk-secret"))
		asked := len(w.Model.Requests())
		got := w.request("POST", "/api/chat/send", searching, as(ada))
		if got.code() != parley.CodeSearchUnavailable || got.StatusCode != 503 || strings.Contains(got.text, "sk-secret") {
			w.Errorf("the engine fails: HTTP %d, %s", got.StatusCode, got.text)
		}
		if stored := w.messages(ada, session); len(stored) != 2 || len(w.Model.Requests()) != asked {
			w.Errorf("%d messages; the model was asked %d times, want %d", len(stored), len(w.Model.Requests()), asked)
		}

		e.finds(nil)
		got = w.request("POST", "/api/chat/send", searching, as(ada))
		if got.StatusCode != 200 || strings.Contains(got.text, "sources") {
			w.Errorf("no result: HTTP %d, %s", got.StatusCode, got.text)
		}
		if len(e.queries) != 3 || e.queries[0] != "Which ferry?" {
			w.Errorf("searched for %q", e.queries)
		}
	})
}
