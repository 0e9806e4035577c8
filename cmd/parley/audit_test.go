package main_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testdb"
)

// TestAQuietLogStillHasTheAudit sets the log level to error.
func TestAQuietLogStillHasTheAudit(t *testing.T) {
	t.Parallel()
	// A quiet server does not log its address. No other test uses 127.0.0.2, so the port stays free.
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.2:0")
	must(t, err)
	address := free.Addr().String()
	must(t, free.Close())
	settings := []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_LOG_LEVEL=error", "PARLEY_ADDR=" + address}
	server := spawn(t, command(t, settings))

	ada := client.New("http://" + address)
	until(t, "the server is ready", func() bool { return ada.Ready(t.Context()) == nil })
	_, err = ada.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "password of ada"})
	must(t, err)
	_, err = ada.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: "another one"})
	refused(t, "a wrong password", err, parley.CodeWrongPassword, 401)
	must(t, ada.DeleteSession(t.Context(), session(t, ada)))
	_, said, err := operate(t, settings, "user", "disable", "1")
	must(t, err)
	server.kill()

	line := regexp.MustCompile(`(?m)^time=\S+ level=INFO msg=audit audit=(\S+) user=1.*\n|^.*\n`)
	for who, test := range map[string]struct{ log, want string }{
		"the server":  {server.said(), "register login-failed session-delete"},
		"the command": {said, "operator-disable"},
	} {
		var events []string
		for _, found := range line.FindAllStringSubmatch(test.log, -1) {
			events = append(events, found[1])
		}
		if got := strings.Join(events, " "); got != test.want {
			t.Errorf("the log of %s has the events %q:\n%s", who, got, test.log)
		}
	}
}

// TestAnAdministratorsActionSurvivesAKill kills the server right after its response. If the server is killed within a
// second, what users did is only in the log.
func TestAnAdministratorsActionSurvivesAKill(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		settings := []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + databaseURL}
		server := start(t, settings...)
		ada, bob := server.user("ada"), server.user("bob")
		works(t, settings, "user", "promote", "1")
		must(t, ada.DisableUser(t.Context(), 2))
		server.kill()

		again := start(t, settings...)
		admin := again.client(ada)
		out, err := admin.AuditLog(t.Context(), parley.AuditInput{Event: "operator-disable"})
		must(t, err)
		if len(out.Entries) != 1 || out.Entries[0].UserID != 2 || out.Entries[0].ActorID != 1 {
			t.Errorf("the entries are %+v", out)
		}
		out, err = admin.AuditLog(t.Context(), parley.AuditInput{UserID: 1, Event: "operator-promote"})
		must(t, err)
		if len(out.Entries) != 1 || out.Entries[0].ActorID != parley.ActorShell {
			t.Errorf("the command's entries are %+v", out)
		}
		_, err = again.client(bob).User(t.Context())
		refused(t, "the disabled user", err, parley.CodeBadToken, 401)
	})
}

// TestTheEntriesOfUsersAreStoredWhenTheServerStops stops the server before its next periodic write of the entries.
func TestTheEntriesOfUsersAreStoredWhenTheServerStops(t *testing.T) {
	t.Parallel()
	settings := []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_DRAIN_DELAY=0s"}
	server := start(t, settings...)
	ada := server.user("ada")
	works(t, settings, "user", "promote", "1")
	deleted := session(t, ada)
	must(t, ada.DeleteSession(t.Context(), deleted))
	must(t, server.cmd.Process.Signal(syscall.SIGTERM))
	<-server.over

	out, err := start(t, settings...).client(ada).AuditLog(t.Context(), parley.AuditInput{Event: "session-delete"})
	must(t, err)
	if len(out.Entries) != 1 || out.Entries[0].Object != deleted || out.Entries[0].UserID != 1 {
		t.Errorf("the entries are %+v", out)
	}
}

// TestTheOverviewShowsNoSecret sets up services with secrets in their addresses and keys.
func TestTheOverviewShowsNoSecret(t *testing.T) {
	t.Parallel()
	services := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" && r.Header.Get("Authorization") == "Bearer hush-key" {
			_, _ = w.Write([]byte(`{"data":[{"id":"good"}]}`))
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"wrong key hush-key"}}`))
	}))
	defer services.Close()
	settings := []string{
		"PARLEY_DATA=" + t.TempDir(), "PARLEY_AI_BASE_URL=" + services.URL + "/v1", "PARLEY_AI_MODEL=good",
		"PARLEY_AI_API_KEY=hush-key", "PARLEY_AI_MODEL_ENHANCED=another", "PARLEY_SEARCH_PROVIDER=tavily",
		"PARLEY_SEARCH_API_KEY=hush-search",
		"PARLEY_SEARCH_URL=" + strings.Replace(services.URL, "http://", "http://user:hush-password@", 1),
	}
	server := start(t, settings...)
	ada := server.user("ada")
	works(t, settings, "user", "promote", "1")
	o, err := ada.Overview(t.Context())
	must(t, err)
	if len(o.Models) != 3 || o.Models[0] != (parley.ModelState{Name: "default", Model: "good", Reachable: true}) ||
		o.Models[2].Reason != parley.ReasonUnlisted ||
		o.Search != (parley.SearchState{Provider: "tavily", Reason: parley.ReasonKey}) {
		t.Errorf("the models are %+v, the search is %+v", o.Models, o.Search)
	}
	if o.Database.Kind != parley.DatabaseSQLite || o.Files.Kind != parley.FilesFolder || o.Files.Free == 0 ||
		len(o.Replicas) != 1 || !o.Replicas[0].Self || o.Users != 1 || o.Administrators != 1 {
		t.Errorf("the overview is %+v", o)
	}
	if text, err := json.Marshal(o); err != nil || strings.Contains(string(text), "hush") {
		t.Errorf("it has a secret: %s, %v", text, err)
	}
}
