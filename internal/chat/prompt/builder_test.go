package prompt

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/id"
	"parley/internal/library"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// BenchmarkPrompt builds the prompt of a question in a session with a history longer than the context: 600 messages of
// 400 characters.
func BenchmarkPrompt(b *testing.B) {
	database := storetest.Open(b, b.TempDir(), "")
	userID := storetest.User(b, database, time.Now())
	sessionID := storetest.Session(b, database, userID, time.Now())
	books := library.New(library.Config{Store: database, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	builder := New(Config{
		Store: database, Library: books,
		Models: ai.Offers{{Name: "default", ContextTokens: 32000}}.Fixed, RequestTimeout: 10 * time.Second, Now: time.Now,
	})
	begin := func() store.Turn {
		text := strings.Repeat("The ferry leaves at nine, unless it rains. ", 10)[:400]
		open, err := database.BeginTurn(b.Context(), store.NewTurn{
			UserID: userID, SessionID: sessionID, QuestionID: id.New(), ReplyID: id.New(), Content: text,
			NoFiles: true, NoInstructions: true, Owner: "owner", Now: time.Now(),
		})
		if err != nil {
			b.Fatal(err)
		}
		return open
	}
	for range 300 {
		open := begin()
		if err := database.FinishTurn(b.Context(), open, open.Question, parley.Details{}); err != nil {
			b.Fatal(err)
		}
	}
	open := begin()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := builder.Prepare(b.Context(), &open); err != nil {
			b.Fatal(err)
		}
	}
}
