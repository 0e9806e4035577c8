package api_test

import (
	"strings"
	"testing"

	"parley"
)

// TestTheWholeJourney walks through the contract as a front end would.
func TestTheWholeJourney(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		session := w.session(ada, "")
		file, err := ada.Upload(ctx, session, "facts.md",
			strings.NewReader("# Facts\n\nThe ferry to Capri leaves at nine.\n"))
		w.must(err)
		if file.FileType != "text/markdown" || file.FileSize != 44 {
			w.Errorf("got file %+v", file)
		}
		sent := w.say(ada, session, "When does the ferry leave?")
		if sent.AIResponse.Content == "" {
			w.Error("got an empty reply")
		}
		messages := w.messages(ada, session)
		if len(messages) != 2 || messages[0].ID != sent.UserMessageID || messages[1].ID != sent.AIResponse.ID {
			w.Errorf("got messages %+v, want the two that were sent", messages)
		}
		favorite, err := ada.AddFavorite(ctx, parley.AddFavoriteInput{MessageID: sent.AIResponse.ID, SessionID: session})
		w.must(err)
		list, err := ada.Favorites(ctx, "", parley.Page{Number: 1, Size: 20})
		w.must(err)
		if len(list.Favorites) != 1 || list.Favorites[0].ID != favorite.FavoriteID || list.Total != 1 {
			w.Errorf("got favorites %+v", list)
		}
		found, err := ada.Sessions(ctx, "FERRY", parley.Page{Number: 1, Size: 20})
		w.must(err)
		if found.Total != 1 || found.Sessions[0].ID != session {
			w.Errorf("got sessions %+v", found)
		}
		w.must(ada.RemoveFavorite(ctx, sent.AIResponse.ID))
		w.must(ada.ClearSession(ctx, session))
		w.must(ada.DeleteSession(ctx, session))
		w.must(ada.Logout(ctx))
		_, err = ada.User(ctx)
		w.wants(err, parley.CodeBadToken, 401)
	})
}
