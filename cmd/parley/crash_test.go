package main_test

import (
	"errors"
	"io"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

// reader follows a reply, over several connections if needed.
type reader struct {
	t        *testing.T
	replyID  string
	lastID   string
	text     string
	restarts int
	done     bool
}

// read reads events until the reply is done, the connection is lost or enough returns true.
func (r *reader) read(s *client.Stream, enough func() bool) {
	r.t.Helper()
	for event, err := range s.Events() {
		if err != nil {
			var failed *client.Error
			if errors.As(err, &failed) {
				r.t.Fatalf("the reply failed: %v", err)
			}
			return // the connection is lost
		}
		r.lastID = s.LastEventID()
		switch event := event.(type) {
		case client.Start:
			r.replyID = event.MessageID
		case client.Delta:
			r.text += event.Text
		case client.Restart:
			r.text = ""
			r.restarts++
		case client.Done:
			r.done = true
		}
		if enough != nil && enough() {
			return
		}
	}
}

// resume continues after the last event and reads to the end of the reply.
func (r *reader) resume(c *client.Client) {
	r.t.Helper()
	s, err := c.Follow(r.t.Context(), r.replyID, r.lastID)
	must(r.t, err)
	defer s.Close()
	r.read(s, nil)
	if !r.done {
		r.t.Fatal("the stream ended before the reply was done")
	}
}

// ask sends a question and streams the reply until its text is want.
func (r *reader) ask(c *client.Client, sessionID, want string) *client.Stream {
	r.t.Helper()
	s, err := c.Stream(r.t.Context(), parley.SendInput{SessionID: sessionID, Content: "Is it?"})
	must(r.t, err)
	r.t.Cleanup(func() { s.Close() })
	r.read(s, func() bool { return r.text == want })
	if r.text != want {
		r.t.Fatalf("got %q before the crash, want %q", r.text, want)
	}
	return s
}

// model returns a model server and the settings to use it.
func model(t *testing.T) (*aitest.Server, []string) {
	m := aitest.New(t)
	return m, []string{"PARLEY_AI_BASE_URL=" + m.URL, "PARLEY_AI_MODEL=test"}
}

func TestAReplySurvivesThePowerCut(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		m, settings := model(t)
		settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+databaseURL)
		p := start(t, settings...)
		ada := p.user("ada")
		sessionID := session(t, ada)
		earlier, err := ada.Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: "Hello"})
		must(t, err)
		m.Script(aitest.Text("Half of 渡"), aitest.Hang())
		m.Script(aitest.Say("All of it, ", "渡 and ", "the rest.")...)
		watcher := &reader{t: t}
		broken := watcher.ask(ada, sessionID, "Half of 渡")
		p.kill()
		watcher.read(broken, nil)
		if watcher.done {
			t.Fatal("the reply was done before the crash")
		}

		ada = start(t, settings...).client(ada)
		stored := complete(t, ada, sessionID, 4) // without a request for it
		watcher.resume(ada)
		if stored[0].ID != earlier.UserMessageID || stored[1].ID != earlier.AIResponse.ID ||
			stored[1].Content != "You said: Hello" {
			t.Errorf("what was there before is %+v", stored[:2])
		}
		if stored[3].ID != watcher.replyID || stored[3].Content != "All of it, 渡 and the rest." ||
			watcher.text != stored[3].Content || watcher.restarts != 1 {
			t.Errorf("stored %+v, read %+v", stored[3], watcher)
		}
	})
}

// complete waits until a session has count messages and none is pending.
func complete(t *testing.T, c *client.Client, sessionID string, count int) []parley.Message {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < patience; <-tick.C {
		stored := messages(t, c, sessionID)
		if len(stored) == count && stored[count-1].Status == "" {
			return stored
		}
	}
	t.Fatal("the reply was not completed")
	return nil
}

// TestAnotherProcessFinishesTheReply runs two processes and kills the one that generates the reply.
func TestAnotherProcessFinishesTheReply(t *testing.T) {
	t.Parallel()
	m, settings := model(t)
	settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+testdb.Postgres(t))
	maker, other := start(t, settings...), start(t, settings...)
	ada := maker.user("ada")
	sessionID := session(t, ada)
	m.Script(aitest.Text("Half of 渡"), aitest.Hang())
	m.Script(aitest.Say("All of it.")...)
	watcher := &reader{t: t}
	broken := watcher.ask(ada, sessionID, "Half of 渡")
	maker.kill()
	watcher.read(broken, nil)
	watcher.resume(other.client(ada))
	stored := messages(t, other.client(ada), sessionID)
	if len(stored) != 2 || stored[1].ID != watcher.replyID || stored[1].Content != "All of it." ||
		watcher.text != "All of it." || watcher.restarts != 1 {
		t.Errorf("stored %+v, read %+v", stored, watcher)
	}
}

// TestAStoppedProcessWakesUpTooLate stops a process for longer than its lease. Another process generates the reply
// again. Later writes of the first one must have no effect.
func TestAStoppedProcessWakesUpTooLate(t *testing.T) {
	t.Parallel()
	m, settings := model(t)
	settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+testdb.Postgres(t))
	stopped, other := start(t, settings...), start(t, settings...)
	ada := stopped.user("ada")
	sessionID := session(t, ada)
	woken := make(chan struct{})
	m.Script(aitest.Text("Old"), aitest.Wait(woken), aitest.Text(" words."), aitest.End())
	m.Script(aitest.Say("New words.")...)
	watcher := &reader{t: t}
	late := watcher.ask(ada, sessionID, "Old")
	must(t, stopped.cmd.Process.Signal(syscall.SIGSTOP))
	watcher.resume(other.client(ada))
	close(woken)
	must(t, stopped.cmd.Process.Signal(syscall.SIGCONT))
	(&reader{t: t}).read(late, nil) // to its end
	for _, p := range []*process{stopped, other} {
		_, err := p.client(ada).Send(t.Context(), parley.SendInput{SessionID: sessionID, Content: "And now?"})
		must(t, err)
	}
	stored := messages(t, ada, sessionID)
	if len(stored) != 6 || stored[1].ID != watcher.replyID || stored[1].Content != "New words." ||
		watcher.text != "New words." || watcher.restarts != 1 {
		t.Errorf("stored %+v, read %+v", stored, watcher)
	}
}

func TestShuttingDownLetsRepliesFinish(t *testing.T) {
	t.Parallel()
	m, settings := model(t)
	settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DRAIN_TIMEOUT=60s")
	p := start(t, settings...)
	ada := p.user("ada")
	sessionID := session(t, ada)
	finish := make(chan struct{})
	m.Script(aitest.Text("Well"), aitest.Wait(finish), aitest.Text(", yes."), aitest.End())
	watcher := &reader{t: t}
	s := watcher.ask(ada, sessionID, "Well")
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	for { // until it takes no more requests
		if _, err := p.client(ada).User(t.Context()); err != nil {
			break
		}
	}
	close(finish)
	watcher.read(s, nil)
	if <-p.over; !watcher.done || watcher.text != "Well, yes." || p.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("read %+v; %v", watcher, p.cmd.ProcessState)
	}
	stored := messages(t, start(t, settings...).client(ada), sessionID)
	if len(stored) != 2 || stored[1].Content != "Well, yes." || stored[1].Status != "" || len(m.Requests()) != 1 {
		t.Errorf("stored %+v; the model was asked %d times", stored, len(m.Requests()))
	}
}

// TestWhatIsNotFinishedInTimeIsLeftToTheNextProcess shuts down while the model hangs. The stream ends without an
// error event because the reply has not failed.
func TestWhatIsNotFinishedInTimeIsLeftToTheNextProcess(t *testing.T) {
	t.Parallel()
	m, settings := model(t)
	settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DRAIN_TIMEOUT=100ms")
	p := start(t, settings...)
	ada := p.user("ada")
	sessionID := session(t, ada)
	m.Script(aitest.Text("Half"), aitest.Hang())
	m.Script(aitest.Say("All of it.")...)
	watcher := &reader{t: t}
	s := watcher.ask(ada, sessionID, "Half")
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	for _, err := range s.Events() {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %v, want the stream to be cut off", err)
		}
	}
	if <-p.over; p.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("%v", p.cmd.ProcessState)
	}
	watcher.resume(start(t, settings...).client(ada))
	if watcher.text != "All of it." || watcher.restarts != 1 {
		t.Errorf("read %+v", watcher)
	}
}
