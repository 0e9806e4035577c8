package api_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
)

// TestAClockThatJumpsChangesNoOrder sets the clock back by a day and forward by two.
func TestAClockThatJumpsChangesNoOrder(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		session := w.session(ada, "")
		turns := 0
		talk := func() {
			w.Helper()
			for range 2 {
				turns++
				out := w.say(ada, session, fmt.Sprint("Question ", turns))
				_, err := ada.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: session, MessageID: out.AIResponse.ID})
				w.must(err)
			}
			messages := w.messages(ada, session)
			if len(messages) != 2*turns || w.only(ada).MessageCount != int64(2*turns) {
				w.Fatalf("%d messages after %d turns", len(messages), turns)
			}
			for i, m := range messages {
				if want := fmt.Sprint("Question ", i/2+1); i%2 == 0 && m.Content != want {
					w.Errorf("message %d is %q, not %q", i+1, m.Content, want)
				}
			}
			if marked := w.favorites(ada, "", parley.Page{}); int(marked.Total) != turns {
				w.Errorf("%d favorites after %d turns", marked.Total, turns)
			}
		}
		talk()
		for _, jump := range []time.Duration{-24 * time.Hour, 48 * time.Hour} {
			w.clock.forward(jump)
			talk()
			w.login("ada", "password of ada")
			w.restart()
			ada = w.again(ada)
			talk()
		}
	})
}
