package torture

import (
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

// step is a change that must be durable. Its mark, if any, is a text that the database must write. Its bytes, if any,
// are the bytes of a file.
type step struct {
	name, mark, bytes string
	do                func() error
}

// TestNothingIsAnsweredBeforeItsSync traces the system calls of the program. For each
// change, its data must be written to the write-ahead log and the log synced before the
// response is sent. The same holds for a file's bytes and its folder.
func TestNothingIsAnsweredBeforeItsSync(t *testing.T) {
	t.Parallel()
	model := aitest.New(t)
	s := launch(t, []string{
		"PARLEY_DATA=" + t.TempDir(), "PARLEY_AI_BASE_URL=" + model.URL, "PARLEY_AI_MODEL=test",
	})
	s.waitReady(t)
	file := filepath.Join(t.TempDir(), "trace")
	strace := attach(t, s, "-y", "-s", "16384", "-o", file,
		"-e", "trace=read,write,pwrite64,fsync,fdatasync,renameat,renameat2")
	steps := changes(t, s.guest())
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
	}
	s.kill()
	strace.wait()
	rest := readTrace(t, file)
	for _, step := range steps {
		var during []call
		during, rest = exchange(rest)
		if len(during) == 0 {
			t.Fatalf("%s: the trace has no request and response", step.name)
		}
		responded := during[len(during)-1].begin
		if !durable(during, "parley.db-wal", step.mark, responded) {
			t.Errorf("%s was acknowledged before it was written and synced", step.name)
		}
		if step.bytes != "" && !stored(during, step.bytes, responded) {
			t.Errorf("%s was acknowledged before its bytes and their folder were synced", step.name)
		}
	}
}

// changes returns one change of each kind.
func changes(t *testing.T, c *client.Client) []step {
	ctx := t.Context()
	var session, message, file string
	send := func(content string) error {
		out, err := c.Send(ctx, parley.SendInput{SessionID: session, Content: content})
		message = out.AIResponse.ID
		return err
	}
	nickname := "mark-nickname"
	return []step{
		{"register", "mark-user@example.com", "", func() error {
			_, err := c.Register(ctx, parley.RegisterInput{Email: "mark-user@example.com", Password: "password"})
			return err
		}},
		{"log in", "", "", func() error {
			user := parley.LoginInput{Email: "mark-user@example.com", Password: "password"}
			_, err := c.WithToken("").Login(ctx, user)
			return err
		}},
		{"change the nickname", nickname, "", func() error {
			_, err := c.UpdateProfile(ctx, parley.ProfileInput{Nickname: &nickname})
			return err
		}},
		{"create a session", "mark-created", "", func() error {
			out, err := c.CreateSession(ctx, parley.CreateSessionInput{Title: "mark-created"})
			session = out.SessionID
			return err
		}},
		{"rename it", "mark-renamed", "", func() error {
			return c.RenameSession(ctx, session, parley.RenameSessionInput{Title: "mark-renamed"})
		}},
		{"send", "You said: mark-question", "", func() error { return send("mark-question") }},
		{"regenerate", "", "", func() error {
			_, err := c.Regenerate(ctx, session, parley.RegenerateInput{})
			return err
		}},
		{"mark", "", "", func() error {
			_, err := c.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: session, MessageID: message})
			return err
		}},
		{"unmark", "", "", func() error { return c.RemoveFavorite(ctx, message) }},
		{"upload", "mark-file.txt", "mark-bytes", func() error {
			out, err := c.Upload(ctx, session, "mark-file.txt", strings.NewReader("mark-bytes"))
			file = out.FileID
			return err
		}},
		{"delete the file", "", "", func() error { return c.DeleteFile(ctx, file) }},
		{"clear", "", "", func() error { return c.ClearSession(ctx, session) }},
		{"delete the session", "", "", func() error { return c.DeleteSession(ctx, session) }},
		{"change the password", "", "", func() error {
			return c.ChangePassword(ctx, parley.PasswordInput{OldPassword: "password", NewPassword: "another one"})
		}},
		{"log out", "", "", func() error { return c.Logout(ctx) }},
	}
}

// exchange splits off the calls from the next request to the start of its response.
func exchange(calls []call) (during, rest []call) {
	from := -1
	for i, c := range calls {
		switch {
		case !strings.HasPrefix(c.path, "socket:"):
		case c.name == "read" && strings.Contains(c.text, " /api/"):
			if from < 0 {
				from = i
			}
		case from < 0 || c.name != "write":
		case strings.Contains(c.text, "HTTP/1.1 200 OK") && strings.Contains(c.text, "X-Request-Id"):
			return calls[from : i+1], calls[i+1:]
		}
	}
	return nil, nil
}

// durable reports whether text was written to a file with a path that ends in path, and the file was synced afterwards
// and before the given position.
func durable(calls []call, path, text string, before int) bool {
	for _, w := range calls {
		isWrite := w.ok && (w.name == "pwrite64" || w.name == "write")
		if !isWrite || !strings.HasSuffix(w.path, path) || !strings.Contains(w.text, text) {
			continue
		}
		if synced(calls, w.path, w.end, before) {
			return true
		}
	}
	return false
}

// synced reports whether a file or folder was synced between two positions.
func synced(calls []call, path string, after, before int) bool {
	for _, c := range calls {
		isSync := c.ok && (c.name == "fsync" || c.name == "fdatasync")
		if isSync && c.path == path && c.begin > after && c.end < before {
			return true
		}
	}
	return false
}

// stored reports whether the bytes of a file were synced, the file renamed, and its
// folder synced, in this order.
func stored(calls []call, bytes string, before int) bool {
	for _, move := range calls {
		if !strings.HasPrefix(move.name, "renameat") || !move.ok || move.end > before {
			continue
		}
		names := strings.Split(move.text, `"`) // from folder, name, to folder, name
		folder := descriptor.FindStringSubmatch(strings.TrimPrefix(names[2], ", "))
		if folder != nil && durable(calls, "/"+names[1], bytes, move.begin) &&
			synced(calls, folder[1], move.end, before) {
			return true
		}
	}
	return false
}
