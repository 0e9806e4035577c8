package browser

import (
	"strings"
	"testing"

	"parley"
)

// TestAKeyIsCreatedShownOnceAndRemoved uses the key meanwhile.
func TestAKeyIsCreatedShownOnceAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/settings/keys", 1280)
	b.shows("You have no keys.")
	b.press("New key…")
	b.until(`document.querySelector("dialog[open] select").value === "7776000"`)
	b.write(`dialog input[name="key-name"]`, "Backup script")
	b.eval(`document.querySelector("dialog input[name=chat]").click()`)
	b.press("Create key")
	b.until(`document.querySelector("dialog[open] input[readonly]")`)
	key := value[string](b, `document.querySelector("dialog[open] input[readonly]").value`)
	if !strings.HasPrefix(key, "pk-") {
		t.Fatalf("the key is %q", key)
	}
	b.eval(`document.querySelector("dialog").click()`) // outside of the dialog's content
	b.shows("It is not shown again.")
	b.press("Close")
	b.shows("Read only")
	b.shows("never used")
	b.until(`!document.body.textContent.includes("pk-")`)

	script := w.api.WithToken(key)
	if _, err := script.Sessions(t.Context(), "", parley.Page{}); err != nil {
		t.Fatal(err)
	}
	if _, err := script.CreateSession(t.Context(), parley.CreateSessionInput{}); err == nil {
		t.Error("the key may do more than it was given")
	}
	b.reload()
	b.shows("last used just now")
	b.press("Remove the key “Backup script”")
	b.press("Remove")
	b.shows("You have no keys.")
	if _, err := script.User(t.Context()); err == nil {
		t.Error("the key still works")
	}
	b.checkQuiet(w.url)
}
