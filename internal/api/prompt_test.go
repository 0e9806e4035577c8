package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

func TestPrompts(t *testing.T) {
	shared(t, []part{
		{"the prompt is the conversation", thePromptIsTheConversation},
		{"files stand in a system message before the conversation", filesStandInASystemMessageBeforeTheConversation},
		{"the pages of a file are named", thePagesOfAFileAreNamed},
	})
}

// wantPrompt checks the roles of a request's messages, and the question: the last, of
// role user, to the letter.
func wantPrompt(w *world, request aitest.Request, question string, roles ...string) {
	w.Helper()
	var got []string
	for _, m := range request.Messages {
		got = append(got, m.Role)
	}
	if !slices.Equal(got, roles) {
		w.Errorf("the messages are of %v, want %v", got, roles)
	}
	if request.Question() != question {
		w.Errorf("the question is %q, want %q", request.Question(), question)
	}
}

func thePromptIsTheConversation(w *world) {
	ada := w.user("ada")
	session, other := w.session(ada, ""), w.session(ada, "")
	w.say(ada, other, "Something else")
	w.say(ada, session, " First \n")
	wantPrompt(w, w.Model.Last(w.T), " First \n", "user")
	w.say(ada, session, "Second")
	w.say(ada, session, "Third")
	asked := w.Model.Last(w.T)
	wantPrompt(w, asked, "Third", "user", "assistant", "user", "assistant", "user")
	want := []string{" First \n", "You said:  First \n", "Second", "You said: Second", "Third"}
	for i, m := range asked.Messages {
		if m.Content != want[i] {
			w.Errorf("message %d is %q, want %q", i, m.Content, want[i])
		}
	}
}

func filesStandInASystemMessageBeforeTheConversation(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "")
	w.say(ada, session, "First")
	file, err := ada.Upload(ctx, session, "timetable.md", strings.NewReader("# Ferries\n\nThe hydrofoil leaves at nine.\n"))
	w.must(err)
	sent := w.say(ada, session, "When does it leave?")
	asked := w.Model.Last(w.T)
	wantPrompt(w, asked, "When does it leave?", "system", "user", "assistant", "user")
	for _, want := range []string{"timetable.md", "# Ferries\n\nThe hydrofoil leaves at nine."} {
		if !strings.Contains(asked.System(), want) {
			w.Errorf("the model was not told %q:\n%s", want, asked.System())
		}
	}
	used := []parley.Passage{{FileID: file.FileID, Filename: "timetable.md"}}
	if got := w.messages(ada, session)[3].Files; !slices.Equal(got, used) || !slices.Equal(sent.AIResponse.Files, used) {
		w.Errorf("the reply names %+v and %+v, want %+v", got, sent.AIResponse.Files, used)
	}

	w.must(ada.DeleteFile(ctx, file.FileID))
	w.say(ada, session, "And now?")
	if asked := w.Model.Last(w.T); strings.Contains(asked.System(), "hydrofoil") {
		w.Error("the model was told of a file that is removed")
	}
}

func thePagesOfAFileAreNamed(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	slides, err := os.Open(filepath.Join("..", "extract", "testdata", "libreoffice.pptx"))
	w.must(err)
	defer slides.Close()
	file, err := ada.Upload(w.Context(), session, "slides.pptx", slides)
	w.must(err)
	sent := w.say(ada, session, "What do the slides say?")
	told := w.Model.Last(w.T).System()
	for _, want := range []string{"File: slides.pptx\n", "\nPlace: slide 1\n", "\nPlace: slide 4\n"} {
		if strings.Count(told, want) != 1 {
			w.Errorf("the model was not told %q:\n%s", want, told)
		}
	}
	used := []parley.Passage{{FileID: file.FileID, Filename: "slides.pptx", Anchor: "slide 1 – slide 4"}}
	if !slices.Equal(sent.AIResponse.Files, used) {
		w.Errorf("the reply names %+v, want %+v", sent.AIResponse.Files, used)
	}
}

// TestPassagesOfLongFilesFitTheQuestion gives the model a file that is larger than
// half its context.
func TestPassagesOfLongFilesFitTheQuestion(t *testing.T) {
	eachWith(t, func(w *world) { w.ContextTokens = 4000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		var book strings.Builder
		for i := range 400 {
			fmt.Fprintf(&book, "Paragraph %d speaks of the weather, of gardens and of nothing in particular.\n\n", i)
			if i == 250 {
				book.WriteString("The hydrofoil to Capri leaves from Beverello pier.\n\n")
			}
		}
		file, err := ada.Upload(w.Context(), session, "book.txt", strings.NewReader(book.String()))
		w.must(err)
		sent := w.say(ada, session, "From which pier does the hydrofoil to Capri leave?")
		asked := w.Model.Last(w.T)
		if !strings.Contains(asked.System(), "Beverello pier") || !strings.Contains(asked.System(), "book.txt") {
			w.Errorf("the passage is missing:\n%s", asked.System())
		}
		if strings.Contains(asked.System(), "Paragraph 5 ") && strings.Contains(asked.System(), "Paragraph 395 ") {
			w.Error("the whole file was given")
		}
		if tokens := ai.Tokens(asked.System()); tokens > w.ContextTokens/2+500 {
			w.Errorf("the files take %d of %d tokens", tokens, w.ContextTokens)
		}
		if len(sent.AIResponse.Files) == 0 || sent.AIResponse.Files[0].FileID != file.FileID || sent.AIResponse.Files[0].Text == "" {
			w.Errorf("the reply names %+v", sent.AIResponse.Files)
		}
	})
}

func TestTheHistoryIsTrimmedToTheContext(t *testing.T) {
	eachWith(t, func(w *world) { w.ContextTokens = 1000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		const turns = 12
		for i := range turns {
			w.say(ada, session, fmt.Sprintf("Question %d. %s", i, strings.Repeat("A word or two. ", 12)))
		}
		asked := w.Model.Last(w.T).Messages
		history := w.messages(ada, session)
		history = history[:len(history)-1] // the last reply was not there yet
		if len(asked) >= len(history) || len(asked) < 3 || len(asked)%2 != 1 {
			w.Fatalf("%d of %d messages were given", len(asked), len(history))
		}
		tokens := 0
		for i, m := range asked {
			want := history[len(history)-len(asked)+i]
			if m.Role != want.Role || m.Content != want.Content {
				w.Errorf("message %d is not the newest history: %+v, want %+v", i, m, want)
			}
			tokens += ai.Tokens(m.Content)
		}
		if tokens > w.ContextTokens*3/4 {
			w.Errorf("the conversation takes %d of %d tokens", tokens, w.ContextTokens)
		}
	})
}

func TestContentMustFitTheContext(t *testing.T) {
	eachWith(t, func(w *world) { w.ContextTokens = 1000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		send := func(content string) error {
			_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: content})
			return err
		}
		err := send(strings.Repeat("A word or two. ", 400))
		w.wants(err, parley.CodeInvalidParameter, 400)
		if !strings.Contains(err.Error(), "content") {
			w.Errorf("the message does not name the field: %v", err)
		}
		if got := w.only(ada); got.MessageCount != 0 || len(w.Model.Requests()) != 0 {
			w.Errorf("something was stored or asked: %+v", got)
		}
		w.must(send(strings.Repeat("A word or two. ", 100)))
	})
}

func TestTheBuiltinModelAnswersWithoutAnother(t *testing.T) {
	eachWith(t, func(w *world) { w.Builtin = true }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		if sent := w.say(ada, session, "Hello, who are you?"); !strings.Contains(sent.AIResponse.Content, "built-in") {
			w.Errorf("got %q", sent.AIResponse.Content)
		}
		_, err := ada.Upload(w.Context(), session, "timetable.md", strings.NewReader("The hydrofoil to Capri leaves from Beverello pier."))
		w.must(err)
		sent := w.say(ada, session, "From which pier does the hydrofoil to Capri leave?")
		if !strings.Contains(sent.AIResponse.Content, "Beverello") || !strings.Contains(sent.AIResponse.Content, "timetable.md") {
			w.Errorf("got %q", sent.AIResponse.Content)
		}
	})
}
