package api_test

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/store/storetest"
)

// isTitle reports whether a request asks for a title.
func isTitle(r aitest.Request) bool { return strings.HasPrefix(r.System(), "You name conversations.") }

// namedBy makes the model answer requests for a title with steps.
func (w *world) namedBy(steps ...aitest.Step) {
	w.Model.Respond(func(r aitest.Request) []aitest.Step {
		if isTitle(r) {
			return steps
		}
		return aitest.Echo(r)
	})
}

// titleRequests returns the requests for titles.
func (w *world) titleRequests() []aitest.Request {
	return slices.DeleteFunc(w.Model.Requests(), func(r aitest.Request) bool { return !isTitle(r) })
}

func (w *world) title(c *client.Client, sessionID string) string {
	w.Helper()
	session, err := c.Session(w.Context(), sessionID)
	w.must(err)
	return session.Title
}

func TestAModelGivesASessionItsTitle(t *testing.T) {
	eachWith(t, func(w *world) { w.Titles = true }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		asked := make(gate)
		w.namedBy(append([]aitest.Step{aitest.Wait(asked)}, aitest.Say("\"Island ", "ferries.\"")...)...)
		w.say(ada, session, "which boat goes to capri?\n"+strings.Repeat("please ", 1000))
		if got := w.title(ada, session); got != "which boat goes to capri?" {
			w.Errorf("before the model has named it: %q", got)
		}
		w.say(ada, session, "And back?") // it does not wait for the title
		asked.open()
		w.eventually("the session is named", func() bool { return w.title(ada, session) == "Island ferries" })
		for _, stage := range []string{"just named", "indexed"} {
			if !slices.Equal(w.hits(ada, "island"), []string{"Island ferries"}) {
				w.Errorf("%s: the search does not find the new title", stage)
			}
			w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
		}
		requests := w.titleRequests()
		if len(requests) != 1 {
			w.Fatalf("the model was asked for %d titles", len(requests))
		}
		r := requests[0]
		if r.Model != "upstream "+parley.ModelBasic || r.DeepThinking() || len(r.Messages) != 2 || len(r.Body) > 3000 {
			w.Errorf("the request is %s", r.Body)
		}
		if !strings.Contains(r.Question(), "which boat") || !strings.Contains(r.Question(), "You said: which boat") {
			w.Errorf("the model got %q", r.Question())
		}
	})
}

func TestATitleOfItsUserStays(t *testing.T) {
	eachWith(t, func(w *world) { w.Titles = true }, func(w *world) {
		w.namedBy(aitest.Say("The model's")...)
		ada := w.user("ada")
		mine, renamed, left := w.session(ada, "Mine"), w.session(ada, ""), w.session(ada, "")
		w.say(ada, mine, "A question")
		w.must(ada.RenameSession(w.Context(), renamed, parley.RenameSessionInput{Title: "Renamed"}))
		w.say(ada, renamed, "A question")
		w.say(ada, left, "A question") // the last one in the queue
		w.eventually("the last one is named", func() bool { return w.title(ada, left) == "The model's" })
		if a, b := w.title(ada, mine), w.title(ada, renamed); a != "Mine" || b != "Renamed" {
			w.Errorf("the titles are %q and %q", a, b)
		}
		if got := len(w.titleRequests()); got != 1 {
			w.Errorf("the model was asked for %d titles", got)
		}
	})
}

func TestASessionIsRenamedOnAnotherReplica(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	a, b := newWorld(t, databaseURL), newWorld(t, databaseURL)
	b.Dir, a.Titles, b.Titles = a.Dir, true, true
	a.start()
	b.start()
	ada := a.user("ada")
	session, other := a.session(ada, ""), a.session(ada, "")
	asked, renamed := make(chan struct{}), make(gate)
	a.namedBy(append([]aitest.Step{aitest.Reached(asked), aitest.Wait(renamed)}, aitest.Say("The model's")...)...)
	a.say(ada, session, "A question")
	<-asked
	b.must(b.again(ada).RenameSession(b.Context(), session, parley.RenameSessionInput{Title: "Mine"}))
	renamed.open()
	b.namedBy(aitest.Say("Of the other replica")...)
	b.say(b.again(ada), other, "A question")
	a.eventually("the other one is named", func() bool { return a.title(ada, other) == "Of the other replica" })
	a.stop() // waits until the title is stored
	if got := b.title(b.again(ada), session); got != "Mine" {
		t.Errorf("the title is %q", got)
	}
}

// TestNoTitleIsMadeOverTheQuota has the session of a user without a quota named, but not the session of a user with a
// used-up quota.
func TestNoTitleIsMadeOverTheQuota(t *testing.T) {
	eachWith(t, func(w *world) {
		w.Titles = true
		w.Settings.Quota = parley.Quota{Tokens: 1}
	}, func(w *world) {
		ada, bob := w.user("ada"), w.user("bob")
		w.must(w.admin("eve").SetUserQuota(w.Context(), w.id(bob), parley.QuotaInput{Quota: "none"}))
		w.namedBy(aitest.Say("Ferries")...)
		first, second := w.session(ada, ""), w.session(bob, "")
		w.say(ada, first, "which boat?") // this uses up the quota
		w.say(bob, second, "which train?")
		w.eventually("the second session is named", func() bool { return w.title(bob, second) == "Ferries" })
		if got := w.titleRequests(); len(got) != 1 || w.title(ada, first) != "which boat?" {
			w.Errorf("the model was asked for %d titles, the first session is %q", len(got), w.title(ada, first))
		}
	})
}
