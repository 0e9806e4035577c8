package browser

import (
	"encoding/base64"
	"fmt"
	"testing"

	"parley/internal/extract/history/historytest"
)

// chooseFile gives a file to the import of the settings.
func (b *tab) chooseFile(name string, content []byte) {
	b.Helper()
	b.until(`document.querySelector("input[name=import]")`)
	b.eval(fmt.Sprintf(`(() => {
		const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0));
		const chosen = new DataTransfer();
		chosen.items.add(new File([bytes], %q));
		const input = document.querySelector("input[name=import]");
		input.files = chosen.files;
		input.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, base64.StdEncoding.EncodeToString(content), name))
}

// TestChatsAreImported imports an export of ChatGPT twice, and a file that is not an export.
func TestChatsAreImported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/settings/import", 1280)
	b.shows("Import chats")
	b.until(`document.documentElement.scrollHeight === innerHeight`) // only the settings scroll
	export := historytest.ChatGPTZip(historytest.Numbered(1, 2), historytest.Numbered(2, 1),
		historytest.Conversation{Title: "Nothing said"})
	b.chooseFile("export.zip", export)
	b.shows("The import is complete")
	b.shows("2 chats · 6 messages")
	b.shows("1 conversation was skipped")
	b.until(`[...document.querySelectorAll("a")].some((a) => a.textContent.includes("Chat 1"))`)

	b.reload() // the result is still known
	b.until(`document.querySelector("#settings-import details")`)
	b.shows("2 chats · 6 messages")
	b.eval(`document.querySelector("#settings-import details").open = true`)
	b.shows("Nothing said")
	b.shows("it has no question with a reply")

	b.chooseFile("export.zip", export)
	b.shows("0 chats · 0 messages")
	b.shows("3 conversations were skipped")

	b.chooseFile("notes.txt", []byte("hello"))
	b.shows("The file was not accepted: the file is no export")
	b.eval(`[...document.querySelectorAll("a")].find((a) => a.textContent.includes("Chat 2")).click()`)
	b.shows("question 0 of chat 2")
	b.shows("reply 0 of chat 2")
}
