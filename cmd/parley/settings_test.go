package main_test

import (
	"errors"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testdb"
)

// TestASettingIsChangedBesideTheServer runs the commands while a server is running.
func TestASettingIsChangedBesideTheServer(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		settings := []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + databaseURL, "PARLEY_SHARING=on"}
		p := start(t, settings...)
		p.user("ada")
		isClosed := func() bool { // this address already has an account
			_, err := p.client(nil).Register(t.Context(),
				parley.RegisterInput{Email: "ada@example.com", Password: "password of ada"})
			var failed *client.Error
			if !errors.As(err, &failed) {
				t.Fatalf("registered twice: %v", err)
			}
			return failed.Code == parley.CodeInvalidParameter
		}
		if isClosed() {
			t.Error("registration is closed by default")
		}
		out := works(t, settings, "settings", "set", "registration", "closed")
		if out != "registration is closed (database)\n" {
			t.Errorf("it says %q", out)
		}
		until(t, "registration is closed", isClosed)
		fails(t, settings, "PARLEY_SHARING", "settings", "set", "sharing", "off")
		fails(t, settings, "at least 1h", "settings", "set", "retention", "1m")
		const want = `NAME          FROM           VALUE
registration  database       closed
sharing       configuration  on
quota         default        none
retention     default        off
instructions  default        ""
`
		if out := works(t, settings, "settings", "list"); out != want {
			t.Errorf("it lists\n%s", out)
		}
		if out := works(t, settings, "doctor"); !strings.Contains(out, "settings from the database: registration") {
			t.Errorf("the doctor says\n%s", out)
		}
		fixed := append(settings, "PARLEY_REGISTRATION=open")
		if out := works(t, fixed, "doctor"); !strings.Contains(out, "stored without effect: registration") {
			t.Errorf("if it is fixed, the doctor says\n%s", out)
		}
		out = works(t, settings, "settings", "unset", "registration")
		if out != "registration is open (default)\n" {
			t.Errorf("it says %q", out)
		}
		until(t, "registration is open again", func() bool { return !isClosed() })
	})
}

// TestARetentionThatDeletesNeedsYes sets the shortest retention while there is a chat to delete.
func TestARetentionThatDeletesNeedsYes(t *testing.T) {
	t.Parallel()
	settings := []string{"PARLEY_DATA=" + t.TempDir()}
	p := start(t, settings...)
	session(t, p.user("ada"))
	fails(t, settings, "deletes 1 chats of 1 users", "settings", "set", "retention", "1h")
	if out := works(t, settings, "settings", "list"); !strings.Contains(out, "retention     default        off") {
		t.Errorf("it lists\n%s", out)
	}
	if out := works(t, settings, "settings", "set", "--yes", "retention", "1h"); out != "retention is 1h (database)\n" {
		t.Errorf("it says %q", out)
	}
}

func TestAnOperatorsChangeIsAudited(t *testing.T) {
	t.Parallel()
	settings := []string{"PARLEY_DATA=" + t.TempDir()}
	start(t, settings...)
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{"set", "instructions", "Keep this to yourself."}, 1},
		{[]string{"set", "instructions", "Keep this to yourself."}, 0}, // nothing changed
		{[]string{"unset", "instructions"}, 1},
	} {
		_, log, err := operate(t, settings, append([]string{"settings"}, test.args...)...)
		must(t, err)
		if n := strings.Count(log, "audit=operator-setting user=0 id=instructions"); n != test.want ||
			strings.Contains(log, "yourself") {
			t.Errorf("%v is audited %d times:\n%s", test.args, n, log)
		}
	}
}
