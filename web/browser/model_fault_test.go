package browser

import (
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

// TestAModelThatFailsSaysWhy shows the reason, and an administrator where to look.
func TestAModelThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	if _, err := w.api.Claim(t.Context(), parley.ClaimInput{Code: w.claimCode(t)}); err != nil {
		t.Fatal(err)
	}
	w.model.Script(aitest.Status(401, ""))
	b := signedIn(t, w, token, "#/", 1280)
	b.ask("Which ferry?")
	b.shows("The model's provider rejects the server's key.")
	b.eval(`[...document.querySelectorAll("article a")].find(a => a.innerText === "Check the models").click()`)
	b.until(`location.hash === "#/admin/models"`)

	w.model.Script(aitest.Status(400, `{"error":{"code":"content_filter"}}`))
	reader := signedIn(t, w, w.registerAs(t, bob, "Bob"), "#/", 1280)
	reader.ask("Which ferry?")
	reader.shows("The model's provider refuses this message by its policy. Rephrase it.")
	w.model.Script(aitest.Status(402, ""))
	reader.press("Try again")
	reader.shows("The server's account with the model's provider is used up.")
	if value[bool](reader, `document.querySelector("a[href='#/admin']") !== null`) {
		t.Error("a user is shown the administration")
	}
	b.checkQuiet(w.url)
	reader.checkQuiet(w.url)
}
