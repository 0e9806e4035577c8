package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/store/storetest"
)

// replicas starts two servers on one database and one folder. Each has its own model.
func replicas(t *testing.T) (a, b *world) {
	t.Helper()
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	a, b = newWorld(t, databaseURL), newWorld(t, databaseURL)
	b.Dir = a.Dir
	for _, w := range []*world{a, b} {
		w.start()
	}
	return a, b
}

// leasesRunOut expires the leases of all replicas. Running replicas renew theirs.
func (w *world) leasesRunOut() {
	w.Helper()
	_, err := w.database().ExecContext(w.Context(), `UPDATE owners SET lease_until = 0`)
	w.must(err)
}

func TestAReplyIsFollowedOnAnotherReplica(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	session := a.session(ada, "")
	g := make(gate)
	a.Model.Script(aitest.Thinking("Hm"), aitest.Text("Well 渡"), aitest.Wait(g), aitest.Text(", yes."), aitest.End())
	here := a.ask(ada, session, "Is it?")
	replyID := here.started()
	there, ahead := b.follow(b.again(ada), replyID, ""), b.follow(b.again(ada), replyID, "1.2.6")
	if got := there.started(); got != replyID {
		t.Errorf("started %s, want %s", got, replyID)
	}
	there.wants(event{"1.2.0", "thinking", `{"text":"Hm"}`}, event{"1.2.6", "delta", `{"text":"Well 渡"}`})
	if shown := b.messages(b.again(ada), session); shown[1].Content != "Well 渡" ||
		shown[1].Status != parley.StatusPending {
		t.Errorf("the other replica shows %+v", shown[1])
	}
	g.open()
	for name, s := range map[string]*wireStream{"from the beginning": there, "from where the maker was": ahead} {
		events := s.rest()
		if text(events, "delta") != ", yes." || slices.Contains(names(events), "restart") ||
			events[len(events)-1].Name != "done" {
			t.Errorf("%s: got %v", name, events)
		}
	}
	here.rest()
}

// TestAnotherReplicaTakesOver stops a replica in the middle of a reply. The other one generates the reply again.
// Later writes of the first one must change nothing.
func TestAnotherReplicaTakesOver(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	session := a.session(ada, "")
	held, goesOn := make(gate), make(gate)
	a.Model.Script(aitest.Text("Old"), aitest.Wait(held), aitest.Text(" words"), aitest.End())
	b.Model.Script(aitest.Text("New"), aitest.Wait(goesOn), aitest.Text(" words."), aitest.End())
	s := a.ask(ada, session, "Is it?")
	replyID := s.started()
	s.wants(event{"1.0.3", "delta", `{"text":"Old"}`})
	question := a.messages(ada, session)[0]
	watching := b.follow(b.again(ada), replyID, "1.0.3")

	a.pause()
	b.leasesRunOut()
	resumed := b.follow(b.again(ada), replyID, "1.0.3")
	for _, reader := range []*wireStream{watching, resumed} {
		reader.wants(event{"2.0.0", "restart", `{}`}, event{"2.0.3", "delta", `{"text":"New"}`})
	}
	held.open() // the first replica wakes up and finishes its own reply
	a.Drain = patience
	a.stop()
	if during := b.messages(b.again(ada), session); during[1].Status != parley.StatusPending ||
		strings.Contains(during[1].Content, "Old") {
		t.Errorf("a late write took effect: %+v", during[1])
	}
	goesOn.open()
	for _, reader := range []*wireStream{watching, resumed} {
		reader.wants(event{"2.0.10", "delta", `{"text":" words."}`})
		if got := names(reader.rest()); !slices.Equal(got, []string{"done"}) {
			t.Errorf("got %v at the end", got)
		}
	}
	stored := b.messages(b.again(ada), session)
	if len(stored) != 2 || stored[0].ID != question.ID || stored[1].ID != replyID || stored[1].Content != "New words." {
		t.Errorf("stored: %+v", stored)
	}
	b.say(b.again(ada), session, "And now?")
	b.noOrphans(b.again(ada))
}

// TestATurnFailsAfterThreeAttempts stops one process after another in the middle of a reply.
func TestATurnFailsAfterThreeAttempts(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	var ada *client.Client
	var session, replyID string
	dir := t.TempDir()
	start := func() *world {
		w := newWorld(t, databaseURL)
		w.Dir = dir
		w.Model.Respond(func(aitest.Request) []aitest.Step { return []aitest.Step{aitest.Hang()} })
		w.start()
		return w
	}
	for attempt := range 3 {
		w := start()
		if attempt == 0 {
			ada = w.user("ada")
			session = w.session(ada, "")
			replyID = w.ask(ada, session, "Is it?").started()
		}
		w.asked(1)
		w.pause()
		w.leasesRunOut()
	}
	w := start()
	w.follow(w.again(ada), replyID, "").fails(parley.CodeAIUnavailable)
	if stored := w.messages(w.again(ada), session); len(stored) != 0 || len(w.Model.Requests()) != 0 {
		t.Errorf("stored %+v, asked the model %d times", stored, len(w.Model.Requests()))
	}
}

func TestStopReachesTheReplicaThatMakesTheReply(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	session := a.session(ada, "")
	left := make(chan struct{})
	a.Model.Script(aitest.Text("Well"), aitest.Gone(left))
	s := a.ask(ada, session, "Is it?")
	replyID := s.started()
	s.wants(event{"1.0.4", "delta", `{"text":"Well"}`})
	a.must(b.again(ada).Stop(t.Context(), replyID))
	<-left
	if stored := b.messages(b.again(ada), session); len(stored) != 2 || stored[1].Content != "Well" ||
		stored[1].Status != parley.StatusStopped {
		t.Errorf("stored: %+v", stored)
	}
	if got := names(s.rest()); !slices.Equal(got, []string{"done"}) {
		t.Errorf("the stream ended with %v", got)
	}

	a.Model.Script(aitest.Hang()) // before the first word
	s = a.ask(ada, session, "And now?")
	a.must(b.again(ada).Stop(t.Context(), s.started()))
	s.fails(parley.CodeSendFailed)
	b.noOrphans(b.again(ada))
}

func TestEndingASessionReachesTheReplicaThatMakesTheReply(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	for _, end := range []func(string) error{
		func(session string) error { return b.again(ada).ClearSession(t.Context(), session) },
		func(session string) error { return b.again(ada).DeleteSession(t.Context(), session) },
	} {
		session := a.session(ada, "")
		left := make(chan struct{})
		a.Model.Script(aitest.Text("Well"), aitest.Gone(left))
		s := a.ask(ada, session, "Is it?")
		there := b.follow(b.again(ada), s.started(), "")
		there.started()
		a.must(end(session))
		s.fails(parley.CodeSendFailed)
		there.fails(parley.CodeSendFailed)
		<-left
		a.noOrphans(ada)
	}
}

func TestALogoutEndsStreamsOnOtherReplicas(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	g := make(gate)
	a.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.End())
	s := a.ask(ada, a.session(ada, ""), "Is it?")
	there := b.follow(b.again(ada), s.started(), "")
	there.started()
	a.must(b.again(ada).Logout(t.Context()))
	s.fails(parley.CodeBadToken)
	there.fails(parley.CodeBadToken)
	_, err := ada.User(t.Context())
	a.wants(err, parley.CodeBadToken, 401)
}

func TestASessionWrittenOnTwoReplicasKeepsOneOrder(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	session := a.session(ada, "")
	var all sync.WaitGroup
	for i := range 16 {
		w := []*world{a, b}[i%2]
		all.Go(func() {
			question := fmt.Sprintf("Question %d", i)
			if _, err := w.again(ada).Send(t.Context(), parley.SendInput{SessionID: session, Content: question}); err != nil {
				t.Errorf("%s: %v", question, err)
			}
		})
	}
	all.Wait()
	a.inPairs(a.messages(ada, session), 16)
	b.noOrphans(b.again(ada))
}

func TestAKeyHoldsOnEveryReplica(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	session := a.session(ada, "")
	key := client.WithIdempotencyKey("one")
	g := make(gate)
	a.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.End())
	first := a.sending(ada, session, "Is it?", key)
	a.asked(1)
	second := b.sending(b.again(ada), session, "Is it?", key)
	g.open()
	one, two := <-first, <-second
	if one.err != nil || two.err != nil || one.AIResponse.ID != two.AIResponse.ID || two.AIResponse.Content != "Well" {
		t.Errorf("got %+v and %+v", one, two)
	}
	if asked := len(b.Model.Requests()); asked != 0 {
		t.Errorf("the other replica asked its model %d times", asked)
	}
}

// TestAFailedRegenerateIsSeenOnEveryReplica follows a regenerated reply from another replica. The old text must be
// restored, and the stream must end with the error.
func TestAFailedRegenerateIsSeenOnEveryReplica(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	session := a.session(ada, "")
	replyID := a.say(ada, session, "Is it?").AIResponse.ID
	g := make(gate)
	a.Model.Script(aitest.Text("Half"), aitest.Wait(g), aitest.Cut())
	outcome := make(chan error, 1)
	go func() {
		_, err := ada.Regenerate(t.Context(), session, parley.RegenerateInput{})
		outcome <- err
	}()
	a.asked(2)
	there := b.follow(b.again(ada), replyID, "")
	if got := there.next(); got.Name != "start" {
		t.Fatalf("got %v", got)
	}
	there.wants(event{"2.0.4", "delta", `{"text":"Half"}`})
	g.open()
	a.wants(<-outcome, parley.CodeAIUnavailable, 503)
	there.fails(parley.CodeAIUnavailable)
	for _, w := range []*world{a, b} {
		for lastID, want := range map[string][]string{"": {"start", "delta", "done"}, "2.0.4": {"restart", "delta", "done"}} {
			events := w.follow(w.again(ada), replyID, lastID).rest()
			if !slices.Equal(names(events), want) || text(events, "delta") != "You said: Is it?" {
				t.Errorf("from %q: got %v", lastID, events)
			}
		}
	}
}
