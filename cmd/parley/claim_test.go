package main_test

import (
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/internal/testdb"
)

var loggedCode = regexp.MustCompile(
	`msg="there is no administrator; .*" code=([a-z2-7]{26}) until=\S+ or="parley user promote EMAIL"`)

// code returns the code for the first administrator from the server's log, or "".
func (p *process) code() string {
	found := loggedCode.FindStringSubmatch(p.said())
	if found == nil {
		return ""
	}
	return found[1]
}

// TestAnEmptyServerSaysHowToBecomeItsAdministrator crashes the server and uses the code of its second start.
func TestAnEmptyServerSaysHowToBecomeItsAdministrator(t *testing.T) {
	t.Parallel()
	settings := []string{"PARLEY_DATA=" + t.TempDir()}
	p := start(t, settings...)
	old := p.code()
	p.kill()
	p = start(t, settings...)
	code := p.code()
	if old == "" || code == "" || old == code {
		t.Fatalf("the codes are %q and %q:\n%s", old, code, p.said())
	}
	ada := p.user("ada")
	_, err := ada.Claim(t.Context(), parley.ClaimInput{Code: old})
	refused(t, "the code before the restart", err, parley.CodeWrongPassword, 401)
	_, err = ada.Claim(t.Context(), parley.ClaimInput{Code: code})
	must(t, err)
	p.kill()
	p = start(t, settings...)
	if strings.Contains(p.said(), "no administrator") {
		t.Errorf("a server with an administrator says:\n%s", p.said())
	}
}

// TestACommandMakesAdministrators runs the commands while a server is running.
func TestACommandMakesAdministrators(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		settings := []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + databaseURL}
		p := start(t, settings...)
		ada := p.user("ada")
		claimable := func() bool {
			info, err := ada.User(t.Context())
			must(t, err)
			return info.Claimable
		}
		if !claimable() {
			t.Error("an empty server can't be claimed")
		}
		if out := works(t, settings, "user", "promote", "ADA@example.com"); out !=
			"ada@example.com (1) is an administrator\n" {
			t.Errorf("it says %q", out)
		}
		_, err := ada.Users(t.Context(), "", parley.Page{})
		must(t, err)
		until(t, "the server knows that it has an administrator", func() bool { return !claimable() })
		_, err = ada.Claim(t.Context(), parley.ClaimInput{Code: p.code()})
		refused(t, "the code after promote", err, parley.CodeWrongPassword, 401)
		if out := works(t, settings, "user", "show", "1"); !strings.Contains(out, "administrator") {
			t.Errorf("she is shown as %s", out)
		}
		if out := works(t, settings, "user", "demote", "1"); out != "ada@example.com (1) is no administrator\n" {
			t.Errorf("it says %q", out)
		}
		_, err = ada.Users(t.Context(), "", parley.Page{})
		refused(t, "the list after demote", err, parley.CodeInvalidParameter, 404)
		until(t, "the server knows that it has no administrator", claimable)
		fails(t, settings, "no account bob@example.com", "user", "promote", "bob@example.com")
	})
}
