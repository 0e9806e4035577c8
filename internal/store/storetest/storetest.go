// Package storetest opens stores for tests and creates accounts, sessions and files in them.
package storetest

import (
	"testing"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// Open opens the store at a URL, or in a folder if there is none, until the test ends.
func Open(t testing.TB, dir, databaseURL string) *store.Store {
	t.Helper()
	Prepare(t, dir, databaseURL)
	s, err := store.Open(t.Context(), dir, databaseURL)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// User creates an account with a unique e-mail address.
func User(t testing.TB, s *store.Store, now time.Time) (userID int64) {
	t.Helper()
	unique := id.New()
	email := unique + "@example.com"
	user := store.NewUser{Email: email, EmailKey: email, Nickname: "Ada", PasswordHash: "x"}
	token := store.NewToken{ID: unique, Hash: store.TokenHash([]byte(unique[:32])), Now: now, Expires: now.Add(time.Hour)}
	userID, err := s.CreateUser(t.Context(), user, token)
	must(t, err)
	return userID
}

// Session creates a session.
func Session(t testing.TB, s *store.Store, userID int64, now time.Time) (sessionID string) {
	t.Helper()
	sessionID = id.New()
	must(t, s.CreateSession(t.Context(), store.NewSession{ID: sessionID, UserID: userID, Title: "Ferries", Now: now}))
	return sessionID
}

// File adds a file to a session. Its bytes are stored under its id.
func File(t testing.TB, s *store.Store, userID int64, sessionID, fileID string, size int, now time.Time) {
	t.Helper()
	must(t, s.AddFileIntent(t.Context(), userID, fileID, now))
	must(t, s.AddFile(t.Context(), store.NewFile{
		UserID: userID, SessionID: sessionID, Now: now,
		File: parley.File{FileID: fileID, Filename: "a.txt", FileSize: int64(size), FileType: "text/plain"},
	}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
