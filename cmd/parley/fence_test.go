package main_test

import (
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

func TestEveryServerHasItsOwnFence(t *testing.T) {
	t.Parallel()
	m, settings := model(t)
	var fences []string
	for range 2 {
		p := start(t, append(settings, "PARLEY_DATA="+t.TempDir())...)
		ada := p.user("ada")
		sessionID := session(t, ada)
		_, err := ada.Upload(t.Context(), sessionID, "a.txt", strings.NewReader("The ferry leaves at nine."))
		must(t, err)
		m.Script(aitest.Say("At nine.")...)
		_, err = ada.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: "When does it leave?"})
		must(t, err)
		fences = append(fences, regexp.MustCompile(`</material-[0-9a-f]{16}>`).FindString(m.Last(t).System()))
	}
	if fences[0] == "" || fences[0] == fences[1] {
		t.Errorf("the fences are %q", fences)
	}
}
