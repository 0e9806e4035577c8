package api_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley"
	"parley/client"
	"parley/internal/casefold"
)

// The model does what the service does, written as simply as possible. Its times are counters.
type (
	modelUser struct {
		email, password, nickname string
		token                     string
		logins                    []string // other valid tokens
		ended                     []string // tokens that have ended
		sessions                  []*modelSession
		shares                    []*modelShare // newest first
		endedShares               []string      // ids of shares that have ended
	}
	modelSession struct {
		id, title string
		created   int
		root      modelMessage // before the first message
		files     []*modelFile
		keys      map[string]parley.SendOutput // results of sends by their key and question
		pinned    bool
		archived  bool
		life      modelLife
	}
	modelFile struct{ id, name, content string }
)

func (s *modelSession) active() int {
	if len(s.messages()) == 0 {
		return s.created
	}
	return s.last().at
}

func (s *modelSession) shownTitle() string { return cmp.Or(s.title, parley.DefaultTitle) }

// has reports whether the title or a message holds the keyword.
func (s *modelSession) has(keyword string) bool {
	return contains(s.shownTitle(), keyword) ||
		slices.ContainsFunc(s.messages(), func(m *modelMessage) bool { return contains(m.content, keyword) })
}

// contains reports whether a search for the keyword finds the text.
func contains(text, keyword string) bool {
	return strings.Contains(casefold.Key(text), casefold.Key(strings.TrimSpace(keyword)))
}

// favorites returns the favorites with a keyword, newest first. If a message has several versions, the visible one
// counts, or else the newest.
func (u *modelUser) favorites(keyword string) []string {
	lines := map[int]string{}
	for _, s := range u.sessions {
		found := map[*modelMark]*modelMessage{}
		for _, m := range s.root.all() {
			if other := found[m.mark]; other == nil || !s.isVisible(other) {
				found[m.mark] = m
			}
		}
		for _, m := range found {
			if m.mark.favorite != "" && contains(m.content, keyword) {
				lines[-m.mark.at] = fmt.Sprint(m.mark.favorite, m.id, m.content, s.shownTitle(), s.id, m.number, !s.isVisible(m))
			}
		}
	}
	var sorted []string
	for _, marked := range slices.Sorted(maps.Keys(lines)) {
		sorted = append(sorted, lines[marked])
	}
	return sorted
}

func (s *modelSession) history() (lines []string) {
	for i, m := range s.messages() {
		role := parley.RoleUser
		if i%2 == 1 {
			role = parley.RoleAssistant
		}
		version, versions := m.version()
		lines = append(lines, fmt.Sprint(m.id, role, m.content, m.mark.favorite != "", m.status, version, versions))
	}
	return lines
}

// onPage returns a page of a list.
func onPage(lines []string, page parley.Page) []string {
	from := min(int((page.Number-1)*page.Size), len(lines))
	return lines[from:min(from+int(page.Size), len(lines))]
}

// same ends the run if an outcome differs from the model's.
func same(t *rapid.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
		t.Fatalf("%s\n got %s\nwant %s", what, g, w)
	}
}

func fine(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
}

// refuses checks that an error has the code.
func refuses(t *rapid.T, err error, code parley.Code) {
	t.Helper()
	if e, ok := err.(*client.Error); !ok || e.Code != code { //nolint:errorlint // the client does not wrap it
		t.Fatalf("got %v, want error %d", err, code)
	}
}

// TestTheServiceDoesWhatItsModelDoes has several users perform random operations of all kinds over HTTP. The server
// restarts in between.
func TestTheServiceDoesWhatItsModelDoes(t *testing.T) {
	fewRuns(t)
	eachWith(t, func(w *world) { w.Settings.Retention, w.TokenTTL = modelRetention, 1000*modelDay }, func(w *world) {
		run := 0
		plain := &http.Client{Transport: &http.Transport{}}
		defer plain.CloseIdleConnections()
		rapid.Check(w.T, func(r *rapid.T) {
			run++
			m := &machine{world: w, http: plain}
			for i := range 2 {
				m.users = append(m.users, m.register(r, fmt.Sprintf("user%d.%d@example.com", run, i)))
			}
			r.Repeat(map[string]func(*rapid.T){
				"create": m.create, "rename": m.rename, "clear": m.clear, "delete": m.remove,
				"send": m.send, "send another": m.send, "send with a key": m.sendWithKey, "stream": m.stream,
				"send in vain": m.sendInVain, "regenerate": m.regenerate, "regenerate another": m.regenerate,
				"edit": m.edit, "edit another": m.edit, "edit in vain": m.editInVain,
				"version": m.version, "another version": m.version, "interrupt": m.interrupt, "continue": m.proceed,
				"mark": m.mark, "mark another": m.mark, "unmark": m.unmark,
				"upload": m.upload, "delete a file": m.removeFile,
				"file": m.file, "set a life": m.setLife, "pass a day": m.pass,
				"share": m.share, "share another": m.share, "withdraw": m.withdraw,
				"log in": m.login, "log out": m.logout, "change nickname": m.changeNickname, "change password": m.changePassword,
				"leave": m.leave, "restart": m.restartServer, "intrude": m.intrude,
				"": m.compare,
			})
		})
	})
}

// fewRuns reduces rapid's runs to a twentieth: each restarts a server several times and hashes passwords.
func fewRuns(t *testing.T) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value
	before := checks.String()
	n, err := strconv.Atoi(before)
	if err == nil {
		err = checks.Set(strconv.Itoa(max(1, n/20)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Set(before) })
}
