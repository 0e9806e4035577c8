package main_test

import (
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
	"parley/internal/testtier"
)

// TestAnEditSurvivesThePowerCut kills the server during the reply to an edited question, and again while it continues
// a reply. Both replies must be finished, and the versions set aside can be shown again.
func TestAnEditSurvivesThePowerCut(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		m, settings := model(t)
		settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+databaseURL)
		p := start(t, settings...)
		ada := p.user("ada")
		sessionID := session(t, ada)
		first, err := ada.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: "Hello"})
		must(t, err)
		_, err = ada.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: "And now?"})
		must(t, err)
		before := messages(t, ada, sessionID)

		m.Script(aitest.Text("Half"), aitest.Hang())
		m.Script(aitest.Text("All"), aitest.Cut()) // the attempt after the crash is interrupted
		watcher := &reader{t: t}
		s, err := ada.Stream(t.Context(), parley.SendInput{
			SessionID: sessionID, Content: "Good morning", Replaces: first.UserMessageID,
		})
		must(t, err)
		watcher.read(s, func() bool { return watcher.text == "Half" })
		p.kill()
		must(t, s.Close())
		p = start(t, settings...)
		ada = p.client(ada)
		stored := interrupted(t, ada, sessionID)
		if len(stored) != 2 || stored[0].Content != "Good morning" || stored[0].Version != 2 ||
			stored[1].ID != watcher.replyID || stored[1].Content != "All" {
			t.Errorf("after the first crash: %+v", stored)
		}

		m.Script(aitest.Text(" of"), aitest.Hang())
		m.Script(aitest.Say(" of it.")...)
		watcher = &reader{t: t}
		s, err = ada.StreamContinue(t.Context(), sessionID, parley.RegenerateInput{})
		must(t, err)
		watcher.read(s, func() bool { return watcher.text == " of" })
		p.kill()
		must(t, s.Close())
		ada = start(t, settings...).client(ada)
		if stored := complete(t, ada, sessionID, 2); stored[1].Content != "All of it." {
			t.Errorf("after the second crash: %+v", stored)
		}
		must(t, ada.ShowVersion(t.Context(), first.UserMessageID, 1))
		after := messages(t, ada, sessionID)
		if len(after) != len(before) || after[3].ID != before[3].ID || after[3].Content != before[3].Content {
			t.Errorf("what was set aside is %+v, not %+v", after, before)
		}
	})
}

// interrupted waits until the last reply of a session is interrupted.
func interrupted(t *testing.T, c *client.Client, sessionID string) []parley.Message {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < patience; <-tick.C {
		stored := messages(t, c, sessionID)
		if n := len(stored); n > 0 && stored[n-1].Status == parley.StatusInterrupted {
			return stored
		}
	}
	t.Fatal("the reply was not interrupted")
	return nil
}
