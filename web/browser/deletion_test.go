package browser

import (
	"strings"
	"testing"

	"parley"
)

func TestUndoReturnsToTheChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article").length === 2`)
	b.press("More actions")
	b.press("Delete")
	b.shows("What shall we think about")
	b.press("Undo")
	b.until(`document.querySelector("main h1").innerText === "Ferries"`)
	b.until(`document.querySelectorAll("article").length === 2`)
	b.until(`document.querySelectorAll("nav li").length === 1`)
	b.checkQuiet(w.url)
}

func TestWhatIsDeletedBeforeALogoutIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t)
	w.talk(t, "Ferries", "Hello")
	login, err := w.api.Login(t.Context(), parley.LoginInput{Email: email, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, login.Token, "#/settings", 1280)
	b.press("Actions for “Ferries”")
	b.press("Delete")
	b.until(button("Undo"))
	b.press("Log out")
	b.shows("Welcome back")
	if _, err := w.api.Login(t.Context(), parley.LoginInput{Email: email, Password: password}); err != nil {
		t.Fatal(err)
	}
	list, err := w.api.Sessions(t.Context(), "", parley.Page{})
	if err != nil || list.Total != 0 {
		t.Errorf("%d sessions are left, %v", list.Total, err)
	}
}

func TestWhatAnotherTabDeletesBeforeALogoutIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t)
	w.talk(t, "Ferries", "Hello")
	login, err := w.api.Login(t.Context(), parley.LoginInput{Email: email, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, login.Token, "#/", 1280)
	b.press("Actions for “Ferries”")
	b.press("Delete")
	b.until(button("Undo"))
	other := b.another(w.url+"/#/settings", 1280)
	other.press("Log out")
	other.shows("Welcome back")
	b.shows("Welcome back")
	if _, err := w.api.Login(t.Context(), parley.LoginInput{Email: email, Password: password}); err != nil {
		t.Fatal(err)
	}
	list, err := w.api.Sessions(t.Context(), "", parley.Page{})
	if err != nil || list.Total != 0 {
		t.Errorf("%d sessions are left, %v", list.Total, err)
	}
}

func TestAttachedFilesStayInSight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "", 1280)
	const waiting = `document.querySelector("form .file-chips")`
	const attached = `document.querySelector("article.user .file-chips")`
	b.paste("timetable.md", 100)
	b.until(waiting + `?.innerText.includes("timetable.md")`)
	b.paste("prices.md", 100)
	b.until(waiting + `?.innerText.includes("prices.md")`)

	// A file can be taken off again, and that can be undone.
	b.press("Detach prices.md")
	b.until(`!` + waiting + `.innerText.includes("prices.md")`)
	b.press("Undo")
	b.until(waiting + `.innerText.includes("prices.md")`)
	b.press("Detach prices.md")
	b.until(`!` + waiting + `.innerText.includes("prices.md")`)

	b.ask("When does it leave?")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.until(attached + `?.innerText.includes("timetable.md")`)
	b.until(`!` + waiting)
	b.reload()
	b.until(attached + `?.innerText.includes("timetable.md")`)
	b.until(`!` + waiting)
	if value[bool](b, `document.body.innerText.includes("prices.md")`) {
		t.Error("the removed file is still there")
	}
	b.checkQuiet(w.url)
}

func TestAFileRemovedFromTheListComesBackByUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	if _, err := w.api.Upload(t.Context(), session, "prices.md", strings.NewReader("Twelve euros.")); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelector("button.files")`)
	b.eval(`document.querySelector("button.files").click()`)
	const listed = `document.querySelector("aside ul")?.innerText.includes("prices.md")`
	b.until(listed)
	b.press("Remove prices.md")
	b.until(`!` + listed)
	b.press("Undo")
	b.until(listed)
}
