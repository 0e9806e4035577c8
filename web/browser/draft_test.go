package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
)

const (
	composerText = `document.querySelector("#composer")?.value`
	storedDrafts = `Object.keys(localStorage).filter(key => key.startsWith("parley.draft.")).length`
)

// composerHas waits until the composer has a text.
func (b *tab) composerHas(text string) {
	b.Helper()
	b.until(composerText + ` === ` + quoted(text))
}

// logIn fills in the form of the login page.
func (b *tab) logIn(email string) {
	b.Helper()
	b.until(`document.querySelector("input[name=email]")`)
	b.eval(`document.querySelectorAll("input").forEach(input => { input.value = "" })`)
	b.write("input[name=email]", email)
	b.write("input[name=password]", password)
	b.eval(`document.querySelector("form button.primary").click()`)
	b.until(`document.querySelector("#composer")`)
}

func TestAQuestionOutlivesItsLogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article").length === 2`)
	b.write("#composer", "Which one?")
	if err := w.api.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The page may have noticed the end of the login by itself.
	b.eval(`document.querySelector("button[aria-label=Send]")?.click()`)
	b.shows("Log in again to continue.")
	b.logIn(email)
	b.composerHas("Which one?")
	b.until(`document.querySelectorAll("article").length === 2`) // the same session
	b.press("Send")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 4`)
	b.until(composerText + ` === "" && ` + storedDrafts + ` === 0`)
}

func TestAQuestionOutlivesAModelErrorAndAReload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Status(400, "no"))
	b := signedIn(t, w, token, "", 1280)
	b.ask("Which ferry?")
	b.shows("The model has failed to reply")
	b.write("#composer", "And when?")
	b.do(chromedp.Reload())
	b.composerHas("Which ferry?\n\nAnd when?")
	b.press("Send")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.composerHas("")
	b.checkQuiet(w.url)
}

// TestAFailedFirstQuestionIsKeptForTheNextChat leaves a session after its only message failed. The session is then
// deleted.
func TestAFailedFirstQuestionIsKeptForTheNextChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Status(400, "no"))
	b := signedIn(t, w, token, "", 1280)
	b.ask("Which ferry?")
	b.shows("The model has failed to reply")
	b.press("New chat")
	b.shows("What shall we think about")
	b.composerHas("Which ferry?")
}

// TestTheWayBackToAFailedFirstQuestion leaves a chat whose only question has failed, and comes back to it. No session
// is left of it.
func TestTheWayBackToAFailedFirstQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Status(401, ""))
	b := signedIn(t, w, token, "#/", 1280)
	b.ask("Which ferry?")
	b.until(`document.querySelector("article[data-state=failed]") && location.hash === "#/"`)
	if list, err := w.api.Sessions(t.Context(), "", parley.Page{}); err != nil || list.Total != 0 {
		t.Errorf("the sessions are %+v, %v", list, err)
	}
	b.eval(`location.hash = "#/favorites"`)
	b.until(`document.querySelector("main h1")?.innerText === "Favorites"`)
	b.eval(`history.back()`)
	b.composerHas("Which ferry?")
	b.shows("What shall we think about, Ada?")
	b.press("Send")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	if list, err := w.api.Sessions(t.Context(), "", parley.Page{}); err != nil || list.Total != 1 {
		t.Errorf("the sessions are %+v, %v", list, err)
	}

	// A click on "New chat" is a way back too.
	w.model.Script(aitest.Status(401, ""))
	b.press("New chat")
	b.ask("And back?")
	b.until(`document.querySelector("article[data-state=failed]") && location.hash === "#/"`)
	b.press("New chat")
	b.composerHas("And back?")
	b.checkQuiet(w.url)
}

func TestNothingOfALoginIsLeftForTheNextUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.talk(t, "Ada's ferries", "Hello")
	eve := parley.RegisterInput{Email: "eve@example.com", Password: password, Nickname: "Eve"}
	if _, err := w.api.Register(t.Context(), eve); err != nil {
		t.Fatal(err)
	}

	// Ada logs out. Her drafts are removed.
	b := signedIn(t, w, token, "", 1280)
	b.write("#composer", "Ada's words")
	b.until(storedDrafts + ` === 1`)
	b.press("Search")
	b.write("#palette", "ferries")
	b.shows("Ada's ferries")
	b.escape()
	b.press("Actions for “Ada's ferries”")
	b.press("Delete")
	b.shows("“Ada's ferries” was deleted.")
	b.eval(`location.hash = "#/settings"`)
	b.press("Log out")
	b.shows("Welcome back")
	b.until(storedDrafts + ` === 0`)
	b.logIn(eve.Email)
	b.shows("What shall we think about, Eve?")
	b.shows("Your chats will be listed here.")
	seen := value[string](b, `document.body.innerText +
		[...document.querySelectorAll("input, textarea")].map(e => e.value)`)
	if strings.Contains(seen, "Ada") || strings.Contains(seen, "ferries") {
		t.Errorf("the next user sees:\n%s", seen)
	}

	// Eve's login expires. Her draft waits for her alone.
	b.write("#composer", "Eve's words")
	b.until(storedDrafts + ` === 1`)
	b.expire(w)
	b.logIn(email)
	b.shows("What shall we think about, Ada?")
	b.composerHas("")
	b.eval(`location.hash = "#/settings"`)
	b.press("Log out")
	b.shows("Welcome back")
	b.logIn(eve.Email)
	b.composerHas("Eve's words")
	b.checkQuiet(w.url)
}

// expire ends the page's login on the server, and lets the page find out.
func (b *tab) expire(w *world) {
	b.Helper()
	ok := value[bool](b, fmt.Sprintf(`fetch(%q, {method: "POST", headers: {Authorization: "Bearer " +
		localStorage.getItem("parley.token")}}).then(response => response.ok)`, w.url+"/api/auth/logout"))
	if !ok {
		b.Fatal("the login has ended already")
	}
	b.eval(`dispatchEvent(new Event("focus"))`)
	b.shows("Log in again to continue.")
}
