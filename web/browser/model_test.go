package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// pickerSays is an expression. It is true if the picker shows this model as the selected one.
func pickerSays(name string) string {
	return `document.querySelector("form [aria-haspopup=menu] .name").textContent === ` + quoted(name)
}

func TestTheModelPickerIsRememberedPerSession(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "parley.yaml")
	if err := os.WriteFile(config, []byte(`models:
  Coder: {model: coder, description: Writes and explains code, thinking: none, images: true}
  Away: {base_url: "http://127.0.0.1:1/v1", model: away}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "PARLEY_CONFIG="+config)
	token := w.register(t)
	ferries := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/", 1280)
	b.until(pickerSays("Default model"))

	// It is used from the keyboard, and says what a model can do.
	b.eval(`document.querySelector("form [aria-haspopup=menu]").focus()`)
	b.enter()
	b.until(`document.activeElement.role === "menuitemradio" && document.activeElement.ariaChecked === "true"`)
	b.until(`/Away\s*Not available right now/.test(document.querySelector(":popover-open").innerText)`)
	b.key(input.DispatchKeyEventParams{Key: "c", Code: "KeyC", Text: "c", WindowsVirtualKeyCode: 67})
	b.until(`document.activeElement.innerText.replace(/\s+/g, " ").trim() ===
		"Coder Writes and explains code Web search Pictures"`)
	b.enter()
	b.until(`!document.querySelector(":popover-open") && ` + pickerSays("Coder"))
	b.ask("What is a slice?")
	b.shows("You said: What is a slice?")
	if got := w.model.Last(t).Model; got != "coder" {
		t.Errorf("the reply is of %q", got)
	}

	// Each session has its own, also after a reload. A new chat has the last one used.
	b.until(`location.hash.startsWith("#/chat/")`)
	slices := value[string](b, `location.hash`)
	b.eval(`location.hash = "#/chat/` + ferries + `"`)
	b.until(pickerSays("Default model"))
	b.eval(`location.hash = "#/"`)
	b.until(pickerSays("Coder"))
	b.eval(`location.hash = "` + slices + `"`)
	b.reload()
	b.shows("You said: What is a slice?")
	b.until(pickerSays("Coder"))
	b.eval(`localStorage.removeItem("parley.models")`) // as in another browser
	b.reload()
	b.shows("You said: What is a slice?")
	b.until(pickerSays("Coder"))
	b.checkQuiet(w.url)
}
