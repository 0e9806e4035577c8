package browser

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
)

// replyHas waits until the last reply has a state and exactly a text.
func (b *tab) replyHas(state, text string) {
	b.Helper()
	b.until(`(reply => reply.dataset.state === ` + quoted(state) + ` &&
		reply.querySelector(".markdown").innerText.trim() === ` + quoted(text) + `)
		([...document.querySelectorAll("article.assistant")].at(-1))`)
}

// saysWhy waits until the last reply says that it was interrupted, and why.
func (b *tab) saysWhy(why string) {
	b.Helper()
	b.until(`[...document.querySelectorAll(".interrupted p")].map(p => p.textContent).join(" ")
		.startsWith("This reply was interrupted. ` + why + `")`)
}

func TestAnInterruptedReplyIsKeptAndContinued(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	var steps []aitest.Step
	for range 40 {
		steps = append(steps, aitest.Text("word "))
	}
	w.model.Script(append(steps, aitest.Cut())...)
	b := signedIn(t, w, token, "", 1280)
	b.ask("Tell me a story")
	b.saysWhy("The model does not reply as it should.")
	half := strings.TrimSpace(strings.Repeat("word ", 40))
	b.replyHas("interrupted", half)
	b.until(`document.querySelectorAll("[role=alert]").length === 0`)
	b.until(composerText + ` === "" && ` + storedDrafts + ` === 0`) // the server has the question

	b.do(chromedp.Reload())
	b.replyHas("interrupted", half)
	b.composerHas("")
	gate, open := gates(2)
	w.model.Script(aitest.Text("and "), aitest.Wait(gate[0]), aitest.Text("more "), aitest.Cut())
	b.press("Continue")
	b.replyHas("pending", half+" and")
	b.do(chromedp.Reload()) // in the middle
	b.replyHas("pending", half+" and")
	open()
	b.replyHas("interrupted", half+" and more")

	w.model.Script(aitest.Status(400, "no")) // before the first word
	b.press("Continue")
	b.saysWhy("The model has failed to reply.")
	b.replyHas("interrupted", half+" and more")
	w.model.Script(aitest.Text("words."), aitest.Wait(gate[1]), aitest.End())
	b.press("Continue")
	b.replyHas("pending", half+" and more words.")
	open()
	b.replyHas("stored", half+" and more words.")
	b.until(`document.querySelectorAll("article").length === 2 && !` + button("Continue"))
	b.checkQuiet(w.url)
}

func TestAStoppedReplyIsContinued(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Counting", "Hello")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	other := b.another(w.url+"/#/chat/"+session, 1280)
	b.replyHas("stored", "You said: Hello")
	other.replyHas("stored", "You said: Hello")
	for _, step := range []struct{ button, more, all string }{
		{"Send", "One", "One"}, {"Continue", " two", "One two"}, {"Continue", " three", "One two three"},
	} {
		w.model.Script(aitest.Text(step.more), aitest.Hang())
		if step.button == "Send" {
			b.write("#composer", "Count")
		}
		b.press(step.button)
		b.replyHas("pending", step.all)
		other.replyHas("pending", step.all)
		b.press("Stop")
		b.shows("You stopped this reply.")
		b.replyHas("stopped", step.all)
		other.replyHas("stopped", step.all)
	}
	w.model.Script(aitest.Say(" four.")...)
	other.press("Continue")
	b.replyHas("stored", "One two three four.")
	messages, err := w.api.Messages(t.Context(), session, parley.Page{})
	if err != nil || len(messages.Messages) != 4 || messages.Messages[3].Content != "One two three four." {
		t.Errorf("the server has %+v: %v", messages, err)
	}
	// Only the last reply can be continued.
	w.model.Script(aitest.Text("Five"), aitest.Hang())
	b.ask("Go on")
	b.replyHas("pending", "Five")
	b.press("Stop")
	b.replyHas("stopped", "Five")
	b.ask("No more")
	b.replyHas("stored", "You said: No more")
	b.until(`!` + button("Continue"))
	b.shows("You stopped this reply.")
	b.checkQuiet(w.url)
	other.checkQuiet(w.url)
}

// TestAReplyIsContinuedWhileItIsReadAgain continues a stopped reply before the page has read what was kept of it.
func TestAReplyIsContinuedWhileItIsReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Counting", "Hello")
	server, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	var isHeld atomic.Bool
	asked, release := make(chan struct{}), make(chan struct{})
	forward := httputil.NewSingleHostReverseProxy(server)
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if strings.HasPrefix(in.URL.Path, "/api/chat/messages") && isHeld.CompareAndSwap(true, false) {
			read := httptest.NewRecorder()
			forward.ServeHTTP(read, in) // what it is now
			close(asked)
			<-release
			maps.Copy(out.Header(), read.Header())
			_, _ = out.Write(read.Body.Bytes()) // the browser notices
			return
		}
		forward.ServeHTTP(out, in)
	}))
	t.Cleanup(proxy.Close)
	b := signedIn(t, &world{url: proxy.URL}, token, "#/chat/"+session, 1280)
	b.replyHas("stored", "You said: Hello")
	w.model.Script(aitest.Text("One"), aitest.Hang())
	b.ask("Count")
	b.replyHas("pending", "One")
	isHeld.Store(true)
	b.press("Stop")
	b.replyHas("stopped", "One")
	<-asked

	gate, open := gates(1)
	w.model.Script(aitest.Text(" two"), aitest.Wait(gate[0]), aitest.End())
	b.press("Continue")
	b.replyHas("pending", "One two")
	b.eval(`window.reads = performance.getEntriesByType("resource").length`)
	close(release)
	b.until(`performance.getEntriesByType("resource").length > window.reads`)
	value[bool](b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	if state := value[string](b, `[...document.querySelectorAll("article")].at(-1).dataset.state`); state != "pending" {
		t.Errorf("the reply is %s", state)
	}
	open()
	b.replyHas("stored", "One two")
	b.checkQuiet(proxy.URL)
}
