package browser

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
)

func TestTheWholeJourney(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, w.url, 1280)

	b.shows("This server has no account yet.")
	b.write(`input[name="email"]`, email)
	b.write(`input[name="nickname"]`, "Ada")
	b.write(`input[name="password"]`, password)
	b.eval(`document.querySelector("form button.primary").click()`)
	b.shows("What shall we think about, Ada?")

	// A reply is streamed, with its thinking, its sources and its mathematics.
	gate := make(chan struct{})
	w.model.Script(
		aitest.Thinking("They ask about ferries."),
		aitest.Text("The **hydrofoil** [1] "),
		aitest.Wait(gate),
		aitest.Text("takes $t=50$ minutes.\n\n```go\nfunc main() {}\n```\n\n"),
		aitest.Text("| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n"),
		aitest.End(),
	)
	b.eval(`document.querySelectorAll("[role=switch]").forEach(e => e.click())`)
	b.ask("Which ferry goes to Capri?")
	b.until(`document.querySelector(".assistant strong")?.textContent === "hydrofoil"`)
	b.until(button("Stop"))
	close(gate)
	b.until(`document.querySelector(".assistant .katex")`)
	b.until(`document.querySelector(".assistant .hljs-keyword")?.textContent === "func"`)
	b.until(`document.querySelector(".assistant table td")?.textContent === "1"`)
	b.until(`document.querySelector("details summary").textContent.includes("Thought for")`)
	b.until(`document.querySelector("ol a[href='https://example.com/ferries']")`)
	b.until(`document.querySelector("a.citation[href='https://example.com/ferries']")`)

	// The sidebar has the session, under its title.
	b.until(`document.querySelector("nav li a")?.textContent.includes("Which ferry goes to Capri?")`)

	// Regenerate gives another text for the same message.
	w.model.Script(aitest.Say("Take the *slow* boat.")...)
	b.press("Regenerate")
	b.until(`document.querySelector(".assistant em")?.textContent === "slow" &&
		document.querySelectorAll("article").length === 2`)

	// Stop keeps the text so far.
	w.model.Script(aitest.Text("One moment"), aitest.Hang())
	b.write("#composer", "Tell me more")
	b.until(button("Send") + `.disabled === false`)
	b.enter()
	b.shows("One moment")
	if text := value[string](b, `document.querySelector("#composer").value`); text != "" {
		t.Errorf("%q is left in the field", text)
	}
	b.press("Stop")
	b.replyHas("stopped", "One moment")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 3`)

	// A favorite is found on its page, and leads back to its message.
	b.press("Add to favorites")
	b.press("Favorites")
	b.write(`section input[type="search"]`, "ferry")
	b.until(`document.querySelector("section li")?.textContent.includes("Which ferry")`)
	b.press("Go to the message")
	b.until(`document.querySelector("article.highlighted")?.textContent.includes("Which ferry")`)

	// A rename, a search, a deletion and its undoing.
	b.press("More actions")
	b.press("Rename")
	b.write(`input[aria-label="Title"]`, "Capri in May\r")
	b.until(`document.querySelector("nav li a")?.textContent.includes("Capri in May")`)
	b.press("Search")
	b.write("#palette", "hydrofoil nowhere")
	b.shows("Nothing has “hydrofoil nowhere”")
	b.escape()
	b.until(`!document.querySelector("dialog") && document.querySelector("nav li")`)
	b.press("More actions")
	b.press("Delete")
	b.until(`!document.querySelector("nav li")`)
	b.press("Undo")
	b.until(`document.querySelector("nav li")`)
	b.press("Capri in May")

	// Clear asks for confirmation.
	b.press("More actions")
	b.press("Clear messages")
	b.until(`document.querySelector("dialog[open]")`)
	b.eval(`document.querySelector("dialog .bad").click()`)
	b.shows("No messages yet")

	b.do(chromedp.Navigate(w.url + "/#/settings"))
	b.write(`input[name="nickname"]`, " L.")
	b.press("Save")
	b.until(`document.querySelector("nav .user").textContent.includes("Ada L.")`)
	b.write(`input[name="old"]`, password)
	b.write(`input[name="new"]`, "battery staple")
	b.press("Change password")
	b.shows("The password was changed")
	b.press("Log out")
	b.shows("Welcome back")
	b.write(`input[name="email"]`, email)
	b.write(`input[name="password"]`, "battery staple")
	b.eval(`document.querySelector("form button.primary").click()`)
	b.until(`document.querySelector("nav li a")?.textContent.includes("Capri in May")`)
	b.checkQuiet(w.url)
}

// TestAPictureElsewhereIsKeptAndNotAskedFor has another program set the address of a picture.
func TestAPictureElsewhereIsKeptAndNotAskedFor(t *testing.T) {
	t.Parallel()
	picture := "https://evil.example/ada.png"
	w := newWorld(t)
	token := w.register(t)
	if _, err := w.api.UpdateProfile(t.Context(), parley.ProfileInput{Avatar: &picture}); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/settings", 1280)
	b.until(`document.querySelector("input[name=nickname]")`)
	b.write(`input[name="nickname"]`, " L.")
	b.press("Save")
	b.shows("Saved")
	if user, err := w.api.User(t.Context()); err != nil || user.Avatar != picture || user.Nickname != "Ada L." {
		t.Errorf("got %+v, %v", user, err)
	}
	b.until(`document.querySelector("nav .user").textContent.trim().startsWith("A")`)
	if value[bool](b, `document.querySelector("img") !== null`) {
		t.Error("the page shows a picture")
	}
	b.checkQuiet(w.url)
}

func TestAReplyGoesOnAfterAReload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	gate := make(chan struct{})
	w.model.Script(
		aitest.Text("The first half, "), aitest.Wait(gate), aitest.Text("the second half."), aitest.End(),
	)
	b := signedIn(t, w, token, "", 1280)
	b.ask("Tell me a story")
	b.shows("The first half,")
	b.do(chromedp.Reload())
	b.shows("The first half,")
	b.until(button("Stop"))
	close(gate)
	b.until(`document.querySelector(".assistant")?.innerText.includes("The first half, the second half.")`)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.checkQuiet(w.url)
}

func TestAReplyGoesOnAfterALostConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	server, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(httputil.NewSingleHostReverseProxy(server))
	t.Cleanup(proxy.Close)
	gate := make(chan struct{})
	w.model.Script(
		aitest.Text("The first half, "), aitest.Wait(gate), aitest.Text("the second half."), aitest.End(),
	)
	b := signedIn(t, &world{url: proxy.URL}, token, "", 1280)
	b.ask("Tell me a story")
	b.shows("The first half,")
	proxy.CloseClientConnections()
	close(gate)
	b.until(`document.querySelector(".assistant")?.innerText.includes("The first half, the second half.")`)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.checkQuiet(proxy.URL)
}

func TestAFailedMessageCanBeSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Status(400, "no"))
	b := signedIn(t, w, token, "", 1280)
	b.ask("Hello")
	b.shows("The model has failed to reply")
	if n := value[int](b, `document.querySelectorAll("article").length`); n != 1 {
		t.Errorf("%d messages on the page, want the question alone", n)
	}
	w.model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("Better now.") })
	b.press("Try again")
	b.shows("Better now.")
}

func TestFilesAreUploadedListedAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "", 1280)
	b.until(`document.querySelector("#composer")`)
	b.eval(`
		const list = new DataTransfer()
		list.items.add(new File(["Naples 09:00, Capri 09:50"], "timetable.md", {type: "text/markdown"}))
		document.querySelector("#composer").dispatchEvent(new ClipboardEvent("paste", {clipboardData: list, bubbles: true}))`)
	b.until(`document.querySelector("button.files")`)
	b.eval(`document.querySelector("button.files").click()`)
	b.shows("timetable.md")
	b.eval(`
		const list = new DataTransfer()
		list.items.add(new File([new Uint8Array([0x4d, 0x5a, 0, 0, 1, 2, 3])], "program.exe"))
		document.querySelector(".zone").dispatchEvent(
			new DragEvent("drop", {dataTransfer: list, bubbles: true, cancelable: true}))`)
	b.shows("The file was not accepted: the file format is not supported")
	if value[bool](b, `!!`+button("Try again")) {
		t.Error("a file that is never accepted can be tried again")
	}
	b.press("Dismiss program.exe")
	b.ask("When does it leave?")
	b.until(`document.querySelector(".assistant")?.innerText.includes("When does it leave?")`)
	if !strings.Contains(w.model.Last(t).System(), "Naples 09:00") {
		t.Error("the model was not given the file")
	}
	b.press("Remove timetable.md")
	b.shows("No files yet.")
	b.checkQuiet(w.url)
}
