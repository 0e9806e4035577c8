package browser

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"

	"parley"
	"parley/internal/ai/aitest"
)

// TestAChatIsPrintedAsAWhole prints a chat that is longer than the screen and reads the pages. The sidebar, the
// composer and the buttons are not on them.
func TestAChatIsPrintedAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(r aitest.Request) []aitest.Step {
		lines := strings.Repeat("The ferry of "+r.Question()+" is late.\n\n", 30)
		return aitest.Say(lines + "```\nend of " + r.Question() + "\n```")
	})
	questions := make([]string, 8)
	for i := range questions {
		questions[i] = fmt.Sprintf("harbor%d", i)
	}
	session := w.talk(t, "Ferries of the gulf", questions...)
	other := w.talk(t, "Another chat")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article .code-frame").length === 8`)
	b.shows("Another chat")

	pdf := call(b, page.PrintToPDF, page.PrintToPDFParams{}).Data
	file, err := w.api.Upload(t.Context(), other, "chat.pdf", bytes.NewReader(pdf))
	if err != nil {
		t.Fatal(err)
	}
	var letters strings.Builder // the browser places each by itself, so spaces mean little
	pages := int64(1)
	for number := int64(1); number <= pages; number++ {
		read, err := w.api.FileText(t.Context(), file.FileID, parley.FileTextInput{Page: number})
		if err != nil {
			t.Fatal(err)
		}
		pages = read.Pages
		letters.WriteString(strings.Join(strings.Fields(read.Text), ""))
	}
	text := letters.String()
	if pages < 6 {
		t.Errorf("the chat has %d pages", pages)
	}
	for _, question := range questions {
		// Lines at the edges of pages look like running heads, which are not read.
		if n := strings.Count(text, "Theferryof"+question+"islate."); n < 25 {
			t.Errorf("the reply about %s has %d of its 30 lines", question, n)
		}
		if !strings.Contains(text, "endof"+question) {
			t.Errorf("the reply about %s has no end", question)
		}
	}
	if !strings.HasPrefix(text, "Ferriesofthegulf") {
		t.Errorf("the chat has no title: %.100s", text)
	}
	for _, button := range []string{"Anotherchat", "Newchat", "Askanything", "Copy", "Favorites", "tokens"} {
		if strings.Contains(text, button) {
			t.Errorf("%q is printed", button)
		}
	}
	b.checkQuiet(w.url)
}
