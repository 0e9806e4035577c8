package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

// shared returns the settings of replicas on one PostgreSQL and one S3 store. The timeout is long because on a busy
// machine requests may queue for a session for a while.
func shared(t *testing.T, databaseURL string) (*aitest.Server, []string) {
	m, settings := model(t)
	return m, append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+databaseURL,
		"PARLEY_FILES_URL="+testdb.S3(t), "PARLEY_REQUEST_TIMEOUT=1m")
}

// visitor uses the service without a pause. It records the questions that got a reply.
type visitor struct {
	client    *client.Client
	sessionID string
	sent      []string // every question that got a reply
}

// visit sends a question, reads messages, and uploads, downloads and deletes a file.
func (v *visitor) visit(ctx context.Context, n int) error {
	question := fmt.Sprintf("Question %d", n)
	if n%2 == 0 {
		if _, err := v.client.Send(ctx, parley.SendInput{SessionID: v.sessionID, Content: question}); err != nil {
			return fmt.Errorf("send: %w", err)
		}
	} else if err := v.stream(ctx, question); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	v.sent = append(v.sent, question)
	if _, err := v.client.Messages(ctx, v.sessionID, parley.Page{}); err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	file, err := v.client.Upload(ctx, v.sessionID, "notes.txt", bytes.NewReader([]byte(question)))
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	kept, err := v.client.Download(ctx, file.FileID)
	if err != nil {
		return fmt.Errorf("download: %w", err)
	}
	text, err := io.ReadAll(kept)
	if err = errors.Join(err, kept.Close()); err != nil || string(text) != question {
		return fmt.Errorf("downloaded %q: %w", text, err)
	}
	return v.client.DeleteFile(ctx, file.FileID)
}

func (v *visitor) stream(ctx context.Context, question string) error {
	s, err := v.client.Stream(ctx, parley.SendInput{SessionID: v.sessionID, Content: question})
	if err != nil {
		return err
	}
	defer s.Close()
	done := false
	for event, err := range s.Events() {
		if err != nil {
			return err
		}
		_, done = event.(client.Done)
	}
	if !done {
		return errors.New("the stream ended before the reply was done")
	}
	return nil
}

// visitors starts visitors that use a server until stop is called.
func visitors(
	t *testing.T, count int,
	register func(name string) *client.Client,
	visit func(ctx context.Context, v *visitor, n int),
) (stop func() []*visitor) {
	t.Helper()
	var all []*visitor
	over, end := context.WithCancel(t.Context())
	var going sync.WaitGroup
	for i := range count {
		v := &visitor{client: register(fmt.Sprintf("visitor%d", i))}
		v.sessionID = session(t, v.client)
		all = append(all, v)
		going.Go(func() {
			for n := 0; over.Err() == nil; n++ {
				visit(t.Context(), v, n)
			}
		})
	}
	stop = func() []*visitor {
		end()
		going.Wait()
		return all
	}
	t.Cleanup(func() { stop() })
	return stop
}

// account checks that every question with a reply is stored, in order and followed by its reply.
func (v *visitor) account(t *testing.T, exactly bool) {
	t.Helper()
	var stored []parley.Message
	for page := int64(1); ; page++ {
		out, err := v.client.Messages(t.Context(), v.sessionID, parley.Page{Number: page, Size: 200})
		must(t, err)
		stored = append(stored, out.Messages...)
		if len(out.Messages) < 200 {
			break
		}
	}
	if exactly && len(stored) != 2*len(v.sent) {
		t.Errorf("%d messages are stored, %d questions were answered", len(stored), len(v.sent))
	}
	asked := 0
	for i := 0; i+1 < len(stored); i += 2 {
		if question := stored[i].Content; stored[i+1].Content != "You said: "+question || stored[i+1].Status != "" {
			t.Errorf("%q is followed by %+v", question, stored[i+1])
		}
		if asked < len(v.sent) && v.sent[asked] == stored[i].Content {
			asked++
		}
	}
	if asked < len(v.sent) || len(stored)%2 != 0 {
		t.Errorf("of %d answered questions %d are found, in order, among %d messages", len(v.sent), asked, len(stored))
	}
}

// accountForAll waits until each visitor is served and all replies are complete. It checks what is stored and returns
// how many questions were answered.
func accountForAll(t *testing.T, visitors []*visitor) (answered int) {
	t.Helper()
	for i, v := range visitors {
		until(t, "each visitor is served", func() bool { return v.visit(t.Context(), i) == nil })
		until(t, "all replies are complete", func() bool {
			stored := messages(t, v.client, v.sessionID)
			return stored[len(stored)-1].Status == ""
		})
		v.account(t, false)
		answered += len(v.sent)
	}
	return answered
}

// TestARollingRestartFailsNoRequest replaces three replicas under load, one by one.
func TestARollingRestartFailsNoRequest(t *testing.T) {
	t.Parallel()
	_, settings := shared(t, testdb.Postgres(t))
	settings = append(settings, "PARLEY_DRAIN_DELAY=2s", "PARLEY_DRAIN_TIMEOUT=30s")
	b := newBalancer(t)
	var running []*replica
	for range 3 {
		running = append(running, b.start(t, settings...))
	}
	register := func(name string) *client.Client { return b.client(running[0].user(name)) }
	stop := visitors(t, 4, register, func(ctx context.Context, v *visitor, n int) {
		if err := v.visit(ctx, n); err != nil {
			t.Error(err)
		}
	})
	for _, old := range running {
		b.start(t, settings...)
		must(t, old.cmd.Process.Signal(syscall.SIGTERM))
		<-old.over
		if old.cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("a replica ended with %v", old.cmd.ProcessState)
		}
	}
	total := 0
	for _, v := range stop() {
		v.account(t, true)
		total += len(v.sent)
	}
	t.Logf("%d questions were answered", total)
}

func TestThreeReplicasAreOne(t *testing.T) {
	t.Parallel()
	_, settings := shared(t, testdb.Postgres(t))
	b := newBalancer(t)
	var all []*replica
	for range 3 {
		all = append(all, b.start(t, settings...))
	}
	ada := all[0].user("ada")
	sessionID := session(t, ada)
	var sends sync.WaitGroup
	for i := range 24 {
		sends.Go(func() {
			_, err := b.client(ada).Send(t.Context(), parley.SendInput{
				SessionID: sessionID,
				Content:   fmt.Sprintf("Question %d", i),
			})
			if err != nil {
				t.Errorf("question %d: %v", i, err)
			}
		})
	}
	sends.Wait()
	stored := messages(t, b.client(ada), sessionID)
	for i := 0; i+1 < len(stored); i += 2 {
		if stored[i+1].Content != "You said: "+stored[i].Content {
			t.Errorf("%q is followed by %q", stored[i].Content, stored[i+1].Content)
		}
	}
	if len(stored) != 48 {
		t.Errorf("%d messages are stored", len(stored))
	}

	for i := range all { // log in and out on each of them
		login, err := all[i].client(nil).Login(t.Context(),
			parley.LoginInput{Email: "ada@example.com", Password: "password of ada"})
		must(t, err)
		token := client.New(all[i].url).WithToken(login.Token)
		for _, r := range all {
			_, err := r.client(token).User(t.Context())
			must(t, err)
		}
		must(t, token.Logout(t.Context()))
		for _, r := range all {
			_, err := r.client(token).User(t.Context())
			var refused *client.Error
			if !errors.As(err, &refused) || refused.Code != parley.CodeBadToken {
				t.Errorf("after the logout a replica says %v", err)
			}
		}
	}
}

// TestAReplyGoesOnWhereItsReplicaLeft ends a replica while its model hangs. A client of the balancer must be able to
// follow the reply to its end.
func TestAReplyGoesOnWhereItsReplicaLeft(t *testing.T) {
	t.Parallel()
	m, settings := shared(t, testdb.Postgres(t))
	settings = append(settings, "PARLEY_DRAIN_TIMEOUT=100ms")
	b := newBalancer(t)
	maker := b.start(t, settings...)
	ada := b.client(maker.user("ada"))
	sessionID := session(t, ada)
	m.Script(aitest.Text("Half of 渡"), aitest.Hang())
	m.Script(aitest.Say("All of it.")...)
	watcher := &reader{t: t}
	broken := watcher.ask(ada, sessionID, "Half of 渡")
	b.start(t, settings...)
	must(t, maker.cmd.Process.Signal(syscall.SIGTERM))
	watcher.read(broken, nil)
	<-maker.over
	watcher.resume(ada)
	stored := messages(t, ada, sessionID)
	if len(stored) != 2 || stored[1].ID != watcher.replyID || stored[1].Content != "All of it." ||
		watcher.text != "All of it." || watcher.restarts != 1 {
		t.Errorf("stored %+v, read %+v", stored, watcher)
	}
}
