package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
)

// texts is an expression for the texts of all messages on the page.
const texts = `[...document.querySelectorAll("article")].map(e =>
	e.querySelector(".bubble .text, .markdown, textarea")).map(e => (e?.value ?? e?.innerText ?? "").trim()).join("|")`

// line waits until the page has exactly these messages, all of them complete.
func (b *tab) line(want ...string) {
	b.Helper()
	b.until(texts + ` === ` + quoted(strings.Join(want, "|")) + ` &&
		[...document.querySelectorAll("article")].every(e => e.dataset.state === "stored")`)
}

// pressIn clicks a button of a message, counted from 1.
func (b *tab) pressIn(number int, name string) {
	b.Helper()
	found := fmt.Sprintf(`document.querySelectorAll("article")[%d]?.querySelector('button[aria-label=%s]')`,
		number-1, quoted(name))
	b.until(found)
	b.eval(found + `.click()`)
}

// edit changes a question, counted from 1, and sends it.
func (b *tab) edit(number int, text string) {
	b.Helper()
	b.pressIn(number, "Edit")
	b.fill("article textarea", text)
	b.press("Save & send")
}

// position is an expression for the place of a message on the screen, and versionOf for its version.
const (
	position  = `document.querySelectorAll("article")[%d].getBoundingClientRect().top`
	versionOf = `document.querySelectorAll("article")[%d].querySelector(".versions")?.innerText.match(/\d+\/\d+/)?.[0]`
)

func TestAQuestionIsEditedAndItsVersionsSwitched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Animals", "One", "Two", "Three")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	other := b.another(w.url+"/#/chat/"+session, 1280)
	all := []string{"One", "You said: One", "Two", "You said: Two", "Three", "You said: Three"}
	b.line(all...)
	other.line(all...)

	// The draft of an edit survives a reload. Esc cancels it and returns the focus.
	b.pressIn(3, "Edit")
	b.until(`document.activeElement.matches("article textarea") && document.activeElement.value === "Two"`)
	b.write("article textarea", " or more")
	b.do(chromedp.Reload())
	b.until(`document.querySelector("article textarea")?.value === "Two or more"`)
	b.eval(`document.querySelector("article textarea").focus()`)
	b.escape()
	b.line(all...)
	b.until(`document.activeElement.dataset.action === "edit" && ` + storedDrafts + ` === 0`)

	// The new question takes the place of the old one, at once, and the other tab follows.
	gate, open := gates(1)
	w.model.Script(aitest.Text("A duck"), aitest.Wait(gate[0]), aitest.Text("."), aitest.End())
	b.pressIn(3, "Edit")
	b.fill("article textarea", "Which bird?")
	b.eval(`document.querySelector("article textarea").focus()`)
	b.enter()
	b.replyHas("pending", "A duck")
	b.until(texts + ` === "One|You said: One|Which bird?|A duck"`)
	other.replyHas("pending", "A duck")
	b.do(chromedp.Reload()) // in the middle
	b.replyHas("pending", "A duck")
	open()
	edited := []string{"One", "You said: One", "Which bird?", "A duck."}
	b.line(edited...)
	other.line(edited...)
	b.until(fmt.Sprintf(versionOf, 2) + ` === "2/2" && ` + storedDrafts + ` === 0`)
	other.until(fmt.Sprintf(versionOf, 2) + ` === "2/2"`)

	// Back and forth. The message stays where it is, and so does the focus.
	top := value[float64](b, fmt.Sprintf(position, 2))
	b.eval(`document.querySelector('button[aria-label="Previous version"]').focus()`)
	b.enter()
	b.line(all...)
	other.line(all...)
	b.until(fmt.Sprintf(versionOf, 2) + ` === "1/2"`)
	b.until(fmt.Sprintf(`Math.abs(%s - %f) < 2`, fmt.Sprintf(position, 2), top))
	b.until(`document.activeElement.getAttribute("aria-label") === "Previous version"`)
	other.pressIn(3, "Next version")
	other.line(edited...)
	b.line(edited...)

	// A regenerated reply is another version of it. An edit after it belongs to that version.
	w.model.Script(aitest.Say("A heron.")...)
	b.press("Regenerate")
	b.line("One", "You said: One", "Which bird?", "A heron.")
	b.until(fmt.Sprintf(versionOf, 3) + ` === "2/2"`)
	b.pressIn(4, "Previous version")
	b.line(edited...)
	b.edit(1, "Uno")
	b.line("Uno", "You said: Uno")
	b.until(fmt.Sprintf(versionOf, 0) + ` === "2/2"`)
	b.pressIn(1, "Previous version")
	b.line(edited...)
	b.checkQuiet(w.url)
	other.checkQuiet(w.url)
}

func TestAnEditWhoseModelFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Animals", "One", "Two")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	all := []string{"One", "You said: One", "Two", "You said: Two"}
	b.line(all...)

	// Before the first word the messages are as before, and the text is in the field with the error.
	w.model.Script(aitest.Status(400, "no"))
	b.edit(1, "Uno")
	b.shows("The model has failed to reply")
	b.line("Uno", all[1], all[2], all[3])
	b.until(`document.querySelector("article textarea").value === "Uno"`)
	b.do(chromedp.Reload())
	b.line("Uno", all[1], all[2], all[3])
	b.composerHas("")
	b.press("Cancel")
	b.line(all...)

	// The same if the page was reloaded meanwhile.
	gate, open := gates(1)
	w.model.Script(aitest.Wait(gate[0]), aitest.Status(400, "no"))
	b.edit(1, "Uno")
	b.until(`document.querySelector("article.assistant")?.dataset.state === "pending" && ` + storedDrafts + ` === 0`)
	b.do(chromedp.Reload())
	b.until(`document.querySelector("article.assistant")?.dataset.state === "pending"`)
	open()
	b.line("Uno", all[1], all[2], all[3])
	b.until(`document.querySelector("article textarea").value === "Uno"`)
	b.composerHas("")

	// After the first word both versions are kept.
	w.model.Script(aitest.Text("Half a"), aitest.Cut())
	b.press("Save & send")
	b.replyHas("interrupted", "Half a")
	b.until(fmt.Sprintf(versionOf, 0) + ` === "2/2" && ` + storedDrafts + ` === 0`)
	w.model.Script(aitest.Say(" word")...)
	b.press("Continue")
	b.line("Uno", "Half a word")
	b.pressIn(1, "Previous version")
	b.line(all...)
	b.checkQuiet(w.url)
}

func TestAFavoriteThatIsSetAsideIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Animals", "One", "Two")
	messages, err := w.api.Messages(t.Context(), session, parley.Page{})
	if err != nil {
		t.Fatal(err)
	}
	w.favorite(t, session, messages.Messages[3].ID)
	in := parley.SendInput{SessionID: session, Content: "Uno", Replaces: messages.Messages[0].ID}
	if _, err := w.api.Send(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/favorites", 1280)
	b.shows("In another version")
	b.press("Go to the message")
	b.line("One", "You said: One", "Two", "You said: Two")
	b.until(`document.querySelector("article.highlighted")?.innerText.includes("You said: Two")`)
	b.eval(`location.hash = "#/favorites"`)
	b.until(`document.querySelector("section li") && !document.body.innerText.includes("In another version")`)
	b.checkQuiet(w.url)
}

// TestTabsFollowALongLine switches between two lines of several pages, seen from their ends.
func TestTabsFollowALongLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	var first, second []string
	for i := range 50 {
		first = append(first, fmt.Sprintf("First %d", i))
		second = append(second, fmt.Sprintf("Second %d", i))
	}
	session := w.talk(t, "Long", first...)
	page, err := w.api.Messages(t.Context(), session, parley.Page{})
	if err != nil {
		t.Fatal(err)
	}
	begin := page.Messages[0].ID
	for i, content := range second {
		in := parley.SendInput{SessionID: session, Content: content}
		if i == 0 {
			in.Replaces = begin
		}
		if _, err := w.api.Send(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article").length >= 20`)
	b.eval(`document.querySelector("[role=log]").scrollTop = 0`)
	b.until(`document.querySelectorAll("article").length >= 60`)
	if err := w.api.ShowVersion(t.Context(), begin, 1); err != nil {
		t.Fatal(err)
	}
	b.eval(`dispatchEvent(new Event("focus"))`)
	b.until(`document.querySelectorAll("article").length >= 60 && !` + texts + `.includes("Second")`)

	// A question far above the end stays in sight when it is changed, although the list has just jumped to its end.
	b.press("Jump to the latest message")
	b.until(texts + `.endsWith("You said: First 49") && !` + button("Jump to the latest message"))
	b.eval(`document.querySelector("[role=log]").scrollTop -= 2000`)
	b.until(button("Jump to the latest message"))
	b.eval(`
		window.hidden = 0
		const list = document.querySelector("[role=log]");
		` + button("Jump to the latest message") + `.click();
		[...document.querySelectorAll("article.user")].at(-7).querySelector("[data-action=edit]").click()
		const watch = frames => {
			const field = document.querySelector("article textarea")?.getBoundingClientRect()
			const frame = list.getBoundingClientRect()
			if (field && (field.top < frame.top || field.bottom > frame.bottom)) window.hidden++
			if (frames > 0) requestAnimationFrame(() => watch(frames - 1))
			else window.watched = true
		}
		requestAnimationFrame(() => watch(20))`)
	b.until(`window.watched && document.querySelector("article textarea") && ` + button("Jump to the latest message"))
	if hidden := value[int](b, `window.hidden`); hidden > 0 {
		t.Errorf("the field was out of sight in %d frames", hidden)
	}
	b.checkQuiet(w.url)
}
