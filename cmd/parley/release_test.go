package main_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

// record is the state of an earlier release, in addition to its database and files: responses by user and path, and
// an unfinished reply.
type record struct {
	Tokens  map[string]string                     `json:"tokens"`
	Ended   string                                `json:"ended"` // a token that has been logged out
	Open    open                                  `json:"open"`
	Answers map[string]map[string]json.RawMessage `json:"answers"`
}

// open is an unfinished reply. Its user has no recorded responses.
type open struct {
	SessionID string `json:"session_id"`
	ReplyID   string `json:"reply_id"`
}

// past is a running process of an earlier release.
type past struct {
	*process
	model             *aitest.Server
	data, databaseURL string
	ada, bob, olga    *client.Client
	record            record
}

// TestRecordARelease records the data of another release: see testdata/releases/README.md.
func TestRecordARelease(t *testing.T) {
	program, name := os.Getenv("PARLEY_RECORD_PROGRAM"), os.Getenv("PARLEY_RECORD_AS")
	if program == "" || name == "" {
		t.Skip("only records: see testdata/releases/README.md")
	}
	t.Run("sqlite", func(t *testing.T) {
		to := filepath.Join("testdata", "releases", name, "sqlite")
		p := startPast(t, program, "")
		p.live()
		p.kill()
		dump, err := exec.CommandContext(t.Context(), "sqlite3", filepath.Join(p.data, "parley.db"), ".dump").Output()
		must(t, err)
		p.keep(to, "before", string(dump))
	})
	t.Run("postgres", func(t *testing.T) {
		to := filepath.Join("testdata", "releases", name, "postgres")
		databaseURL, restart := ownCluster(t)
		log := filepath.Join(filepath.Dir(restart), "log")
		p := startPast(t, program, databaseURL)
		p.live()
		p.keep(to, "before", dumpPostgres(t, databaseURL))
		for _, statement := range []string{
			`ALTER SYSTEM SET log_line_prefix = '%p '`,
			`ALTER SYSTEM SET log_statement = 'all'`, `SELECT pg_reload_conf()`,
		} {
			damage(t, "", databaseURL, statement)
		}
		until(t, "statements are logged", func() bool {
			p.count(`SELECT 1`)
			text, err := os.ReadFile(log)
			return err == nil && strings.Contains(string(text), "SELECT 1")
		})
		from, err := os.Stat(log)
		must(t, err)
		p.liveOn()
		statements, err := os.ReadFile(log)
		must(t, err)
		p.keep(to, "after", transactions(string(statements[from.Size():])))
	})
}

func startPast(t *testing.T, program, databaseURL string) *past {
	m, settings := model(t)
	p := &past{model: m, data: t.TempDir(), databaseURL: databaseURL}
	cmd := command(t, append(settings, "PARLEY_DATA="+p.data, "PARLEY_DATABASE_URL="+databaseURL,
		"PARLEY_TOKEN_TTL=876000h"))
	cmd.Path = program
	p.process = launch(t, cmd)
	return p
}

// live makes users create data. It stops with an open reply, an unfinished upload and a text not yet in the search
// index.
func (p *past) live() {
	p.t.Helper()
	p.ada, p.bob, p.olga = p.user("ada"), p.user("bob"), p.user("olga")
	ferry := p.session(p.ada, "Ferry to Capri 渡船")
	p.send(p.ada, ferry, "When does the ferry leave? 渡船几点开?")
	p.mark(p.ada, ferry, p.send(p.ada, ferry, "And 100% of them on_time, it's said?").AIResponse.ID)
	p.upload(p.ada, ferry, "times.md", "# Times\n\nThe last ferry leaves Capri at 20:10.\n")
	think := parley.SendInput{
		SessionID: ferry, Content: "So which one?",
		ReplyOptions: parley.ReplyOptions{DeepThinking: true},
	}
	out, err := p.ada.Send(p.t.Context(), think, client.WithIdempotencyKey("one"))
	must(p.t, err)
	p.mark(p.ada, ferry, out.UserMessageID)
	_, err = p.ada.Regenerate(p.t.Context(), ferry, parley.RegenerateInput{})
	must(p.t, err)
	p.send(p.ada, p.session(p.ada, ""), "Nobody has named this one")
	p.session(p.ada, "Nothing in it")
	p.session(p.ada, "")
	cleared, deleted := p.session(p.ada, "Cleared"), p.session(p.ada, "Deleted")
	p.send(p.ada, cleared, "This goes")
	must(p.t, p.ada.ClearSession(p.t.Context(), cleared))
	p.send(p.ada, deleted, "This goes too")
	must(p.t, p.ada.DeleteSession(p.t.Context(), deleted))
	bobs := p.session(p.bob, "Bob's ferry")
	p.send(p.bob, bobs, "Not for Ada")
	ended := p.client(nil)
	_, err = ended.Login(p.t.Context(), parley.LoginInput{Email: "bob@example.com", Password: "password of bob"})
	must(p.t, err)
	must(p.t, ended.Logout(p.t.Context()))
	p.record = record{
		Tokens: map[string]string{"ada": p.ada.Token(), "bob": p.bob.Token(), "olga": p.olga.Token()},
		Ended:  ended.Token(),
	}
	until(p.t, "all texts are indexed", func() bool { return p.count(`SELECT count(*) FROM search_queue`) == 0 })

	p.record.Open.SessionID = p.session(p.olga, "Open")
	p.model.Script(aitest.Text("Half of it"), aitest.Hang())
	watcher := &reader{t: p.t}
	watcher.ask(p.olga, p.record.Open.SessionID, "Half of it")
	p.record.Open.ReplyID = watcher.replyID
	p.hang(p.record.Open.SessionID)
	p.send(p.bob, bobs, "Still to be indexed")
	p.record.Answers = map[string]map[string]json.RawMessage{"ada": p.answers(p.ada), "bob": p.answers(p.bob)}
	if p.count(`SELECT count(*) FROM search_queue`) == 0 || p.count(`SELECT count(*) FROM file_intents`) == 0 {
		p.t.Fatal("that took too long: all texts are indexed, or the upload is over")
	}
}

// liveOn makes users do one change of each kind. The test replays them after a migration.
func (p *past) liveOn() {
	p.t.Helper()
	carol := p.user("carol")
	p.record.Tokens["carol"] = carol.Token()
	second := p.client(nil)
	_, err := second.Login(p.t.Context(), parley.LoginInput{Email: "carol@example.com", Password: "password of carol"})
	must(p.t, err)
	must(p.t, second.Logout(p.t.Context()))
	p.record.Ended = second.Token()
	p.session(carol, "")
	island := p.session(carol, "The island")
	must(p.t, carol.RenameSession(p.t.Context(), island, parley.RenameSessionInput{Title: "The other island"}))
	p.mark(carol, island, p.send(carol, island, "Is there a 岛?").AIResponse.ID)
	_, err = carol.Regenerate(p.t.Context(), island, parley.RegenerateInput{})
	must(p.t, err)
	gone := p.upload(carol, island, "gone.txt", "Not for long.")
	p.upload(carol, island, "map.txt", "North is up.")
	must(p.t, carol.DeleteFile(p.t.Context(), gone))
	cleared, deleted := p.session(carol, "Cleared"), p.session(carol, "Deleted")
	p.send(carol, cleared, "This goes")
	must(p.t, carol.ClearSession(p.t.Context(), cleared))
	p.send(carol, deleted, "This goes too")
	must(p.t, carol.DeleteSession(p.t.Context(), deleted))
	p.model.Script(aitest.Status(http.StatusBadRequest, "no"))
	if _, err := carol.Send(p.t.Context(), parley.SendInput{SessionID: island, Content: "This fails"}); err == nil {
		p.t.Fatal("the model did not fail")
	}
	until(p.t, "all texts are indexed", func() bool { return p.count(`SELECT count(*) FROM search_queue`) == 0 })
	p.record.Answers = map[string]map[string]json.RawMessage{
		"ada": p.answers(p.ada), "bob": p.answers(p.bob),
		"carol": p.answers(carol),
	}
}

func (p *past) session(c *client.Client, title string) string {
	p.t.Helper()
	out, err := c.CreateSession(p.t.Context(), parley.CreateSessionInput{Title: title})
	must(p.t, err)
	return out.SessionID
}

func (p *past) send(c *client.Client, sessionID, content string) parley.SendOutput {
	p.t.Helper()
	out, err := c.Send(p.t.Context(), parley.SendInput{SessionID: sessionID, Content: content})
	must(p.t, err)
	return out
}

func (p *past) mark(c *client.Client, sessionID, messageID string) {
	p.t.Helper()
	_, err := c.AddFavorite(p.t.Context(), parley.AddFavoriteInput{SessionID: sessionID, MessageID: messageID})
	must(p.t, err)
}

func (p *past) upload(c *client.Client, sessionID, name, content string) string {
	p.t.Helper()
	out, err := c.Upload(p.t.Context(), sessionID, name, strings.NewReader(content))
	must(p.t, err)
	return out.FileID
}

// hang starts an upload that never ends.
func (p *past) hang(sessionID string) {
	p.t.Helper()
	bytes, more := io.Pipe()
	p.t.Cleanup(func() { more.Close() })
	go func() {
		_, _ = p.olga.Upload(context.WithoutCancel(p.t.Context()), sessionID, "half.txt",
			io.MultiReader(strings.NewReader(strings.Repeat("half ", 20_000)), bytes))
	}()
	until(p.t, "the upload has begun", func() bool { return p.count(`SELECT count(*) FROM file_intents`) == 1 })
}

// count runs a query that returns a number on the server's database.
func (p *past) count(query string) (n int) {
	p.t.Helper()
	driver, source := "pgx", p.databaseURL
	if p.databaseURL == "" {
		driver, source = "sqlite", "file:"+filepath.Join(p.data, "parley.db")+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, source)
	must(p.t, err)
	must(p.t, errors.Join(db.QueryRowContext(p.t.Context(), query).Scan(&n), db.Close()))
	return n
}

// answers returns everything that a user can read, by path.
func (p *past) answers(c *client.Client) map[string]json.RawMessage {
	p.t.Helper()
	paths := []string{
		"/api/user/info", "/api/user/tokens", "/api/chat/sessions?page_size=200",
		"/api/favorites/list?page_size=200", "/api/favorites/list?keyword=said",
	}
	for _, keyword := range []string{
		"ferry", "CAPRI", "渡", "渡船", "100%", "on_time", "it's", "岛", "indexed", "goes",
		"new chat", "nowhere",
	} {
		paths = append(paths, "/api/chat/sessions?keyword="+url.QueryEscape(keyword))
	}
	sessions, err := c.Sessions(p.t.Context(), "", parley.Page{Number: 1, Size: 200})
	must(p.t, err)
	for _, s := range sessions.Sessions {
		paths = append(paths, "/api/chat/messages?page_size=200&session_id="+s.ID, "/api/chat/session/"+s.ID+"/files")
		files, err := c.Files(p.t.Context(), s.ID)
		must(p.t, err)
		for _, f := range files.Files {
			paths = append(paths, "/api/files/"+f.FileID)
		}
	}
	all := map[string]json.RawMessage{}
	for _, path := range paths {
		all[path] = p.read(c.Token(), path)
	}
	return all
}

// read returns the response to a GET request of a user, as JSON.
func (p *process) read(token, path string) json.RawMessage {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, nil)
	must(p.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	must(p.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(p.t, err)
	if response.StatusCode != http.StatusOK {
		p.t.Errorf("%s: %s %s", path, response.Status, text)
	}
	if json.Valid(text) {
		return text
	}
	text, err = json.Marshal(string(text))
	must(p.t, err)
	return text
}

// keep writes the SQL, the documents and the record to files.
func (p *past) keep(to, name, statements string) {
	p.t.Helper()
	to = filepath.Join(to, name)
	must(p.t, os.RemoveAll(to))
	must(p.t, os.MkdirAll(to, 0o755))
	must(p.t, os.CopyFS(filepath.Join(to, "files"), os.DirFS(filepath.Join(p.data, "files"))))
	must(p.t, os.RemoveAll(filepath.Join(to, "files", "partial")))
	must(p.t, os.WriteFile(filepath.Join(to, "statements.sql"), []byte(statements), 0o600))
	text, err := json.MarshalIndent(p.record, "", "\t")
	must(p.t, err)
	must(p.t, os.WriteFile(filepath.Join(to, "record.json"), append(text, '\n'), 0o600))
}

// functionBody matches the only statement of a dump that has semicolons inside.
var functionBody = regexp.MustCompile(`(?s)\$\$.*?\$\$`)

func dumpPostgres(t *testing.T, databaseURL string) string {
	t.Helper()
	testdb.Postgres(t)
	dump, err := exec.CommandContext(t.Context(), "pg_dump", "--inserts", "--no-owner", "--no-privileges",
		"--no-comments", databaseURL).Output()
	must(t, err)
	oneLine := func(body string) string { return strings.ReplaceAll(body, "\n", " ") }
	var kept []string
	for line := range strings.Lines(functionBody.ReplaceAllStringFunc(string(dump), oneLine)) {
		if !strings.HasPrefix(line, `\`) && !strings.HasPrefix(line, "--") && strings.TrimSpace(line) != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

var (
	logged     = regexp.MustCompile(`^(\d+) LOG:  (?:execute [^:]*|statement): (.*)$`)
	parameters = regexp.MustCompile(`^(\d+) DETAIL:  (?i:parameters): (.*)$`)
	parameter  = regexp.MustCompile(`\$(\d+) = (NULL|'(?:[^']|'')*')`)
	place      = regexp.MustCompile(`\$\d+`)
	notOurs    = regexp.MustCompile(
		`(?i)^(--|listen|deallocate|alter system|select 1$|select count\(\*\) from search_queue$|select pg_reload_conf)`)
)

// transactions converts PostgreSQL's log into statements with their values. They are one per line, in the order of
// the commits.
func transactions(log string) string {
	var all []string
	under := map[string][]string{} // open transactions by process
	last := ""                     // the process of the last statement
	flush := func() {
		if whole(under[last]) {
			all = append(all, under[last]...)
			delete(under, last)
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(log, "\n\t", " ")) {
		line = strings.TrimSuffix(line, "\n")
		if found := parameters.FindStringSubmatch(line); found != nil && len(under[found[1]]) > 0 {
			values := map[string]string{}
			for _, p := range parameter.FindAllStringSubmatch(found[2], -1) {
				values["$"+p[1]] = p[2]
			}
			statement := &under[found[1]][len(under[found[1]])-1]
			*statement = place.ReplaceAllStringFunc(*statement, func(p string) string { return values[p] })
			continue
		}
		flush()
		if found := logged.FindStringSubmatch(line); found != nil && !notOurs.MatchString(found[2]) {
			last = found[1]
			under[last] = append(under[last], strings.Join(strings.Fields(found[2]), " "))
		}
	}
	flush()
	return strings.Join(all, ";\n") + ";\n"
}

// whole reports whether statements are a complete transaction, or a single statement outside of one.
func whole(statements []string) bool {
	if len(statements) == 0 || !strings.HasPrefix(statements[0], "begin") {
		return true
	}
	last := statements[len(statements)-1]
	return last == "commit" || last == "rollback"
}
