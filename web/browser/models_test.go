package browser

import (
	"testing"

	"parley"
)

// TestAModelIsConnectedInTheBrowser goes from an empty server to the first written reply.
func TestAModelIsConnectedInTheBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_AI_BASE_URL=", "PARLEY_AI_MODEL=of no Ollama", "PARLEY_AI_THINKING=")
	token := w.register(t)
	if _, err := w.api.Claim(t.Context(), parley.ClaimInput{Code: w.claimCode(t)}); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`[...document.querySelectorAll("a")].some(a => a.innerText === "Connect a model")`)
	b.eval(`[...document.querySelectorAll("a")].find(a => a.innerText === "Connect a model").click()`)
	b.shows("The server's name of it.")
	b.write(`dialog input[name="address"]`, w.model.URL)
	b.press("Test")
	b.shows("The server can be reached, but lists no models.")
	b.write(`dialog input[name="upstream"]`, "ferry")
	b.press("Test")
	b.shows("It works. The first word,")
	for _, problem := range problems(b) {
		t.Error(problem)
	}
	b.press("Save")
	b.shows("ferry at " + w.model.URL)
	b.shows("The same as the default model")
	for _, problem := range problems(b) {
		t.Error(problem)
	}
	b.eval(`location.hash = "#/"`)
	b.ask("Which ferry?")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	if asked := w.model.Last(t).Model; asked != "ferry" {
		t.Errorf("the model %q was asked", asked)
	}
	b.checkQuiet(w.url)
}
