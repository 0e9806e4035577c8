package api_test

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func TestContinue(t *testing.T) {
	shared(t, []part{
		{"an interrupted stream keeps its text", anInterruptedStreamKeepsItsText},
		{"an interrupted edit keeps both lines", anInterruptedEditKeepsBothLines},
		{"a continued reply", aContinuedReply},
		{"a continued stream has the new text", aContinuedStreamHasTheNewText},
		{"a continued reply names its files once", aContinuedReplyNamesItsFilesOnce},
		{"the quotes of a continued reply are checked", theQuotesOfAContinuedReplyAreChecked},
		{"a failed continuation changes nothing", aFailedContinuationChangesNothing},
		{"a reply cut by the model's limit", aReplyCutByTheModelsLimit},
		{"thinking without an opening tag", thinkingWithoutAnOpeningTag},
		{"continue inputs", continueInputs},
	})
}

// interrupted sends a question. The model interrupts the reply. interrupted returns the reply's id.
func (w *world) interrupted(c *client.Client, session, replaces string) string {
	w.Helper()
	w.Model.Script(aitest.Text("Half a"), aitest.Cut())
	s := w.open("POST", "/api/chat/stream",
		`{"session_id":"`+session+`","content":"A question","replaces":"`+replaces+`"}`, as(c))
	replyID := s.started()
	if got := names(s.rest()); !slices.Equal(got, []string{"delta", "error"}) {
		w.Errorf("the stream has %v", got)
	}
	return replyID
}

func anInterruptedStreamKeepsItsText(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	replyID := w.interrupted(ada, session, "")
	messages := w.messages(ada, session)
	if len(messages) != 2 || messages[1].ID != replyID || messages[1].Content != "Half a" ||
		messages[1].Status != parley.StatusInterrupted {
		w.Errorf("got %+v", messages)
	}
	if got := names(w.follow(ada, replyID, "").rest()); !slices.Equal(got, []string{"start", "delta", "done"}) {
		w.Errorf("read again it has %v", got)
	}
	w.Model.Script(aitest.Text("Half a"), aitest.Cut()) // send leaves nothing behind
	_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "Another"})
	w.wants(err, parley.CodeAIUnavailable, 503)
	w.Model.Script(aitest.Status(400, "no")) // nor does a stream that fails before the first word
	s := w.ask(ada, session, "A third")
	s.started()
	s.fails(parley.CodeAIUnavailable)
	if got := w.messages(ada, session); len(got) != 2 {
		w.Errorf("got %+v", got)
	}
}

func anInterruptedEditKeepsBothLines(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	said := w.say(ada, session, "First")
	w.interrupted(ada, session, said.UserMessageID)
	messages := w.messages(ada, session)
	if len(messages) != 2 || messages[0].Version != 2 || messages[1].Status != parley.StatusInterrupted {
		w.Errorf("got %+v", messages)
	}
	w.must(ada.ShowVersion(w.Context(), said.UserMessageID, 1))
	if got := w.messages(ada, session); got[0].Content != "First" || got[1].Status != "" {
		w.Errorf("got %+v", got)
	}
}

func aContinuedReply(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	replyID := w.interrupted(ada, session, "")
	w.Model.Script(aitest.Say(" tortoise.")...)
	out, err := ada.Continue(w.Context(), session, parley.RegenerateInput{})
	w.must(err)
	if out.AIResponse.ID != replyID || out.AIResponse.Content != "Half a tortoise." {
		w.Errorf("got %+v", out)
	}
	asked := w.Model.Last(w.T)
	if n := len(asked.Messages); n < 3 || asked.Messages[n-3].Content != "A question" ||
		asked.Messages[n-2].Content != "Half a" || asked.Messages[n-2].Role != parley.RoleAssistant {
		w.Errorf("the model received %+v", asked.Messages)
	}
	messages := w.messages(ada, session)
	if len(messages) != 2 || messages[1].Content != "Half a tortoise." || messages[1].Status != "" ||
		messages[1].Versions != 0 {
		w.Errorf("got %+v", messages)
	}
	for _, stage := range []string{"just made", "indexed"} {
		if w.sessions(ada, "half a tortoise", parley.Page{}).Total != 1 {
			w.Errorf("%s: the search does not find the whole text", stage)
		}
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
	}
	_, err = ada.Continue(w.Context(), session, parley.RegenerateInput{})
	w.wants(err, parley.CodeSendFailed, 409)
}

func aContinuedStreamHasTheNewText(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	left := make(chan struct{})
	w.Model.Script(aitest.Text("One 渡"), aitest.Gone(left))
	s := w.ask(ada, session, "Count")
	replyID := s.started()
	s.wants(event{"1.0.5", "delta", `{"text":"One 渡"}`})
	w.must(ada.Stop(w.Context(), replyID))
	<-left
	if got := w.messages(ada, session)[1].Status; got != parley.StatusStopped {
		w.Errorf("the status is %q", got)
	}
	w.Model.Script(aitest.Text(" two"), aitest.Cut())
	c := w.open("POST", "/api/chat/stream", `{"session_id":"`+session+`","continue":true}`, as(ada))
	if e := c.next(); e.ID != "2.0.5" || e.Name != "start" || !strings.Contains(e.Data, replyID) {
		w.Errorf("got %+v, want the start of %s", e, replyID)
	}
	c.wants(event{"2.0.9", "delta", `{"text":" two"}`})
	c.fails(parley.CodeAIUnavailable)
	if got := w.messages(ada, session)[1]; got.Content != "One 渡 two" || got.Status != parley.StatusInterrupted {
		w.Errorf("got %+v", got)
	}
	w.Model.Script(aitest.Say(" three")...)
	stream, err := ada.StreamContinue(w.Context(), session, parley.RegenerateInput{})
	w.must(err)
	out, err := stream.Wait()
	w.must(err)
	w.must(stream.Close())
	if out.AIResponse.Content != "One 渡 two three" {
		w.Errorf("got %+v", out)
	}
	if rest := w.follow(ada, replyID, "3.0.9").rest(); len(rest) != 2 || !strings.Contains(rest[0].Data, "three") {
		w.Errorf("resumed: %+v", rest)
	}
}

func aContinuedReplyNamesItsFilesOnce(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	_, err := ada.Upload(w.Context(), session, "ferries.txt", strings.NewReader("Naples 09:00, Capri 09:50"))
	w.must(err)
	w.interrupted(ada, session, "")
	before := w.messages(ada, session)[1].Files
	w.Model.Script(aitest.Say(" tortoise.")...)
	_, err = ada.Continue(w.Context(), session, parley.RegenerateInput{})
	w.must(err)
	if after := w.messages(ada, session)[1].Files; len(before) != 1 || !slices.Equal(after, before) {
		w.Errorf("the files are %+v, and before %+v", after, before)
	}
}

func theQuotesOfAContinuedReplyAreChecked(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	text := strings.NewReader("The tenant pays the rent on the third of the month.\n")
	_, err := ada.Upload(w.Context(), session, "contract.txt", text)
	w.must(err)
	left := make(chan struct{})
	w.Model.Script(aitest.Text("contract.txt says “the tenant pays the landlord a deposit”, "+
		"and contract.txt says “the tenant pays the rent on"), aitest.Gone(left))
	s := w.ask(ada, session, "What does it say?")
	replyID := s.started()
	s.next()
	w.must(ada.Stop(w.Context(), replyID))
	<-left
	invented := parley.Quote{Text: "the tenant pays the landlord a deposit", Filename: "contract.txt"}
	if got := w.messages(ada, session)[1].NotFound; !slices.Equal(got, []parley.Quote{invented}) {
		w.Errorf("after stop: %+v", got)
	}
	w.Model.Script(aitest.Say(" the third”.\n\ncontract.txt also says “the landlord paints the house in spring”.")...)
	out, err := ada.Continue(w.Context(), session, parley.RegenerateInput{})
	w.must(err)
	another := parley.Quote{Text: "the landlord paints the house in spring", Filename: "contract.txt"}
	if got := out.AIResponse.NotFound; !slices.Equal(got, []parley.Quote{invented, another}) {
		w.Errorf("continued: %+v", got)
	}
	if got := w.messages(ada, session)[1].NotFound; !slices.Equal(got, []parley.Quote{invented, another}) {
		w.Errorf("the stored quotes are %+v", got)
	}
}

func aFailedContinuationChangesNothing(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.interrupted(ada, session, "")
	before := w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)).text
	defer w.Model.Respond(aitest.Echo)
	for name, steps := range faults {
		w.Model.Respond(func(aitest.Request) []aitest.Step { return steps })
		_, err := ada.Continue(w.Context(), session, parley.RegenerateInput{})
		w.wants(err, parley.CodeAIUnavailable, 503)
		if after := w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)).text; after != before {
			w.Errorf("%s: got %s, want %s", name, after, before)
		}
	}
}

func aReplyCutByTheModelsLimit(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.Model.Script(aitest.Event(`{"choices":[{"delta":{"content":"One"},"finish_reason":"length"}]}`))
	out, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "Count"})
	w.must(err)
	stored := w.messages(ada, session)[1]
	if out.AIResponse.Finish != "length" || stored.Finish != "length" || stored.Status != "" {
		w.Errorf("got %+v, stored %+v", out, stored)
	}
	w.Model.Script(aitest.Say(" two")...)
	out, err = ada.Continue(w.Context(), session, parley.RegenerateInput{})
	w.must(err)
	if stored = w.messages(ada, session)[1]; out.AIResponse.Finish != "" || stored.Content != "One two" ||
		stored.Finish != "" {
		w.Errorf("got %+v, stored %+v", out, stored)
	}
}

// thinkingWithoutAnOpeningTag reads a stream with text that turns out to be thinking.
func thinkingWithoutAnOpeningTag(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	read := make(chan struct{})
	w.Model.Script(aitest.Text("Hm.\n"), aitest.Wait(read), aitest.Text("</think>\n\nYes"), aitest.End())
	s := w.ask(ada, session, "Is it?")
	replyID := s.started()
	s.wants(event{"1.0.4", "delta", `{"text":"Hm.\n"}`})
	close(read)
	if got := names(s.rest()); !slices.Equal(got, []string{"restart", "thinking", "delta", "done"}) {
		w.Errorf("the stream has %v", got)
	}
	reply := w.messages(ada, session)[1]
	if reply.ID != replyID || reply.Content != "Yes" || reply.Thinking != "Hm.\n" || reply.ThinkingMS < 1 {
		w.Errorf("got %+v", reply)
	}
}

func continueInputs(w *world) {
	ada := w.user("ada")
	empty, session := w.session(ada, ""), w.session(ada, "")
	w.say(ada, session, "A question")
	stream := func(more string) string { return `{"session_id":"` + session + `","continue":true` + more + `}` }
	w.play(ada, []scenario{
		{name: "complete", path: "/api/chat/session/" + session + "/continue", status: 409, code: 2002},
		{name: "empty", path: "/api/chat/session/" + empty + "/continue", status: 409, code: 2002},
		{name: "no such session", path: "/api/chat/session/x/continue", status: 404, code: 2001},
		{name: "complete, as a stream", path: "/api/chat/stream", body: stream(""), status: 409, code: 2002},
		{
			name: "with content", path: "/api/chat/stream", body: stream(`,"content":"x"`),
			status: 400, code: 1001, says: "continue",
		},
		{
			name: "neither content nor continue", path: "/api/chat/stream", body: `{"session_id":"` + session + `"}`,
			status: 400, code: 1001, says: "content",
		},
	})
}
