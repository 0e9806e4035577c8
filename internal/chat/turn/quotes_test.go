package turn

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// TestAReplyDoesNotWaitForItsQuotes has the check of the quotes hang. The reply is stored without it.
func TestAReplyDoesNotWaitForItsQuotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		database, _ := storetest.OpenSilent(t, t.TempDir())
		hang := func(ctx context.Context, _ string, _ parley.Details) ([]parley.Quote, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		prepare := func(context.Context, *store.Turn) (*Request, error) {
			return &Request{Model: says(`"The ferry leaves at ten"`), CheckQuotes: hang}, nil
		}
		e := New(Config{Store: database, Log: slog.New(slog.DiscardHandler), Prepare: prepare, Now: time.Now})
		userID := storetest.User(t, database, time.Now())
		begun := time.Now()
		reply, err := e.Start(t.Context(), newQuestion(userID, e.newSession(t, userID)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := reply.Wait(t.Context())
		if err != nil || got.AIResponse.Content != `"The ferry leaves at ten"` {
			t.Errorf("got %+v, %v", got, err)
		}
		if took := time.Since(begun); took != defaultQuotesTimeout {
			t.Errorf("it took %v, want %v", took, defaultQuotesTimeout)
		}
		e.Drain(t.Context())
	})
}
