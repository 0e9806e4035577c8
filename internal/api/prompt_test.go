package api_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
		{"what of a file could not be read is told", whatOfAFileCouldNotBeReadIsTold},
		{"instructions stand before the material", instructionsStandBeforeTheMaterial},
	})
}

// wantPrompt checks the roles of a request's messages. The last message must be the unchanged question.
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
	file, err := ada.Upload(ctx, session, "timetable.md",
		strings.NewReader("# Ferries\n\nThe hydrofoil leaves at nine.\n"))
	w.must(err)
	sent := w.say(ada, session, "When does it leave?")
	asked := w.Model.Last(w.T)
	wantPrompt(w, asked, "When does it leave?", "system", "user", "assistant", "user")
	for _, want := range []string{"timetable.md", "# Ferries\n\nThe hydrofoil leaves at nine."} {
		if !strings.Contains(asked.System(), want) {
			w.Errorf("the model did not receive %q:\n%s", want, asked.System())
		}
	}
	used := []parley.Passage{{FileID: file.FileID, Filename: "timetable.md"}}
	if got := w.messages(ada, session)[3].Files; !slices.Equal(got, used) || !slices.Equal(sent.AIResponse.Files, used) {
		w.Errorf("the reply names %+v and %+v, want %+v", got, sent.AIResponse.Files, used)
	}

	w.must(ada.DeleteFile(ctx, file.FileID))
	w.say(ada, session, "And now?")
	if asked := w.Model.Last(w.T); strings.Contains(asked.System(), "hydrofoil") {
		w.Error("the model received a file that was deleted")
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
			w.Errorf("the model did not receive %q:\n%s", want, told)
		}
	}
	used := []parley.Passage{{FileID: file.FileID, Filename: "slides.pptx", Anchor: "slide 1 – slide 4"}}
	if !slices.Equal(sent.AIResponse.Files, used) {
		w.Errorf("the reply names %+v, want %+v", sent.AIResponse.Files, used)
	}
}

// whatOfAFileCouldNotBeReadIsTold uploads slides. One of them is broken.
func whatOfAFileCouldNotBeReadIsTold(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	whole, err := zip.OpenReader(filepath.Join("..", "extract", "testdata", "libreoffice.pptx"))
	w.must(err)
	defer whole.Close()
	var rest bytes.Buffer
	z := zip.NewWriter(&rest)
	for _, f := range whole.File {
		if f.Name != "ppt/slides/slide2.xml" {
			w.must(z.Copy(f))
		}
	}
	w.must(z.Close())
	file, err := ada.Upload(w.Context(), session, "slides.pptx", &rest)
	w.must(err)
	files, err := ada.Files(w.Context(), session)
	w.must(err)
	notes := []string{"slide 2 could not be read"}
	if !slices.Equal(file.Notes, notes) || len(files.Files) != 1 || !slices.Equal(files.Files[0].Notes, notes) {
		w.Errorf("the file is %+v, in the list %+v", file, files)
	}
	for _, path := range []string{"/api/chat/session/" + session + "/files", "/api/files/" + file.FileID + "/text"} {
		if got := w.request("GET", path, "", as(ada), inChinese).text; !strings.Contains(got, "第 2 张幻灯片未能读取") {
			w.Errorf("in Chinese %s is %s", path, got)
		}
	}
	w.say(ada, session, "What do the slides say?")
	if told := w.Model.Last(w.T).System(); !strings.Contains(told, "\nHow it was read: slide 2 could not be read\n") {
		w.Errorf("the model was told:\n%s", told)
	}
}

// TestPassagesOfLongFilesFitTheQuestion gives the model a file larger than half its context.
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
		if len(sent.AIResponse.Files) == 0 || sent.AIResponse.Files[0].FileID != file.FileID ||
			sent.AIResponse.Files[0].Text == "" {
			w.Errorf("the reply names %+v", sent.AIResponse.Files)
		}
	})
}

// TestPassagesFitWhatAFollowUpQuestionRefersTo asks a second question that shares no word with the passage.
func TestPassagesFitWhatAFollowUpQuestionRefersTo(t *testing.T) {
	eachWith(t, func(w *world) { w.ContextTokens = 4000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		var book strings.Builder
		for i := range 400 {
			fmt.Fprintf(&book, "Paragraph %d asks how much weather a garden needs, and why.\n\n", i)
			if i == 250 {
				book.WriteString("The hydrofoil to Capri leaves from Beverello pier. A child rides for three euros.\n\n")
			}
		}
		_, err := ada.Upload(w.Context(), session, "book.txt", strings.NewReader(book.String()))
		w.must(err)
		w.say(ada, session, "From which pier does the hydrofoil to Capri leave?")
		w.say(ada, session, "And how much is it, and why?")
		if asked := w.Model.Last(w.T); !strings.Contains(asked.System(), "three euros") {
			w.Errorf("the passage is missing:\n%s", asked.System())
		}
	})
}

func TestFilesAreGivenWholeUpToHalfTheContext(t *testing.T) {
	eachWith(t, func(w *world) { w.ContextTokens = 4000 }, func(w *world) {
		ada := w.user("ada")
		for tokens, whole := range map[int]bool{1900: true, 2100: false} {
			session := w.session(ada, "")
			var book strings.Builder
			for i := 0; ai.Tokens(book.String()) < tokens; i++ {
				fmt.Fprintf(&book, "Paragraph %d speaks of the hydrofoil to Capri.\n\n", i)
			}
			_, err := ada.Upload(w.Context(), session, "book.txt", strings.NewReader(book.String()))
			w.must(err)
			sent := w.say(ada, session, "What of the hydrofoil to Capri?")
			if given := sent.AIResponse.Files; len(given) == 0 || (given[0].Text == "") != whole {
				w.Errorf("%d tokens: the reply names %+v", tokens, given)
			}
		}
	})
}

// TestTheHistoryIsTrimmedToTheContext sends to a session of 20,000 messages: with a context that holds few of them,
// and with one that holds more than 1,000.
func TestTheHistoryIsTrimmedToTheContext(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "Ferries")
		history := w.fill(session, 20_000)
		for _, test := range []struct{ context, least, most int }{{1000, 3, 100}, {32_000, 1001, 3000}} {
			w.ContextTokens = test.context
			w.restart()
			ada := w.guest().WithToken(ada.Token())
			const question = "And the last one?"
			want := append(newest(history, question, test.context), question)
			reply := w.say(ada, session, question).AIResponse.Content
			asked := w.Model.Last(w.T).Messages
			if len(asked) != len(want) || len(asked) < test.least || len(asked) > test.most {
				w.Fatalf("%d messages were given, want %d", len(asked), len(want))
			}
			for i, m := range asked {
				if role := []string{parley.RoleUser, parley.RoleAssistant}[i%2]; m.Role != role || m.Content != want[i] {
					w.Fatalf("message %d is %+v, want %q of role %s", i, m, want[i], role)
				}
			}
			// A statement reads up to 100 messages. At most 50 other statements have run since the start. The whole
			// session would take four times as many.
			if reads := w.reads(); reads > len(asked)/100+50 {
				w.Errorf("%d statements read for %d messages", reads, len(asked))
			}
			history = append(history, question, reply)
		}
	})
}

// newest returns the last turns of a history, oldest first, that fit a context together with the question and the
// room for the reply.
func newest(history []string, question string, context int) []string {
	tokens := func(text string) int { return ai.Message{Content: text}.Tokens() }
	first, room := len(history), context-min(context/4, 4096)-tokens(question)
	for first > 0 {
		if room -= tokens(history[first-1]) + tokens(history[first-2]); room < 0 {
			break
		}
		first -= 2
	}
	return slices.Clone(history[first:])
}

// fill adds many messages to an empty session and returns their texts.
func (w *world) fill(sessionID string, count int) (texts []string) {
	w.Helper()
	db := w.database()
	var userID, at int64
	w.must(db.QueryRowContext(w.Context(), `SELECT user_id, created_at FROM sessions WHERE id = $1`, sessionID).
		Scan(&userID, &at))
	// SQL generates the rows because there may be many.
	_, err := db.ExecContext(w.Context(), strings.ReplaceAll(`
		INSERT INTO messages (user_id, session_id, number, id, role, content, created_at)
		SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), i, 'filled ' || i, CASE i % 2 WHEN 1 THEN 'user' ELSE 'assistant' END,
		    'Message ' || i || ': when does it leave?', CAST($3 AS BIGINT)
		FROM (
		    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < COUNT) SELECT i FROM n) numbers`,
		"COUNT", strconv.Itoa(count)), userID, sessionID, at)
	w.must(err)
	_, err = db.ExecContext(w.Context(), `UPDATE sessions SET message_count = $2 WHERE id = $1`, sessionID, count)
	w.must(err)
	for i := range count {
		texts = append(texts, fmt.Sprintf("Message %d: when does it leave?", i+1))
	}
	return texts
}

// reads returns how many statements have read from the database since the server started.
func (w *world) reads() int {
	w.Helper()
	found := regexp.MustCompile(`parley_database_seconds_count\{kind="read"\} (\d+)`).FindStringSubmatch(w.metrics())
	if found == nil {
		w.Fatal("the metrics don't count reads")
	}
	n, err := strconv.Atoi(found[1])
	w.must(err)
	return n
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

func instructionsStandBeforeTheMaterial(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	created, err := ada.CreateSession(ctx, parley.CreateSessionInput{Instructions: "Use two sentences."})
	w.must(err)
	session := created.SessionID
	w.say(ada, session, "First")
	if got := w.Model.Last(w.T).System(); !strings.HasSuffix(got, "Use two sentences.") {
		w.Errorf("the system message is %q", got)
	}
	info, err := ada.UpdateProfile(ctx, parley.ProfileInput{Instructions: new("Call me Ada.")})
	w.must(err)
	if again, err := ada.User(ctx); err != nil || info.Instructions != "Call me Ada." || again != info {
		w.Errorf("changed to %+v, then %+v, %v", info, again, err)
	}
	_, err = ada.Upload(ctx, session, "notes.txt", strings.NewReader("The ferry leaves at nine."))
	w.must(err)
	w.say(ada, session, "Second")
	asked := w.Model.Last(w.T)
	wantPrompt(w, asked, "Second", "system", "user", "assistant", "user")
	order(w, asked.System(), "Call me Ada.", "Use two sentences.", "is material", "The ferry leaves at nine.")

	_, err = ada.Regenerate(ctx, session, parley.RegenerateInput{})
	w.must(err)
	order(w, w.Model.Last(w.T).System(), "Call me Ada.", "Use two sentences.")
	w.must(ada.UpdateSession(ctx, session, parley.UpdateSessionInput{Instructions: new("")}))
	_, err = ada.UpdateProfile(ctx, parley.ProfileInput{Instructions: new("")})
	w.must(err)
	w.say(ada, session, "Third")
	if got := w.Model.Last(w.T).System(); strings.Contains(got, "Ada") || strings.Contains(got, "sentences") {
		w.Errorf("instructions that were removed are in %q", got)
	}
	w.play(ada, []scenario{{
		name: "4,001 characters", method: "PATCH", path: "/api/user/info",
		body: `{"instructions":"` + strings.Repeat("x", 4001) + `"}`, status: 400, code: 1001,
		says: "instructions must be at most 4000 characters",
	}})
}

// order checks that a text contains the parts in this order.
func order(w *world, text string, parts ...string) {
	w.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			w.Errorf("%q is missing or in another place:\n%s", part, text)
			return
		}
		rest = after
	}
}

// TestThePromptIsInOrder checks the whole order: the server's instructions, the user's, the session's, rules and
// material, history, question.
func TestThePromptIsInOrder(t *testing.T) {
	eachWith(t, func(w *world) { w.Settings.Instructions = "Answer like a sailor." }, func(w *world) {
		ada := w.user("ada")
		created, err := ada.CreateSession(w.Context(), parley.CreateSessionInput{Instructions: "Use two sentences."})
		w.must(err)
		_, err = ada.UpdateProfile(w.Context(), parley.ProfileInput{Instructions: new("Call me Ada.")})
		w.must(err)
		_, err = ada.Upload(w.Context(), created.SessionID, "notes.txt", strings.NewReader("The ferry leaves at nine."))
		w.must(err)
		w.say(ada, created.SessionID, "Earlier")
		w.say(ada, created.SessionID, "Later")
		var all strings.Builder
		for _, m := range w.Model.Last(w.T).Messages {
			all.WriteString(m.Role + ": " + m.Content + "\n")
		}
		order(w, all.String(), "system: Answer like a sailor.", "Call me Ada.", "Use two sentences.", "is material",
			"The ferry leaves at nine.", "user: Earlier", "assistant: You said: Earlier", "user: Later")
	})
}

// Instructions are neither cut nor left out. They leave less room for the history, and a question that does not fit
// is refused.
func TestInstructionsCountAsTokens(t *testing.T) {
	eachWith(t, func(w *world) { w.ContextTokens = 1000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		text := strings.Repeat("A word or two. ", 30)
		for range 4 {
			w.say(ada, session, text)
		}
		before := len(w.Model.Last(w.T).Messages)
		instructions := strings.Repeat("Be brief. ", 100)
		w.must(ada.UpdateSession(w.Context(), session, parley.UpdateSessionInput{Instructions: &instructions}))
		w.say(ada, session, text)
		asked := w.Model.Last(w.T)
		if !strings.HasSuffix(asked.System(), instructions) {
			w.Errorf("the instructions are %q", asked.System())
		}
		tokens := 0
		for _, m := range asked.Messages {
			tokens += ai.Message{Content: m.Content}.Tokens()
		}
		if len(asked.Messages) >= before || tokens > 750 {
			w.Errorf("%d messages of %d tokens were given, %d before", len(asked.Messages), tokens, before)
		}
		long := strings.Repeat("A word or two. ", 130)
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: long})
		w.wants(err, parley.CodeInvalidParameter, 400)
		w.must(ada.UpdateSession(w.Context(), session, parley.UpdateSessionInput{Instructions: new("")}))
		w.say(ada, session, long)
	})
}

func TestTheBuiltinModelAnswersWithoutAnother(t *testing.T) {
	eachWith(t, func(w *world) { w.Builtin = true }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		if sent := w.say(ada, session, "Hello, who are you?"); !strings.Contains(sent.AIResponse.Content, "built-in") {
			w.Errorf("got %q", sent.AIResponse.Content)
		}
		_, err := ada.Upload(w.Context(), session, "timetable.md",
			strings.NewReader("The hydrofoil to Capri leaves from Beverello pier."))
		w.must(err)
		sent := w.say(ada, session, "From which pier does the hydrofoil to Capri leave?")
		if !strings.Contains(sent.AIResponse.Content, "Beverello") ||
			!strings.Contains(sent.AIResponse.Content, "timetable.md") {
			w.Errorf("got %q", sent.AIResponse.Content)
		}
	})
}
