package importer

import (
	"testing"
	"time"

	"parley"
	"parley/internal/extract/history"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// imported returns a job of a new user, and the id of a session with the given messages.
func imported(t *testing.T, databaseURL string, messages []store.ImportedMessage) (*job, string) {
	t.Helper()
	s, now := storetest.Open(t, t.TempDir(), databaseURL), time.Now()
	userID, fileID := storetest.User(t, s, now), id.New()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.AddFileIntent(t.Context(), userID, fileID, now))
	must(s.AddImport(t.Context(), store.NewImport{ID: id.New(), UserID: userID, FileID: fileID, Size: 1, Now: now}))
	open, found, err := s.ClaimImport(t.Context(), "owner", func(string) bool { return false })
	must(err)
	if !found {
		t.Fatal("there is no import")
	}
	session := store.ImportedSession{ID: id.New(), Title: "Ferries", CreatedAt: now, Messages: messages}
	must(s.AddImported(t.Context(), &open, store.ImportProgress{Position: 1}, session))
	return &job{Service: New(Config{Store: s, Now: time.Now}), open: open}, session.ID
}

// TestOnlyWhatIsThereIsHere compares conversations with a session.
func TestOnlyWhatIsThereIsHere(t *testing.T) {
	storetest.Each(t, func(t *testing.T, databaseURL string) {
		var all []store.ImportedMessage
		var texts []history.Message
		for i, text := range []string{"Which ferry?", "The fast one.", "And back?", "The same."} {
			role := []string{parley.RoleUser, parley.RoleAssistant}[i%2]
			all = append(all, store.ImportedMessage{ID: id.New(), Role: role, Content: text, At: time.Now()})
			texts = append(texts, history.Message{Role: role, Content: text})
		}
		j, session := imported(t, databaseURL, all)
		for _, test := range []struct {
			name     string
			session  string
			messages []history.Message
			here     bool
		}{
			{"its beginning", session, texts[:2], true},
			{"all of it", session, texts, true},
			{"another place", session, texts[2:], false},
			{"an unknown session", id.New(), texts, false},
			{"an id that PostgreSQL does not take", "\x00", texts, false},
			{"no id", "", texts, false},
		} {
			here, err := j.isHere(t.Context(), history.Conversation{SessionID: test.session, Messages: test.messages})
			if err != nil || here != test.here {
				t.Errorf("%s: %t, %v", test.name, here, err)
			}
		}
	})
}
