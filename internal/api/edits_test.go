package api_test

import (
	"fmt"
	"testing"

	"parley"
	"parley/client"
)

func TestEditsAtOnce(t *testing.T) {
	shared(t, []part{
		{"the same edit with a key is made once", theSameEditWithAKeyIsMadeOnce},
		{"of edits at once one replaces the question", ofEditsAtOnceOneReplacesTheQuestion},
		{"versions shown among sends and edits", versionsShownAmongSendsAndEdits},
	})
}

func theSameEditWithAKeyIsMadeOnce(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	replaces := w.say(ada, session, "First").UserMessageID
	for round := range 20 {
		key := client.WithIdempotencyKey(fmt.Sprint("edit ", round))
		outs := make([]parley.SendOutput, 6)
		for _, err := range together(len(outs), func(i int) (err error) {
			outs[i], err = ada.Send(w.Context(), parley.SendInput{
				SessionID: session, Content: "Edited", Replaces: replaces,
			}, key)
			return err
		}) {
			w.must(err)
		}
		for _, out := range outs {
			if out.UserMessageID != outs[0].UserMessageID || out.AIResponse.ID != outs[0].AIResponse.ID {
				w.Fatalf("round %d: got %+v and %+v", round, outs[0], out)
			}
		}
		replaces = outs[0].UserMessageID
		if got := w.messages(ada, session); len(got) != 2 || got[0].Versions != int64(round+2) {
			w.Fatalf("round %d: got %+v", round, got)
		}
	}
}

func ofEditsAtOnceOneReplacesTheQuestion(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	first := w.say(ada, session, "First")
	w.say(ada, session, "Second")
	made := 0
	for _, err := range together(8, func(i int) error {
		_, err := ada.Send(w.Context(), parley.SendInput{
			SessionID: session, Content: fmt.Sprint("Edited ", i), Replaces: first.UserMessageID,
		})
		return err
	}) {
		if err == nil {
			made++
			continue
		}
		w.wants(err, parley.CodeNoSuchSession, 404) // the edit has set the question aside
	}
	if got := w.messages(ada, session); made != 1 || len(got) != 2 || got[0].Version != 2 || got[0].Versions != 2 {
		w.Errorf("%d edits were made: %+v", made, got)
	}
}

func versionsShownAmongSendsAndEdits(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	first := w.say(ada, session, "First")
	w.edit(ada, session, first.UserMessageID, "Edited")
	for _, err := range together(24, func(i int) error {
		switch i % 4 {
		case 0:
			_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "More"})
			return err
		case 1:
			_, err := ada.Regenerate(w.Context(), session, parley.RegenerateInput{})
			return err
		default:
			return ada.ShowVersion(w.Context(), first.UserMessageID, int64(i%2+1))
		}
	}) {
		w.must(err)
	}
	for _, version := range []int64{1, 2} {
		w.must(ada.ShowVersion(w.Context(), first.UserMessageID, version))
		if got, all := w.only(ada), w.messages(ada, session); got.MessageCount != int64(len(all)) || len(all)%2 != 0 {
			w.Errorf("version %d: message_count is %d, and there are %d messages", version, got.MessageCount, len(all))
		}
	}
}
