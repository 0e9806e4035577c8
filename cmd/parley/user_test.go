package main_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

// refused checks the error of a call.
func refused(t *testing.T, what string, err error, code parley.Code, status int) {
	t.Helper()
	var failed *client.Error
	if !errors.As(err, &failed) || failed.Code != code || failed.Status != status {
		t.Errorf("%s: %v, want %d with HTTP %d", what, err, code, status)
	}
}

// TestADisabledUserIsOutAtOnce runs the commands while a server is running.
func TestADisabledUserIsOutAtOnce(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		m, settings := model(t)
		settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+databaseURL)
		p := start(t, settings...)
		ada, bob := p.user("ada"), p.user("bob")
		m.Script(aitest.Text("Half of it"), aitest.Hang())
		watcher := &reader{t: t}
		stream := watcher.ask(ada, session(t, ada), "Half of it")

		if out := works(t, settings, "user", "disable", "ADA@example.com"); out != "ada@example.com (1) is disabled\n" {
			t.Errorf("it says %q", out)
		}
		_, err := ada.User(t.Context())
		refused(t, "a request", err, parley.CodeBadToken, 401)
		for event, err := range stream.Events() { // the server ends it
			if err != nil {
				refused(t, "the stream", err, parley.CodeBadToken, 200)
				break
			}
			t.Logf("%T", event)
		}
		login := func(password string) error {
			_, err := p.client(nil).Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: password})
			return err
		}
		refused(t, "a login", login("password of ada"), parley.CodeInvalidParameter, 403)
		refused(t, "a wrong password", login("wrong password"), parley.CodeWrongPassword, 401)
		if _, err := bob.User(t.Context()); err != nil {
			t.Errorf("another user: %v", err)
		}
		works(t, settings, "user", "enable", "1")
		must(t, login("password of ada"))
	})
}

func TestAPasswordIsResetFromOutside(t *testing.T) {
	t.Parallel()
	settings := []string{"PARLEY_DATA=" + t.TempDir()}
	p := start(t, settings...)
	ada := p.user("ada")
	out := works(t, settings, "user", "reset-password", "ada@example.com")
	found := regexp.MustCompile(`has the new password ([a-z2-7]{26})\n$`).FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("it says %q", out)
	}
	_, err := ada.User(t.Context())
	refused(t, "the old login", err, parley.CodeBadToken, 401)
	_, err = ada.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: found[1]})
	must(t, err)

	cmd := command(t, settings, "user", "reset-password", "--stdin", "1")
	cmd.Stdin = strings.NewReader(" given by hand \r\n and more\n")
	if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), "by hand") {
		t.Fatalf("%v: %s", err, said)
	}
	_, err = ada.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: " given by hand "})
	must(t, err)
	fails(t, settings, "6 to 256 characters", "user", "reset-password", "--stdin", "1") // without input
}

func TestAccountsAreListedShownAndDeleted(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		settings := []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + databaseURL}
		p := start(t, settings...)
		ada := p.user("ada")
		p.user("bob")
		_, err := ada.Send(t.Context(), parley.SendInput{SessionID: session(t, ada), Content: "Hello"})
		must(t, err)

		out := works(t, settings, "user", "list")
		if strings.Count(out, "\n") != 3 || !strings.Contains(out, "active") || !strings.Contains(out, "bob@example.com") {
			t.Errorf("the list is %s", out)
		}
		lines := strings.Split(strings.TrimSpace(works(t, settings, "user", "list", "--json")), "\n")
		var first struct {
			ID    int64  `json:"id"`
			Email string `json:"email"`
		}
		err = json.Unmarshal([]byte(lines[0]), &first)
		if err != nil || len(lines) != 2 || first.ID != 1 || first.Email != "ada@example.com" {
			t.Errorf("the list is %v, %v", lines, err)
		}
		var shown map[string]any
		must(t, json.Unmarshal([]byte(works(t, settings, "user", "show", "1", "--json")), &shown))
		if shown["sessions"] != 1.0 || shown["messages"] != 2.0 || shown["logins"] != 1.0 ||
			shown["email"] != "ada@example.com" {
			t.Errorf("show prints %v", shown)
		}
		if out := works(t, settings, "user", "show", "ada@example.com"); !strings.Contains(out, "messages     2\n") {
			t.Errorf("show prints %s", out)
		}
		fails(t, settings, "with 1 sessions, 2 messages and 0 documents, for good: add --yes", "user", "delete", "1")
		works(t, settings, "user", "delete", "--yes", "1")
		fails(t, settings, "there is no account 1", "user", "show", "1")
		_, err = ada.User(t.Context())
		refused(t, "a deleted user", err, parley.CodeBadToken, 401)
	})
}

// TestAQuotaIsSetWhileTheServerRuns sets limits for one account and removes them.
func TestAQuotaIsSetWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		t.Parallel()
		settings := []string{
			"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + databaseURL, "PARLEY_QUOTA=messages=1/d",
		}
		p := start(t, settings...)
		ada := p.user("ada")
		chat := session(t, ada)
		send := func() error {
			_, err := ada.Send(t.Context(), parley.SendInput{SessionID: chat, Content: "Hello"})
			return err
		}
		must(t, send())
		refused(t, "beyond the server's quota", send(), parley.CodeTooManyAttempts, 429)
		if out := works(t, settings, "user", "quota", "ada@example.com", "messages=2/d"); out !=
			"ada@example.com (1) has the quota messages=2/d\n" {
			t.Errorf("it says %q", out)
		}
		must(t, send())
		refused(t, "beyond the own quota", send(), parley.CodeTooManyAttempts, 429)
		works(t, settings, "user", "quota", "1", "none")
		must(t, send())
		works(t, settings, "user", "quota", "1", "default")
		refused(t, "beyond the server's quota again", send(), parley.CodeTooManyAttempts, 429)
		fails(t, settings, "tokens=1M/d", "user", "quota", "1", "many")
	})
}
