package main_test

import (
	"net"
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/client"
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
