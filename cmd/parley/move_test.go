package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/extract/history/historytest"
	"parley/internal/testdb"
)

// house is a server before a move. Its users have some of everything.
type house struct {
	*past
	settings []string // all but those of the data
	share    string
	key      *client.Client
	picture  string
}

// newHouse starts a server and makes users create data.
func newHouse(t *testing.T, databaseURL string) *house {
	t.Helper()
	p := startPast(t, binary, databaseURL)
	h := &house{past: p, settings: []string{
		"PARLEY_AI_BASE_URL=" + p.model.URL, "PARLEY_AI_MODEL=test", "PARLEY_AI_IMAGES=true", "PARLEY_TOKEN_TTL=876000h",
		"PARLEY_DRAIN_TIMEOUT=100ms",
	}}
	h.kill()
	h.process = start(t, append(h.settings, "PARLEY_DATA="+p.data, "PARLEY_DATABASE_URL="+databaseURL)...)
	h.furnish()
	h.live()
	return h
}

// furnish creates what live does not: versions, a share, a key, a picture, an import and a response.
func (h *house) furnish() {
	h.t.Helper()
	ctx, eve := h.t.Context(), h.user("eve")
	chat := h.session(eve, "A harbor")
	first := h.send(eve, chat, "Which harbor?")
	_, err := eve.Send(ctx, parley.SendInput{SessionID: chat, Content: "Which pier?", Replaces: first.UserMessageID})
	must(h.t, err)
	_, err = eve.Regenerate(ctx, chat, parley.RegenerateInput{})
	must(h.t, err)
	var drawn bytes.Buffer
	must(h.t, png.Encode(&drawn, image.NewRGBA(image.Rect(0, 0, 9, 9))))
	uploaded, err := eve.Upload(ctx, chat, "pier.png", &drawn)
	must(h.t, err)
	h.picture = uploaded.FileID
	shared, err := eve.Share(ctx, chat, parley.ShareInput{})
	must(h.t, err)
	h.share = shared.ShareID
	made, err := eve.CreateKey(ctx, parley.KeyInput{Name: "Harbor", Scopes: []parley.Scope{"chat", "files"}})
	must(h.t, err)
	h.key = eve.WithToken(made.Key)
	export := historytest.ChatGPTZip(historytest.Numbered(1, 2), historytest.Numbered(2, 2))
	started, err := eve.StartImport(ctx, "export.zip", bytes.NewReader(export))
	must(h.t, err)
	awaitImport(h.t, eve, started.ImportID, func(i parley.Import) bool { return i.State == parley.ImportDone })
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/v1/responses",
		strings.NewReader(`{"model": "default", "input": "Which boat?", "store": true}`))
	must(h.t, err)
	request.Header.Set("Authorization", "Bearer "+made.Key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(h.t, err)
	must(h.t, response.Body.Close())
	if response.StatusCode != http.StatusOK {
		h.t.Fatalf("the response has the status %s", response.Status)
	}
}

// moveTo stops the server, moves its data and starts it at the new place.
func (h *house) moveTo(data, databaseURL, filesURL string, args ...string) {
	h.t.Helper()
	before := h.look()
	must(h.t, h.cmd.Process.Signal(syscall.SIGTERM))
	<-h.over
	old := append(h.settings, "PARLEY_LOG_LEVEL=error", "PARLEY_DATA="+h.data, "PARLEY_DATABASE_URL="+h.databaseURL)
	out := works(h.t, old, append([]string{"move"}, args...)...)
	if !strings.Contains(out, "moved and compared") || strings.Contains(out, "postgres://") {
		h.t.Errorf("the move says %s", out)
	}
	fails(h.t, old, "was moved to", "serve")
	h.settings = append(h.settings, "PARLEY_FILES_URL="+filesURL)
	h.data, h.databaseURL = data, databaseURL
	settings := append(h.settings, "PARLEY_DATA="+data, "PARLEY_DATABASE_URL="+databaseURL)
	h.process = start(h.t, settings...)
	if after := h.look(); !slices.Equal(after, before) {
		for i := range before {
			if before[i] != after[i] {
				h.t.Errorf("it was\n%s\nand is\n%s", before[i], after[i])
			}
		}
	}
	if out := works(h.t, settings, "doctor"); strings.Contains(out, "problem") {
		h.t.Errorf("the doctor says\n%s", out)
	}
}

// look returns everything that users can read.
func (h *house) look() (all []string) {
	h.t.Helper()
	for _, name := range []string{"ada", "bob"} {
		for path, text := range h.answers(h.client(nil).WithToken(h.record.Tokens[name])) {
			all = append(all, name+" "+path+" "+string(text))
		}
	}
	eve := h.client(h.key)
	for path, text := range h.answers(eve) {
		if path != "/api/user/tokens" { // these are not for keys
			all = append(all, "eve "+path+" "+string(text))
		}
	}
	for _, path := range []string{
		"/api/share/" + h.share, "/api/shares", "/api/user/usage", "/api/files/" + h.picture + "/picture",
	} {
		all = append(all, path+" "+string(h.read(h.key.Token(), path)))
	}
	for i, text := range all {
		all[i] = strings.ReplaceAll(text, h.url, "") // links of shares
	}
	slices.Sort(all)
	return all
}

// TestALifeMovesToAnotherDatabaseAndBack moves between SQLite and PostgreSQL, with an open reply.
func TestALifeMovesToAnotherDatabaseAndBack(t *testing.T) {
	t.Parallel()
	databaseURL := testdb.Postgres(t)
	h := newHouse(t, "")
	h.model.Script(aitest.Say("All of it.")...)
	h.moveTo(h.data, databaseURL, "", "--to", databaseURL)
	olga := h.client(nil).WithToken(h.record.Tokens["olga"])
	stored := complete(t, olga, h.record.Open.SessionID, 2)
	if stored[1].ID != h.record.Open.ReplyID || stored[1].Content != "All of it." {
		t.Errorf("the open reply has become %+v", stored[1])
	}
	h.send(olga, h.record.Open.SessionID, "And now?")
	folder := filepath.Join(t.TempDir(), "new")
	h.moveTo(folder, "", "", "--to", "sqlite:"+folder)
	h.user("newcomer")
	h.send(h.client(olga), h.record.Open.SessionID, "And here?")
}

// TestALifeMovesToABucketAndBack moves the documents first, then everything.
func TestALifeMovesToABucketAndBack(t *testing.T) {
	t.Parallel()
	databaseURL, bucket := testdb.Postgres(t), testdb.S3(t)
	h := newHouse(t, "")
	h.model.Script(aitest.Say("All of it.")...)
	h.moveTo(h.data, "", bucket, "--files-to", bucket)
	folder := filepath.Join(t.TempDir(), "new")
	h.moveTo(folder, databaseURL, "", "--to", databaseURL, "--files-to", "folder:"+folder)
}

// TestAnEarlierReleaseMoves upgrades recorded data and moves it.
func TestAnEarlierReleaseMoves(t *testing.T) {
	t.Parallel()
	for _, release := range releases {
		testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
			target, data := testdb.Postgres(t), t.TempDir()
			args := []string{"move", "--to", target}
			if databaseURL != "" {
				target = ""
				args[2] = "sqlite:" + data
			}
			from := recorded(t, release, databaseURL, "before")
			old := from.restore(databaseURL)
			if databaseURL == "" {
				data = old // its documents stay there
			}
			m, settings := model(t)
			m.Script(aitest.Say("All of it.")...)
			before := append(settings, "PARLEY_LOG_LEVEL=error", "PARLEY_DATA="+old, "PARLEY_DATABASE_URL="+databaseURL)
			fails(t, before, fmt.Sprintf("the database has schema %d", release), args...)
			works(t, before, "serve", "--migrate=only")
			works(t, before, args...)
			p := start(t, append(settings, "PARLEY_DATA="+data, "PARLEY_DATABASE_URL="+target)...)
			from.compare(p)
			from.finish(p)
			from.use(p)
		})
	}
}

// TestAMoveIsRefused checks that one line names the problem, without a password.
func TestAMoveIsRefused(t *testing.T) {
	t.Parallel()
	data := "PARLEY_DATA=" + t.TempDir()
	p := start(t, data)
	ada := p.user("ada")
	folder := "sqlite:" + filepath.Join(t.TempDir(), "new")
	fails(t, []string{data}, "stop the server first", "move", "--to", folder)
	p.kill()
	nowhere := "postgres://parley:hunter2@127.0.0.1:1/parley"
	for _, test := range []struct {
		says string
		args []string
	}{
		{"can't reach PostgreSQL", []string{"--to", nowhere}},
		{"open the S3 store", []string{"--files-to", "s3://key:hunter2@bucket?endpoint=http://127.0.0.1:1&region=us-east-1"}},
		{"that is where the data is", []string{"--to", "sqlite:" + strings.TrimPrefix(data, "PARLEY_DATA=")}},
		{"files in a folder are in the data folder", []string{"--files-to", "folder:/elsewhere"}},
		{"no move from here was begun", []string{"--undo"}},
		{"--undo takes no target", []string{"--undo", "--to", folder}},
		{"name where to move", nil},
		{"must be of the form postgres://", []string{"--to", "mysql://root:hunter2@db"}},
		{"/dev/null/new", []string{"--to", "sqlite:/dev/null/new"}},
	} {
		fails(t, []string{data}, test.says, append([]string{"move"}, test.args...)...)
		if _, stderr, _ := operate(t, []string{data}, append([]string{"move"}, test.args...)...); strings.Contains(
			stderr, "hunter2") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("it says %s", stderr)
		}
	}
	start(t, data) // nothing was marked
	if _, err := p.client(ada).User(t.Context()); err == nil {
		t.Error("the first server is running")
	}
	var shown map[string]any
	must(t, json.Unmarshal([]byte(works(t, []string{data}, "user", "show", "1", "--json")), &shown))
}
