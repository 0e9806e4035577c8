package api_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/id"
)

func TestAForkIsASessionOfItsOwn(t *testing.T) {
	each(t, func(w *world) {
		ada, eve := w.user("ada"), w.user("eve")
		session := w.session(ada, "Ferries")
		w.must(ada.UpdateSession(w.Context(), session, parley.UpdateSessionInput{Instructions: new("Be brief.")}))
		file, err := ada.Upload(w.Context(), session, "times.txt", strings.NewReader("The Wackelpudding leaves at nine."))
		w.must(err)
		said := w.say(ada, session, "First")
		_, err = ada.AddFavorite(w.Context(), parley.AddFavoriteInput{SessionID: session, MessageID: said.UserMessageID})
		w.must(err)
		w.say(ada, session, "Second")
		before := w.messages(ada, session)

		out, err := ada.Fork(w.Context(), session, parley.ForkInput{MessageID: said.AIResponse.ID})
		w.must(err)
		fork := out.SessionID
		got, err := ada.Session(w.Context(), fork)
		w.must(err)
		if got.Title != "Ferries" || got.Instructions != "Be brief." || got.MessageCount != 2 || got.Temporary {
			w.Errorf("the fork is %+v", got)
		}
		if list := w.sessions(ada, "", parley.Page{}); list.Total != 2 || list.Sessions[0].ID != fork {
			w.Errorf("the list is %+v", list)
		}
		for _, m := range w.messages(ada, fork) {
			if m.IsFavorited {
				w.Errorf("a copy is a favorite: %+v", m)
			}
		}
		w.say(ada, fork, "When does it leave?")
		if asked := w.Model.Last(w.T); !strings.Contains(string(asked.Body), "Wackelpudding") {
			w.Errorf("the model was asked without the file: %s", asked.Body)
		}
		if after := w.messages(ada, session); len(after) != len(before) || after[3].ID != before[3].ID {
			w.Errorf("the forked session has %d messages", len(after))
		}
		for in, want := range map[string]string{"": session, session: session, fork: fork} {
			found, err := ada.Search(w.Context(), parley.Search{Text: "Wackelpudding", SessionID: in, In: []string{"files"}},
				parley.Page{})
			w.must(err)
			if found.Total != 1 || found.Hits[0].SessionID != want || found.Hits[0].FileID != file.FileID {
				w.Errorf("a search in %q finds %+v", in, found)
			}
		}
		copies := 0
		for name := range w.account(ada) {
			if strings.HasSuffix(name, "times.txt") {
				copies++
			}
		}
		if copies != 1 {
			w.Errorf("the export of the account has the file %d times", copies)
		}
		w.must(ada.DeleteSession(w.Context(), session))
		if _, err := ada.Download(w.Context(), file.FileID); err != nil {
			w.Errorf("the file of the fork went with the other session: %v", err)
		}
		for _, message := range []string{said.AIResponse.ID, id.New(), "x"} {
			_, err := ada.Fork(w.Context(), fork, parley.ForkInput{MessageID: message})
			w.wants(err, parley.CodeNoSuchSession, 404)
		}
		for _, unknown := range []string{session, id.New(), "x"} {
			_, err := ada.Fork(w.Context(), unknown, parley.ForkInput{MessageID: said.AIResponse.ID})
			w.wants(err, parley.CodeNoSuchSession, 404)
		}
		_, err = eve.Fork(w.Context(), fork, parley.ForkInput{MessageID: w.messages(ada, fork)[1].ID})
		w.wants(err, parley.CodeNoSuchSession, 404)
		w.must(ada.DeleteFileOf(w.Context(), fork, file.FileID))
		_, err = ada.Download(w.Context(), file.FileID)
		w.wants(err, parley.CodeUploadFailed, 404)
	})
}

func TestAForkOfATemporarySessionIsTemporary(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.temporary(ada)
		said := w.say(ada, session, "Wackelpudding")
		out, err := ada.Fork(w.Context(), session, parley.ForkInput{MessageID: said.UserMessageID})
		w.must(err)
		got, err := ada.Session(w.Context(), out.SessionID)
		w.must(err)
		if !got.Temporary || got.ExpiresAt == 0 || w.sessions(ada, "Wackelpudding", parley.Page{}).Total != 0 {
			w.Errorf("the fork is %+v", got)
		}
	})
}

func TestALongSessionIsNotForked(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "Long")
		w.fill(session, parley.MaxForkMessages)
		said := w.say(ada, session, "One more")
		_, err := ada.Fork(w.Context(), session, parley.ForkInput{MessageID: said.UserMessageID})
		w.wants(err, parley.CodeInvalidParameter, 400)
	})
}
