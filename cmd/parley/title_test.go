package main_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

// TestARealModelNamesChatsByDefault leaves PARLEY_TITLES unset.
func TestARealModelNamesChatsByDefault(t *testing.T) {
	t.Parallel()
	model := aitest.New(t)
	model.Respond(func(r aitest.Request) []aitest.Step {
		if strings.HasPrefix(r.System(), "You name conversations.") {
			return aitest.Say("Island ferries")
		}
		return aitest.Echo(r)
	})
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=m", "PARLEY_TITLES=")
	ada := p.user("ada")
	created, err := ada.CreateSession(t.Context(), parley.CreateSessionInput{})
	must(t, err)
	_, err = ada.Send(t.Context(), parley.SendInput{SessionID: created.SessionID, Content: "which boat?"})
	must(t, err)
	until(t, "the model has named the session", func() bool {
		session, err := ada.Session(t.Context(), created.SessionID)
		must(t, err)
		return session.Title == "Island ferries"
	})
}
