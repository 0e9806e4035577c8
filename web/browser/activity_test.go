package browser

import (
	"fmt"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

// TestTheSidebarShowsWhichChatsAreWorkingOrUnread leaves a chat while its reply is being
// written.
func TestTheSidebarShowsWhichChatsAreWorkingOrUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	gate := make(chan struct{})
	w.model.Script(aitest.Text("One moment"), aitest.Wait(gate), aitest.Text(", done."), aitest.End())
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelector("#composer")`)
	b.eval(`
		navigator.setAppBadge = number => { window.badge = number; return Promise.resolve() }
		navigator.clearAppBadge = () => { window.badge = 0; return Promise.resolve() }`)
	b.ask("Tell me more")
	b.shows("One moment")
	b.until(`document.querySelector("nav li .working")`)
	b.press("New chat")
	b.until(`location.hash === "#/" && document.querySelector("nav li .working")`)
	close(gate)
	b.until(`document.querySelector("nav li.unread .dot") && !document.querySelector("nav li .working")`)
	b.until(`document.title === "(1) Parley" && window.badge === 1`)

	b.eval(`document.querySelector("nav li a").click()`)
	b.shows("One moment, done.")
	b.until(`!document.querySelector("nav li .dot") && document.title === "Tell me more · Parley" && window.badge === 0`)
	b.until(`document.querySelector("nav li time")?.textContent === "now"`)
	b.checkQuiet(w.url)
}

// TestTheSidebarMarksWhatAnotherDeviceHasAdded adds messages by the API.
func TestTheSidebarMarksWhatAnotherDeviceHasAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	shown := w.talk(t, "Shown", "Hello")
	other := w.talk(t, "Other", "Hello")
	b := signedIn(t, w, token, "#/chat/"+shown, 1280)
	b.until(`document.querySelectorAll("article").length === 2 && document.querySelectorAll("nav li").length === 2`)
	for _, session := range []string{shown, other} {
		in := parley.SendInput{SessionID: session, Content: "From a phone"}
		if _, err := w.api.Send(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	b.eval(`window.dispatchEvent(new Event("focus"))`)
	b.until(`document.querySelector("nav li.unread .title")?.innerText === "Other"`)
	b.until(`document.title === "(1) Shown · Parley" && document.querySelectorAll("nav li.unread").length === 1`)
	b.eval(`document.querySelector("nav li.unread a").click()`)
	b.until(`document.title === "Other · Parley" && !document.querySelector("nav li.unread")`)
	b.checkQuiet(w.url)
}

// TestTheSidebarShowsWhichChatsAreWorkingElsewhere asks in another tab, and by the API.
func TestTheSidebarShowsWhichChatsAreWorkingElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	first := w.talk(t, "First", "Hello")
	second := w.talk(t, "Second", "Hello")
	const working = `[...document.querySelectorAll("nav li:has(.working) .title")].map(e => e.innerText).join()`
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelectorAll("nav li").length === 2`)
	other := b.another(w.url+"/#/chat/"+first, 1280)
	other.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)

	gate, open := gates(2)
	w.model.Script(aitest.Text("One moment"), aitest.Wait(gate[0]), aitest.Text(", done."), aitest.End())
	other.ask("Tell me more")
	b.until(working + ` === "First"`)
	open()
	b.until(working + ` === ""`)
	other.until(`document.querySelectorAll("article[data-state=stored]").length === 4`)

	// What another device has asked for is seen on the return to the page.
	w.model.Script(aitest.Text("One moment"), aitest.Wait(gate[1]), aitest.Text(", done."), aitest.End())
	stream, err := w.api.Stream(t.Context(), parley.SendInput{SessionID: second, Content: "From a phone"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for _, err := range stream.Events() {
		if err != nil {
			t.Fatal(err)
		}
		break // the server has the question
	}
	b.eval(`dispatchEvent(new Event("focus"))`)
	b.until(working + ` === "Second"`)
	open()
	b.until(working + ` === "" && document.querySelector("nav li.unread .title")?.innerText === "Second"`)
	b.checkQuiet(w.url)
}

// hide tells the page whether the user sees it.
func (b *tab) hide(hidden bool) {
	b.Helper()
	state := map[bool]string{true: "hidden", false: "visible"}[hidden]
	b.eval(fmt.Sprintf(`
		Object.defineProperty(document, "visibilityState", {value: %q, configurable: true})
		document.dispatchEvent(new Event("visibilitychange"))`, state))
}

// recordNotices makes the page record notices instead of showing them, with the user's
// permission.
const recordNotices = `
	window.notices = []
	window.asked = 0
	Notification.requestPermission = () => { window.asked++; return Promise.resolve("granted") }
	ServiceWorkerRegistration.prototype.showNotification = (title, options) => {
		window.notices.push(title + ": " + options.body)
		return Promise.resolve()
	}`

// TestANoticeTellsOfAReplyInTheBackground turns notices on in the settings.
func TestANoticeTellsOfAReplyInTheBackground(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedInWithWorker(t, w, token, "#/settings/notices")
	b.until(`document.querySelector("#settings-notices [role=switch]")`)
	b.until(`navigator.serviceWorker.controller`)
	b.eval(recordNotices)
	b.eval(`document.querySelector("#settings-notices [role=switch]").click()`)
	b.until(`document.querySelector("#settings-notices [role=switch]").ariaChecked === "true" && window.asked === 1`)

	b.press("New chat")
	b.until(`document.querySelector("#composer")`)
	gate := make(chan struct{})
	w.model.Script(aitest.Text("One moment"), aitest.Wait(gate), aitest.Text(", done."), aitest.End())
	b.ask("Tell me more")
	b.shows("One moment")
	b.hide(true)
	close(gate)
	b.until(`window.notices.join() === "Tell me more: The reply is finished."`)
	b.until(`document.title === "(1) Tell me more · Parley"`)
	b.hide(false)
	b.until(`document.title === "Tell me more · Parley"`)

	// A reply that the user sees needs no notice.
	b.ask("And now?")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 4`)
	if n := value[int](b, `window.notices.length`); n != 1 {
		t.Errorf("%d notices, want 1", n)
	}
	b.checkQuiet(w.url)
}

// TestNoticesAreOfferedAfterALongReply offers them once, and asks for permission on a click.
func TestNoticesAreOfferedAfterALongReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedInWithWorker(t, w, token, "#/")
	b.until(`document.querySelector("#composer")`)
	b.eval(recordNotices)
	gate := make(chan struct{})
	w.model.Script(aitest.Text("One moment"), aitest.Wait(gate), aitest.Text(", done."), aitest.End())
	b.ask("Tell me more")
	b.shows("One moment")
	b.hide(true)
	b.advanceClock(60)
	close(gate)
	b.until(`document.title.startsWith("(1)")`)
	if value[int](b, `window.asked`) != 0 {
		t.Error("the page asked for permission without a click")
	}
	b.hide(false)
	b.shows("Get a notice when a long reply is finished?")
	b.press("Turn on")
	b.until(`window.asked === 1`)
	b.checkQuiet(w.url)
}
