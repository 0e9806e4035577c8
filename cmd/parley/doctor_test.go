package main_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"parley"
	"parley/internal/oidc/oidctest"
	"parley/internal/testdb"
)

// damage runs a statement on the database of a running server.
func damage(t *testing.T, data, databaseURL, statement string) {
	t.Helper()
	driver, source := "pgx", databaseURL
	if databaseURL == "" {
		driver, source = "sqlite", "file:"+filepath.Join(data, "parley.db")+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, source)
	must(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	must(t, errors.Join(err, db.Close()))
}

func TestTheDoctorFindsAndRepairs(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		data := t.TempDir()
		settings := []string{"PARLEY_DATA=" + data, "PARLEY_DATABASE_URL=" + databaseURL}
		p := start(t, settings...)
		ada := p.user("ada")
		sessionID := session(t, ada)
		_, err := ada.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: "Hello"})
		must(t, err)
		_, err = ada.Upload(t.Context(), sessionID, "a.txt", strings.NewReader("a text"))
		must(t, err)
		if out := works(t, settings, "doctor"); strings.Contains(out, "problem") || strings.Count(out, "ok ") < 11 {
			t.Errorf("healthy, it says\n%s", out)
		}
		damage(t, data, databaseURL, `UPDATE users SET session_count = 5, favorite_count = 3`)
		// In any other order, the server's indexer could add a block in between.
		damage(t, data, databaseURL, `DELETE FROM search_queue`)
		damage(t, data, databaseURL, `DELETE FROM search_pages`)
		damage(t, data, databaseURL, `DELETE FROM search_blocks`)
		fails(t, settings, "2 of ", "doctor")
		var report struct {
			Checks []struct{ Name, Status, Detail, Advice, Fixed string }
		}
		must(t, json.Unmarshal([]byte(works(t, settings, "doctor", "--fix", "--json")), &report))
		fixed := map[string]string{}
		for _, check := range report.Checks {
			if check.Fixed != "" {
				fixed[check.Name] = check.Fixed
			}
		}
		if len(fixed) != 2 || fixed["counters"] != "1 accounts and sessions were recounted" ||
			fixed["search index"] != "rebuilt" {
			t.Errorf("fixed are %v", fixed)
		}
		works(t, settings, "doctor")
		if out, err := ada.Sessions(t.Context(), "hello", parley.Page{}); err != nil || out.Total != 1 {
			t.Errorf("the search finds %+v, %v", out, err)
		}
	})
}

func TestTheDoctorSaysWhatToDoAboutABrokenDatabase(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	settings := []string{"PARLEY_DATA=" + data, "PARLEY_ADDR=localhost:0"}
	p := start(t, settings...)
	ada := p.user("ada")
	for range 30 {
		session(t, ada)
	}
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	<-p.over
	if out := works(t, settings, "doctor"); strings.Contains(out, "warning") {
		t.Errorf("whole, it says\n%s", out)
	}
	file := filepath.Join(data, "parley.db")
	whole, err := os.ReadFile(file)
	must(t, err)
	for name, damage := range map[string]func(db []byte){
		"another file":  func(db []byte) { copy(db, "no database") },
		"damaged pages": func(db []byte) { clear(db[len(db)/2:]) },
	} {
		db := bytes.Clone(whole)
		damage(db)
		must(t, os.WriteFile(file, db, 0o600))
		for _, fix := range [][]string{{"doctor"}, {"doctor", "--fix"}} {
			out, _, err := operate(t, settings, fix...)
			if err == nil || !strings.Contains(out, "problem  database") || !strings.Contains(out, "restore") {
				t.Errorf("%s: parley %v: %v\n%s", name, fix, err, out)
			}
		}
	}
}

func TestTheDoctorAsksTheProviderOfSignOn(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	settings := []string{
		"PARLEY_DATA=" + t.TempDir(), "PARLEY_PUBLIC_URL=http://localhost:8080",
		"PARLEY_OIDC_ISSUER=" + provider.URL, "PARLEY_OIDC_CLIENT_ID=parley",
	}
	start(t, settings...)
	out := works(t, settings, "doctor")
	if !strings.Contains(out, "ok       sign-on       "+provider.URL+" responds; browsers come back to http://localhost") {
		t.Errorf("with its provider it says\n%s", out)
	}
	provider.Close()
	out, _, err := operate(t, settings, "doctor")
	if err == nil || !strings.Contains(out, "problem  sign-on ") || !strings.Contains(out, "check PARLEY_OIDC_ISSUER") {
		t.Errorf("without its provider: %v\n%s", err, out)
	}
}

func TestTheDoctorAsksModelAndSearch(t *testing.T) {
	t.Parallel()
	settings := []string{"PARLEY_DATA=" + t.TempDir()}
	start(t, settings...)
	services := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			_, _ = w.Write([]byte(`{"data":[{"id":"good"}]}`))
		case "/search":
			_, _ = w.Write([]byte(`{"results":[{"title":"a","url":"https://a.example","content":"b"}]}`))
		}
	}))
	defer services.Close()
	with := func(more ...string) []string { return append(settings[:1:1], more...) }
	up := with("PARLEY_AI_BASE_URL="+services.URL+"/v1", "PARLEY_AI_MODEL=good", "PARLEY_AI_MODEL_BASIC=bad",
		"PARLEY_SEARCH_PROVIDER=searxng", "PARLEY_SEARCH_URL="+services.URL)
	out := works(t, up, "doctor")
	for _, says := range []string{
		"ok       model         good at " + services.URL + "/v1 responds\n",
		"warning  model         bad at ", "searxng responds, with 1 results",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say %q but\n%s", says, out)
		}
	}
	out = works(t, with("PARLEY_AI_BASE_URL=builtin"), "doctor")
	if !strings.Contains(out, "ok       model         built-in\n") {
		t.Errorf("with the built-in model it says\n%s", out)
	}
	fails(t, with("PARLEY_AI_BASE_URL=http://127.0.0.1:1/v1", "PARLEY_AI_MODEL=m"), "1 of ", "doctor")
	fails(t, with("PARLEY_SEARCH_PROVIDER=searxng", "PARLEY_SEARCH_URL=http://127.0.0.1:1"), "1 of ", "doctor")
	fails(t, []string{"PARLEY_DATA=" + filepath.Join(t.TempDir(), "nowhere")}, "2 of ", "doctor") // disk, database
}
