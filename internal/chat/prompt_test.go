package chat

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// BenchmarkPrompt builds the prompt of a question in a session whose history is longer than
// the context: 600 messages of 400 characters.
func BenchmarkPrompt(b *testing.B) {
	s, prompter, userID := newService(b)
	session, err := s.CreateSession(b.Context(), userID, parley.CreateSessionInput{})
	if err != nil {
		b.Fatal(err)
	}
	begin := func() store.Turn {
		text := strings.Repeat("The ferry leaves at nine, unless it rains. ", 10)[:400]
		open, err := s.store.BeginTurn(b.Context(), store.NewTurn{
			UserID: userID, SessionID: session.SessionID, QuestionID: id.New(), ReplyID: id.New(), Content: text,
			NoFiles: true, NoInstructions: true, Owner: "owner", Now: time.Now(),
		})
		if err != nil {
			b.Fatal(err)
		}
		return open
	}
	for range 300 {
		open := begin()
		if err := s.store.FinishTurn(b.Context(), open, open.Question, parley.Details{}); err != nil {
			b.Fatal(err)
		}
	}
	open := begin()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := prompter.Prepare(b.Context(), &open); err != nil {
			b.Fatal(err)
		}
	}
}
