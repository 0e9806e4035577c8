package browser

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
	"parley/internal/extract/history/historytest"
)

// scene is a page in a certain state.
type scene struct {
	name string
	show func(b *tab, g *gallery)
}

// scenes returns all scenes. The later ones end the login.
func scenes() []scene {
	var all []scene
	for _, part := range [][]scene{
		chatScenes, replyScenes, menuScenes, listScenes, settingsScenes, adminScenes, referenceScenes, sharedScenes,
		otherUserScenes, loginScenes,
	} {
		all = append(all, part...)
	}
	return all
}

// goTo opens a place of the client.
func (g *gallery) goTo(b *tab, hash string) {
	b.Helper()
	b.do(chromedp.Navigate(g.url + "/" + hash))
}

// openChat opens the chat of the look and waits for its messages.
func (g *gallery) openChat(b *tab) {
	b.Helper()
	g.goTo(b, "#/chat/"+g.session)
	b.until(`document.querySelector(".katex") && document.querySelector(".hljs-keyword") &&
		document.querySelector("header [aria-haspopup=menu]")`)
}

// openNew opens a new chat.
func (g *gallery) openNew(b *tab) {
	b.Helper()
	g.goTo(b, "#/")
	b.until(`document.querySelector("#composer") && document.querySelector(".starters")`)
}

// ask sends a question in a new chat. The model replies with the given steps.
func (g *gallery) ask(b *tab, question string, steps ...aitest.Step) {
	b.Helper()
	g.model.Script(steps...)
	g.openNew(b)
	b.write("#composer", question)
	b.eval(`document.querySelector("#composer").form.requestSubmit()`)
}

var chatScenes = []scene{
	{"chat", func(b *tab, g *gallery) {
		g.openChat(b)
		b.eval(`document.querySelector("[role=log]").scrollTop = 1e9`)
	}},
	{"welcome", func(b *tab, g *gallery) {
		g.openNew(b)
		b.until(`document.querySelector(".starters button")`)
	}},
	{"files", func(b *tab, g *gallery) {
		g.openChat(b)
		b.eval(`document.querySelector("button.files").click()`)
		b.until(`document.querySelector("aside li")`)
	}},
	{"sidebar", func(b *tab, g *gallery) {
		g.openNew(b)
		b.eval(`document.querySelector("#open-sidebar")?.click()`) // on a narrow screen
		b.until(`document.querySelector("nav li")`)
	}},
	{"palette", func(b *tab, g *gallery) {
		g.openNew(b)
		b.control("k")
		b.write("#palette", "o")
		b.until(`document.querySelector("dialog .snippet")`)
	}},
	{"prompts", func(b *tab, g *gallery) {
		g.openChat(b)
		b.write("#composer", "/")
		b.until(`document.querySelectorAll("[role=option]").length === 4`)
	}},
	{"blanks", func(b *tab, g *gallery) {
		g.openNew(b)
		b.write("#composer", "/")
		b.until(`document.querySelectorAll("[role=option]").length === 4`)
		b.eval(`document.querySelector("[role=option]").click()`)
		b.until(`document.querySelector("dialog[open] textarea")`)
	}},
	{"nothing-found", func(b *tab, g *gallery) {
		g.openNew(b)
		b.control("k")
		b.write("#palette", "zeppelin")
		b.until(`document.querySelector("dialog [role=status]")?.innerText && !document.querySelector("[role=option]")`)
	}},
	{"sources", func(b *tab, g *gallery) {
		g.openChat(b)
		b.eval(`document.querySelector(".sources summary").click()`)
	}},
	{"folded", func(b *tab, g *gallery) {
		session := g.talk(b.T, "Minutes", strings.Repeat("We talked about the ferries, and agreed on the first.\n", 40))
		g.goTo(b, "#/chat/"+session)
		b.until(`document.querySelector(".folded")`)
	}},
	{"pictures", func(b *tab, g *gallery) {
		g.goTo(b, "#/chat/"+g.album)
		b.until(seen("article.user .picture-chips", 2))
	}},
	{"picture", func(b *tab, g *gallery) {
		g.goTo(b, "#/chat/"+g.album)
		b.until(seen("article.user .picture-chips", 2))
		b.eval(`document.querySelector(".picture-chips button").click()`)
		b.until(`document.querySelector("dialog img")?.naturalWidth > 0`)
	}},
	{"attached", func(b *tab, g *gallery) {
		g.openNew(b)
		b.paste("timetable of the ferries to Capri and back in May.md", 100)
		b.until(`document.querySelector("form .file-chips")`)
		b.paste("empty.md", 0)
		b.until(`document.querySelector(".uploads")?.innerText.split("\n").length > 1`)
	}},
	{"edit", func(b *tab, g *gallery) {
		g.openChat(b)
		b.eval(`document.querySelector("article.user [data-action=edit]").click()`)
		b.until(`document.querySelector("article textarea")`)
	}},
	{"shortcuts", func(b *tab, g *gallery) {
		g.openNew(b)
		b.eval(`dispatchEvent(new KeyboardEvent("keydown", {key: "?"}))`)
		b.until(`document.querySelector("dialog[open]")`)
	}},
	{"no-such-chat", func(b *tab, g *gallery) {
		g.goTo(b, "#/chat/00000000-0000-4000-8000-000000000000")
		b.until(`document.querySelector("main .gone")`)
	}},
	{"offline", func(b *tab, g *gallery) {
		g.openChat(b)
		b.eval(`Object.defineProperty(navigator, "onLine", {value: false}); dispatchEvent(new Event("offline"))`)
		b.until(`document.querySelector("main .offline")`)
	}},
}

var replyScenes = []scene{
	{"streaming", func(b *tab, g *gallery) {
		g.ask(b, "Tell me everything", aitest.Thinking("They want a long answer."),
			aitest.Text("## To begin with\n\nThere is **much** to say, and"), aitest.Hang())
		b.until(`document.querySelector(".assistant strong")`)
	}},
	{"thinking", func(b *tab, g *gallery) {
		g.ask(b, "Which ferry is the quickest?",
			aitest.Thinking("They want the quickest way.\n\n- Look at **the timetable**"), aitest.Hang())
		b.until(`document.querySelector(".thinking .line")`)
	}},
	{"failed", func(b *tab, g *gallery) {
		g.ask(b, "Hello", aitest.Status(400, "no"))
		b.until(`document.querySelector("[role=alert]")`)
	}},
	{"interrupted", func(b *tab, g *gallery) {
		g.ask(b, "Tell me a story", aitest.Text("Once upon a time there was"), aitest.Cut())
		b.until(`document.querySelector("article[data-state=interrupted]")`)
	}},
	{"rich", func(b *tab, g *gallery) {
		g.ask(b, "Show me all you can", aitest.Say(rich)...)
		b.until(`document.querySelector("article[data-state=stored] .drawing img")?.naturalWidth > 0`)
		b.eval(`document.querySelector("[role=log]").scrollTop = 0`)
	}},
}

// rich has what is wide or unusual in a reply.
const rich = flowchart + "\nA fact.[^1] הטקסט הזה נקרא מימין לשמאל.\n\n" +
	"| ferry | from | to | leaves | arrives | price of a ticket | luggage |\n|---|---|---|---|---|---|---|\n" +
	"| hydrofoil | Naples, Molo Beverello | Capri, Marina Grande | 09:00 | 09:50 | 23.50 EUR | up to ten kilos |\n\n" +
	"```\nAVeryLongLineWithoutASpaceAVeryLongLineWithoutASpaceAVeryLongLineWithoutASpaceAVeryLongLine\n```\n\n" +
	"https://example.com/a/very/long/address/without/any/space/that/has/to/be/broken/on/narrow/screens\n\n" +
	"> A quote within the reply.\n\n<details>\n<summary>More about it</summary>\n\n- hidden\n\n</details>\n\n" +
	"$$\\sum_{i=1}^{n} a_i x_i = a_1 x_1 + a_2 x_2 + a_3 x_3 + a_4 x_4 + \\dots + a_{n-1} x_{n-1} + a_n x_n$$\n\n" +
	"[^1]: Its *source*.\n"

// menu opens the menu of the chat, and chooses an item of it, counted from 1, unless item is 0.
func (g *gallery) menu(b *tab, item int) {
	b.Helper()
	g.openChat(b)
	b.eval(`document.querySelector("header [aria-haspopup=menu]").click()`)
	b.until(`document.querySelectorAll(":popover-open [role=menuitem]").length > 8`)
	if item > 0 {
		b.eval(fmt.Sprintf(`document.querySelectorAll(":popover-open [role=menuitem]")[%d].click()`, item-1))
	}
}

var menuScenes = []scene{
	{"menu", func(b *tab, g *gallery) { g.menu(b, 0) }},
	{"rename", func(b *tab, g *gallery) {
		g.menu(b, 1)
		b.until(`document.querySelector("header input")`)
	}},
	{"instructions", func(b *tab, g *gallery) {
		g.menu(b, 3)
		b.until(`document.querySelector("dialog[open] textarea")`)
	}},
	{"share", func(b *tab, g *gallery) {
		g.menu(b, 4)
		b.until(`document.querySelector("dialog[open] select")`)
	}},
	{"share-link", func(b *tab, g *gallery) {
		g.menu(b, 4)
		b.until(`document.querySelector("dialog[open] select")`)
		b.eval(`document.querySelector("dialog button.primary").click()`)
		b.until(`document.querySelector("dialog[open] input[readonly]")`)
	}},
	{"temporary", func(b *tab, g *gallery) {
		g.menu(b, 7)
		b.until(`document.querySelector("dialog[open], :popover-open")`)
	}},
	{"clear", func(b *tab, g *gallery) {
		g.menu(b, 8)
		b.until(`document.querySelector("dialog[open]")`)
	}},
	{"toast", func(b *tab, g *gallery) {
		session := g.talk(b.T, "To be deleted", "Hello")
		g.goTo(b, "#/chat/"+session)
		b.until(`document.querySelector("header [aria-haspopup=menu]")`)
		b.eval(`document.querySelector("header [aria-haspopup=menu]").click()`)
		b.until(`document.querySelector(":popover-open")`)
		b.eval(`[...document.querySelectorAll(":popover-open [role=menuitem]")].at(-1).click()`)
		b.until(`document.querySelector(".starters") && document.querySelector(".toast")`)
	}},
	{"models", func(b *tab, g *gallery) {
		g.openNew(b)
		b.eval(`document.querySelector("form [aria-haspopup=menu]").click()`)
		b.until(`document.querySelectorAll(":popover-open [role=menuitemradio]").length > 1`)
	}},
}

// openSidebar shows the lists, also on a narrow screen.
func (g *gallery) openSidebar(b *tab) {
	g.goTo(b, "#/favorites")
	b.until(`document.querySelector("nav li a") || document.querySelector("#open-sidebar")`)
	b.eval(`document.querySelector("#open-sidebar")?.click()`)
	b.until(`document.querySelector("nav li a")`)
}

// selectFirst begins a selection of chats.
func (g *gallery) selectFirst(b *tab) {
	g.openSidebar(b)
	b.eval(`document.querySelector("nav li [aria-haspopup=menu]").click()`)
	b.until(`document.querySelector(":popover-open")`)
	b.eval(`[...document.querySelectorAll(":popover-open [role=menuitem]")].at(-2).click()`)
	b.until(`document.querySelector("[role=toolbar]")`)
}

var listScenes = []scene{
	{"account", func(b *tab, g *gallery) {
		g.openSidebar(b)
		b.eval(`document.querySelector("nav .user").click()`)
		b.until(`document.querySelector(":popover-open")`)
	}},
	{"selection", func(b *tab, g *gallery) { g.selectFirst(b) }},
	{"delete-selected", func(b *tab, g *gallery) {
		g.selectFirst(b)
		b.eval(`document.querySelectorAll("[role=toolbar] button")[2].click()`)
		b.until(`document.querySelector("dialog[open]")`)
	}},
	{"favorites", func(b *tab, g *gallery) {
		g.goTo(b, "#/favorites")
		b.until(`document.querySelector("section li")`)
	}},
	{"archived", func(b *tab, g *gallery) {
		g.goTo(b, "#/archived")
		b.until(`document.querySelector("main li")`)
	}},
	{"search", func(b *tab, g *gallery) {
		g.goTo(b, "#/search?q=an")
		b.until(`document.querySelector("main mark")`)
	}},
	{"search-nothing", func(b *tab, g *gallery) {
		g.goTo(b, "#/search?q=zeppelin&in=files")
		b.until(`document.querySelector("main .status")?.textContent.includes("zeppelin")`)
	}},
	{"file", func(b *tab, g *gallery) {
		g.goTo(b, "#/files/"+g.file+"?chat="+g.session)
		b.until(`document.querySelector("main h1")?.textContent.includes(".md")`)
	}},
	{"no-such-file", func(b *tab, g *gallery) {
		g.goTo(b, "#/files/unknown?find=The+hydrofoil+leaves+at+nine&name=timetable.md")
		b.until(`document.querySelector("main blockquote")`)
	}},
}

var referenceScenes = []scene{
	{"reference", showReference},
	{"guides", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/docs"))
		b.untilReference()
	}},
	{"reference-contents", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/docs#send"))
		b.untilReference()
		// On a narrow screen.
		b.eval(`[...document.querySelectorAll("button.current")].find(e => e.checkVisibility())?.click()`)
	}},
	{"reference-tried", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/docs#listModels"))
		b.untilReference()
		b.eval(`document.querySelector("#listModels form [aria-controls]")?.click()`)
		b.eval(`document.querySelector("#listModels form button.primary").click()`)
		b.until(`document.querySelector("#listModels .response")`)
		b.eval(`document.querySelector("#listModels form").scrollIntoView()`)
	}},
}

func showReference(b *tab, g *gallery) {
	b.do(chromedp.Navigate(g.url + "/docs#send"))
	b.untilReference()
	b.eval(`document.querySelector("#send pre").scrollIntoView({block: "nearest"})`) // on a narrow screen
	b.until(`document.querySelector("#send .hljs-string")`)
}

var sharedScenes = []scene{
	{"shared", func(b *tab, g *gallery) {
		out, err := g.api.Share(b.Context(), g.session, parley.ShareInput{Thinking: true})
		if err != nil {
			b.Fatal(err)
		}
		_, id, _ := strings.Cut(out.URL, "/s/")
		b.do(chromedp.Navigate(g.url + "/s/" + id))
		b.until(`document.querySelector(".katex") && document.querySelector(".hljs-keyword")`)
	}},
	{"gone", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/s/gone"))
		b.until(`document.querySelector(".gone")`)
	}},
}

// importFile is an export of ChatGPT. One of its conversations has nothing to import.
func importFile() []byte {
	return historytest.ChatGPTZip(historytest.Numbered(1, 2), historytest.Conversation{Title: "Nothing said"})
}
