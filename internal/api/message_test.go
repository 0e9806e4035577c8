package api_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

func TestMessages(t *testing.T) {
	shared(t, []part{
		{"messages come oldest first in pages", messagesComeOldestFirstInPages},
		{"messages of no session", messagesOfNoSession},
		{"text is kept to the letter", textIsKeptToTheLetter},
		{"an open reply is in the history", anOpenReplyIsInTheHistory},
		{"models on offer", modelsOnOffer},
	})
}

func messagesComeOldestFirstInPages(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	const turns = 55
	for i := range turns {
		w.say(ada, session, fmt.Sprintf("Question %d", i))
	}
	number := func(n int) string { // the text of message n, from 0
		if n%2 == 0 {
			return fmt.Sprintf("Question %d", n/2)
		}
		return fmt.Sprintf("You said: Question %d", n/2)
	}
	for _, test := range []struct {
		query       string
		first, size int
	}{
		{"", 0, 50},
		{"&page=2", 50, 50},
		{"&page=3", 100, 10},
		{"&page=4", 0, 0},
		{"&page_size=3&page=5", 12, 3},
		{"&page_size=200", 0, 110},
		{"&page_size=100000", 0, 110},
		{"&page_size=200&page=2", 0, 0},
		{"&page=1000000000000000000", 0, 0},
		{"&page=9223372036854775807&page_size=9223372036854775807", 0, 0},
	} {
		var out parley.MessagesOutput
		w.request("GET", "/api/chat/messages?session_id="+session+test.query, "", as(ada)).body(w, &out)
		if len(out.Messages) != test.size || out.Total != 2*turns {
			w.Errorf("%q: got %d of %d, want %d of %d", test.query, len(out.Messages), out.Total, test.size, 2*turns)
		}
		for i, m := range out.Messages {
			role := parley.RoleUser
			if (test.first+i)%2 == 1 {
				role = parley.RoleAssistant
			}
			if m.Content != number(test.first+i) || m.Role != role || m.ID == "" || m.IsFavorited {
				w.Fatalf("%q: message %d is %+v, want %q", test.query, i, m, number(test.first+i))
			}
		}
	}
	if got := w.only(ada); got.MessageCount != 2*turns {
		w.Errorf("message_count is %d, want %d", got.MessageCount, 2*turns)
	}
}

func messagesOfNoSession(w *world) {
	ada := w.user("ada")
	w.play(ada, []scenario{
		{name: "missing", method: "GET", path: "/api/chat/messages", status: 400, code: 1001, says: "session_id is required"},
		{
			name: "unknown", method: "GET", path: "/api/chat/messages?session_id=019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10",
			status: 404, code: 2001,
		},
		{name: "malformed", method: "GET", path: "/api/chat/messages?session_id=%27%20OR%201=1", status: 404, code: 2001},
	})
}

func textIsKeptToTheLetter(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	for _, text := range []string{
		"  leading and trailing \n\n",
		"tabs\tand\r\nline\rbreaks",
		"emoji 👩‍👩‍👧‍👦 and 🏳️‍🌈",
		"rare 𠮷 characters \U0010FFFF \uFFFD",
		"right to left: مرحبا \u202Eabc\u202C",
		"zero\u200Bwidth\uFEFF, combining e\u0301, composed \u00e9",
		"control \u0001 \u001b[31m \u007f",
		`<script>alert("x")</script> & 'quotes' \ and {"json":true}`,
		"'; DROP TABLE messages; --  %s %d $1 ?",
		"data: [DONE]\n\nevent: error\n\n",
	} {
		sent := w.say(ada, session, text)
		if asked := w.Model.Last(w.T).Question(); asked != text {
			w.Errorf("the model was asked %q, want %q", asked, text)
		}
		if want := "You said: " + text; sent.AIResponse.Content != want {
			w.Errorf("got the reply %q, want %q", sent.AIResponse.Content, want)
		}
		messages := w.messages(ada, session)
		last := messages[len(messages)-2:]
		if last[0].Content != text || last[1].Content != "You said: "+text {
			w.Errorf("stored %q and %q, want %q", last[0].Content, last[1].Content, text)
		}
	}
}

// anOpenReplyIsInTheHistory reads a session while the model generates its reply.
func anOpenReplyIsInTheHistory(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "")
	begun, gate := make(chan struct{}), make(chan struct{})
	w.Model.Script(aitest.Text("The hydrofoil"), aitest.Reached(begun), aitest.Wait(gate), aitest.Text(" at nine."),
		aitest.End())
	done := make(chan error, 1)
	go func() {
		_, err := ada.Send(ctx, parley.SendInput{SessionID: session, Content: "Which ferry goes to Capri?"})
		done <- err
	}()
	<-begun
	var open parley.MessagesOutput
	w.eventually("the text so far is shown", func() bool {
		w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)).body(w, &open)
		return len(open.Messages) == 2 && open.Messages[1].Content == "The hydrofoil"
	})
	if open.Total != 2 || open.Messages[0].Status != "" || open.Messages[1].Status != parley.StatusPending ||
		open.Messages[1].Role != parley.RoleAssistant {
		w.Errorf("got %+v", open)
	}
	if got := w.only(ada); got.MessageCount != 2 {
		w.Errorf("message_count is %d, want 2", got.MessageCount)
	}
	export, err := ada.Export(ctx, session)
	w.must(err)
	if fmt.Sprint(export.Messages) != fmt.Sprint(open.Messages) {
		w.Errorf("exported %+v, want %+v", export.Messages, open.Messages)
	}
	close(gate)
	w.must(<-done)
	closed := w.messages(ada, session)
	if closed[1].ID != open.Messages[1].ID || closed[1].Content != "The hydrofoil at nine." || closed[1].Status != "" {
		w.Errorf("got %+v", closed[1])
	}
}

func modelsOnOffer(w *world) {
	out, err := w.user("ada").Models(w.Context())
	w.must(err)
	var names []string
	for i, m := range out.Models {
		names = append(names, m.Name)
		if m.Default != (i == 0) || m.DeepThinking != (m.Name == parley.ModelEnhanced) || m.WebSearch {
			w.Errorf("got %+v", m)
		}
	}
	if got := strings.Join(names, " "); got != "default 基础模型 增强模型" {
		w.Errorf("got %s", got)
	}
}
