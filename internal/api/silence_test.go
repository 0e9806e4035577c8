package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/ai/aitest"
	"parley/internal/store/storetest"
	"parley/internal/testdb"
)

// silencedReplica starts two servers on one PostgreSQL. The first one reaches it through a proxy.
func silencedReplica(t *testing.T, lease time.Duration) (a, b *world, proxy *testdb.Proxy) {
	t.Helper()
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	proxy = testdb.NewProxy(t, databaseURL)
	a, b = newWorld(t, proxy.URL), newWorld(t, databaseURL)
	b.Dir, a.Lease = a.Dir, lease
	for _, w := range []*world{a, b} {
		w.start()
	}
	return a, b, proxy
}

// logs waits until the server has logged a line.
func (w *world) logs(line string) {
	w.Helper()
	w.eventually("it logs "+line, func() bool { return strings.Contains(w.Log.String(), line) })
}

// TestAShortSilenceOfPostgreSQLDelaysAReply makes PostgreSQL silent for one replica, without a reset. PostgreSQL
// comes back within the lease, on new connections only.
func TestAShortSilenceOfPostgreSQLDelaysAReply(t *testing.T) {
	a, b, proxy := silencedReplica(t, time.Minute)
	ada := a.user("ada")
	session := a.session(ada, "")
	more, end := make(gate), make(gate)
	a.Model.Script(aitest.Text("Half"), aitest.Wait(more), aitest.Text(" more"), aitest.Wait(end), aitest.Text("."),
		aitest.End())
	here := a.ask(ada, session, "Is it?")
	there := b.follow(b.again(ada), here.started(), "")
	there.started()
	there.wants(event{"1.0.4", "delta", `{"text":"Half"}`})

	proxy.Silence()
	more.open()
	a.logs("save progress")
	proxy.Restore()
	there.wants(event{"1.0.9", "delta", `{"text":" more"}`})
	end.open()
	for name, s := range map[string]*wireStream{"its client": here, "a follower": there} {
		events := s.rest()
		if slices.Contains(names(events), "restart") || events[len(events)-1].Name != "done" {
			t.Errorf("%s got %v", name, events)
		}
	}
	if stored := b.messages(b.again(ada), session); len(stored) != 2 || stored[1].Content != "Half more." {
		t.Errorf("stored: %+v", stored)
	}
	a.asked(1)
	b.asked(0)
	a.say(ada, session, "And now?")
	b.noOrphans(b.again(ada))
}

// TestALongSilenceOfPostgreSQLMovesAReply makes PostgreSQL silent for one replica for longer than its lease. The
// other replica generates the reply. Afterwards the first one must work again.
func TestALongSilenceOfPostgreSQLMovesAReply(t *testing.T) {
	a, b, proxy := silencedReplica(t, 0)
	ada := a.user("ada")
	session := a.session(ada, "")
	held := make(gate)
	a.Model.Script(aitest.Text("Old"), aitest.Wait(held), aitest.Text(" words"), aitest.End())
	b.Model.Script(aitest.Say("New words.")...)
	here := a.ask(ada, session, "Is it?")
	replyID := here.started()
	here.wants(event{"1.0.3", "delta", `{"text":"Old"}`})

	proxy.Silence()
	b.leasesRunOut()
	b.eventually("the other replica has completed the reply", func() bool {
		stored := b.messages(b.again(ada), session)
		return len(stored) == 2 && stored[1].ID == replyID && stored[1].Content == "New words."
	})
	proxy.Restore()
	here.wants(event{"2.0.0", "restart", `{}`}, event{"2.0.10", "delta", `{"text":"New words."}`})
	if got := names(here.rest()); !slices.Equal(got, []string{"done"}) {
		t.Errorf("got %v at the end", got)
	}
	database := b.database()
	b.eventually("both replicas have a lease", func() bool {
		var alive int
		b.must(database.QueryRowContext(t.Context(), `SELECT count(*) FROM owners
			WHERE lease_until > extract(epoch FROM clock_timestamp()) * 1000000`).Scan(&alive))
		return alive == 2
	})
	a.say(ada, session, "And now?")
	if stored := b.messages(b.again(ada), session); len(stored) != 4 {
		t.Errorf("stored: %+v", stored)
	}
	b.noOrphans(b.again(ada))
}
