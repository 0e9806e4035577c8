package main_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/embed/embedtest"
)

// TestPassagesAreFoundByMeaning uploads a file while the embeddings server fails, then kills and restarts Parley. A
// question must then find a passage that shares no word with it.
func TestPassagesAreFoundByMeaning(t *testing.T) {
	t.Parallel()
	model, vectors := aitest.New(t), embedtest.New(t)
	model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("Yes.") })
	without := []string{
		"PARLEY_DATA=" + t.TempDir(),
		"PARLEY_AI_BASE_URL=" + model.URL, "PARLEY_AI_MODEL=m", "PARLEY_AI_CONTEXT_TOKENS=4000",
	}
	settings := append(without[:len(without):len(without)],
		"PARLEY_EMBED_BASE_URL="+vectors.URL, "PARLEY_EMBED_MODEL=meanings", "PARLEY_EMBED_API_KEY=hush")
	failed := make(chan struct{}, 100)
	vectors.Respond(func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
		w.WriteHeader(http.StatusInternalServerError)
		failed <- struct{}{}
		return true
	})
	p := start(t, settings...)
	ada := p.user("ada")
	sessionID := session(t, ada)
	const fact = "A single fare is twenty euros."
	page := strings.Repeat("Gulls circle over the harbor in the morning light. ", 10) + "\n\n"
	upload(t, ada, sessionID, "crossing.txt", []byte(strings.Repeat(page, 25)+fact+"\n\n"+strings.Repeat(page, 25)))
	found := func() bool {
		_, err := ada.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: "How expensive?"})
		must(t, err)
		return strings.Contains(model.Last(t).System(), fact)
	}
	<-failed
	if found() {
		t.Error("it is found without vectors")
	}
	if out, _, err := operate(t, settings, "doctor"); err == nil || !strings.Contains(out, "failed (HTTP 500)") {
		t.Errorf("with a broken server the doctor says\n%s", out)
	}
	must(t, p.cmd.Process.Kill())
	<-p.over
	vectors.Respond(nil)
	p = start(t, settings...)
	ada = client.New(p.url).WithToken(ada.Token())
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); !found(); <-tick.C {
		if time.Since(begun) > patience {
			t.Fatalf("it is not found:\n%s", p.said())
		}
	}
	if name, key := vectors.Last(); name != "meanings" || key != "Bearer hush" {
		t.Errorf("the embeddings server got %q and %q", name, key)
	}
	used, err := ada.Usage(t.Context(), parley.UsageInput{By: parley.ByModel})
	must(t, err)
	isCounted := func(s parley.UsageSum) bool { return s.Model == "meanings" && s.InputTokens > 0 }
	if !slices.ContainsFunc(used.Usage, isCounted) {
		t.Errorf("the tokens of the embeddings are not counted: %+v", used.Usage)
	}
	out := works(t, settings, "doctor")
	if !strings.Contains(out, "responds, with 32 dimensions; 0 of 1 files without vectors") {
		t.Errorf("the doctor says\n%s", out)
	}
	if out := works(t, without, "doctor"); !strings.Contains(out, "not set up: passages are found by words alone") {
		t.Errorf("without a server the doctor says\n%s", out)
	}
}
