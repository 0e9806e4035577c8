package search_test

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/db/dbtest"
	"parley/internal/search"
	"parley/internal/store"
)

func TestAKeywordIsFoundInAnyScript(t *testing.T) {
	texts := []string{
		"Which FERRY to Capri?", "去卡普里岛的渡船", "100% sure_thing", `say "hello" OR world*`, "Straße", "İstanbul", "ΟΔΥΣΣΕΥΣ",
		"Cafe\u0301", "🚢 ahoy", "a  b", "русский ТЕКСТ", "שלום", "tab\tnew\nline", "x' OR '1'='1", "NEAR(a b)",
	}
	found := map[string][]string{
		"ferry": {"Which FERRY to Capri?"}, "FERRY TO": {"Which FERRY to Capri?"}, "渡": {"去卡普里岛的渡船"}, "普里": {"去卡普里岛的渡船"},
		"岛的渡": {"去卡普里岛的渡船"}, "%": {"100% sure_thing"}, "_": {"100% sure_thing"}, "0% s": {"100% sure_thing"},
		`"hello" or`: {`say "hello" OR world*`}, "d*": {`say "hello" OR world*`},
		"strasse": {"Straße"}, "STRASSE": {"Straße"}, "ß": {"Straße"},
		"i̇stan": {"İstanbul"}, "οδυσσευς": {"ΟΔΥΣΣΕΥΣ"}, "CAFÉ": {"Cafe\u0301"}, "cafe": {},
		"🚢": {"🚢 ahoy"}, "🚢 a": {"🚢 ahoy"},
		"a  b": {"a  b"}, " b": {"NEAR(a b)", "a  b"},
		"Текст": {"русский ТЕКСТ"}, "שלום": {"שלום"}, "b\tn": {"tab\tnew\nline"},
		"' or '1'='": {"x' OR '1'='1"}, "near(": {"NEAR(a b)"}, "secret": {}, "absent": {}, strings.Repeat("ferry ", 160): {},
	}
	each(t, func(t *testing.T, w *world) {
		for _, indexed := range []int{0, len(texts) / 2, len(texts)} {
			ada, bob := w.user(), w.user()
			for i, text := range texts {
				if i == indexed {
					w.update()
				}
				w.say(ada, w.session(ada, text), text, "ok")
				w.say(bob, w.session(bob, text), "secret", text)
			}
			if indexed == len(texts) {
				w.update()
			}
			for keyword, want := range found {
				titles, total := w.found(ada, keyword, parley.Page{Number: 1, Size: 50})
				if slices.Sort(titles); !slices.Equal(titles, want) || total != int64(len(want)) {
					t.Errorf("%d texts indexed, %q: %q of %d, want %q", indexed, keyword, titles, total, want)
				}
			}
		}
	})
}

// Blank sessions, other untitled sessions and those that match are listed in one order,
// whether many match or few.
func TestSessionsWithoutATitleAreFoundAmongTheOthers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, matching := range []int{0, 3, 40} {
			user := w.user()
			var want []string
			add := func(title string, found bool) string {
				session := w.session(user, title)
				if found {
					want = append(want, session)
				}
				return session
			}
			for i := range 40 {
				add("", true)
				add("Ferries", false)
				if i < matching {
					add("A new ferry", true)
				}
			}
			w.say(user, add("", true), "no title", "nor anything new")
			slices.Reverse(want)
			w.update()
			for _, size := range []int64{1, 7, 200} {
				got := []string{}
				for number := int64(1); ; number++ {
					keyword := search.Keyword{Key: "new", Untitled: true}
					page, total, err := w.index.Find(t.Context(), user, keyword, parley.Page{Number: number, Size: size})
					w.must(err)
					if total != int64(len(want)) {
						t.Fatalf("%d match: found %d in all, want %d", matching, total, len(want))
					}
					if len(page) == 0 {
						break
					}
					for _, session := range page {
						got = append(got, session.ID)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d match, in pages of %d: %v, want %v", matching, size, got, want)
				}
			}
			titles, total := w.found(user, "new", parley.Page{Number: 1, Size: 200})
			if total != int64(matching)+1 || len(titles) != matching+1 {
				t.Errorf("%d match: found %q of %d by their texts", matching, titles, total)
			}
		}
	})
}

func TestASearchFollowsEveryChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		expect := func(keyword string, want bool) {
			t.Helper()
			for _, when := range []string{"before", "after"} {
				if _, total := w.found(user, keyword, parley.Page{Number: 1, Size: 1}); (total == 1) != want {
					t.Errorf("%s the index, %q: found is %v", when, keyword, !want)
				}
				w.update()
			}
		}
		turn := w.begin(user, session, "Which ferry?")
		expect("ferry", true) // the question of an open turn
		w.must(w.FinishTurn(t.Context(), turn, "The slow one", parley.Details{}))
		expect("slow", true)
		redo, err := w.BeginTurn(t.Context(), store.NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
		w.must(err)
		expect("slow", true)
		w.must(w.FinishTurn(t.Context(), redo, "The fast one", parley.Details{}))
		expect("slow", false)
		expect("fast", true)
		w.must(w.UpdateSession(t.Context(), user, session, store.SessionChange{Title: new("Capri")}))
		expect("capri", true)
		w.must(w.UpdateSession(t.Context(), user, session, store.SessionChange{Title: new("Ischia")}))
		expect("capri", false)
		expect("ischia", true)
		failing := w.begin(user, session, "a question that fails")
		expect("fails", true)
		w.must(w.FailTurn(t.Context(), failing, failure, w.tick()))
		expect("fails", false)
		w.must(w.ClearSession(t.Context(), user, session))
		expect("ferry", false)
		expect("ischia", true)
		w.say(user, session, "Which ferry back?", "None") // the same numbers again
		expect("ferry", true)
		w.must(w.DeleteSession(t.Context(), user, session))
		expect("ferry", false)
	})
}

func TestOnlyAMessageThatMatchesGivesASnippet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.say(user, w.session(user, "Ferries"), "about ferries", "ok")
		w.say(user, w.session(user, "Other"), "hello", "Some ferries leave")
		for range 2 {
			page := parley.Page{Number: 1, Size: 10}
			sessions, total, err := w.index.Find(t.Context(), user, search.Keyword{Key: "ferries"}, page)
			w.must(err)
			if total != 2 || sessions[0].Snippet != "Some ferries leave" || sessions[1].Snippet != "" {
				t.Errorf("found %+v", sessions)
			}
			w.update()
		}
	})
}

// While a reply is regenerated, its question is read again, since a search does not know whether it is indexed.
func TestASnippetIsOfAMessageThatMatches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Other")
		w.say(user, session, "hello", "渡船")
		w.update()
		_, err := w.BeginTurn(t.Context(), store.NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
		w.must(err)
		found, _, err := w.index.Find(t.Context(), user, search.Keyword{Key: "船"}, parley.Page{Number: 1, Size: 1})
		w.must(err)
		if len(found) != 1 || found[0].Snippet != "渡船" {
			t.Errorf("found %+v", found)
		}
	})
}

func TestPagesOfASearchFollowEachOther(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for i := range 7 {
			w.session(user, numbered("ferry", i))
			w.session(user, "other")
		}
		for round := range 2 {
			var got []string
			for page := int64(1); page <= 4; page++ {
				titles, total := w.found(user, "er", parley.Page{Number: page, Size: 2})
				if total != 14 {
					t.Errorf("page %d of %d", page, total)
				}
				got = append(got, titles...)
			}
			if strings.Join(got, ",") != "other,ferry 6,other,ferry 5,other,ferry 4,other,ferry 3" {
				t.Errorf("round %d: pages are %v", round, got)
			}
			titles, total := w.found(user, "ferr", parley.Page{Number: 1_000_000_000_000_000_000, Size: 200})
			if len(titles) != 0 || total != 7 {
				t.Errorf("past the end: %v of %d", titles, total)
			}
			w.update()
		}
	})
}

// A text that has the keyword's grams but does not contain it is not found.
func TestAFalseFriendIsNotFound(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.session(user, "abc bcd") // has ab, bc, cd, but not abcd
		w.session(user, "abcd")
		for range 2 {
			if titles, total := w.found(user, "abcd", parley.Page{Number: 1, Size: 10}); total != 1 || titles[0] != "abcd" {
				t.Errorf("found %v of %d", titles, total)
			}
			w.update()
		}
	})
}

// Until the indexer runs, the blocks still have the deleted session.
func TestADeletedSessionIsNotCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		w.say(user, session, "Which ferry?", "This ferry")
		w.session(user, "Another ferry")
		w.update()
		w.must(w.DeleteSession(t.Context(), user, session))
		for range 2 {
			if titles, total := w.found(user, "ferr", parley.Page{Number: 1, Size: 10}); total != 1 || len(titles) != 1 {
				t.Errorf("found %v of %d", titles, total)
			}
			w.update()
		}
	})
}

// If most sessions match, the page is found among the latest, else in the list of matches.
func TestPagesAreTheSameHoweverManyMatch(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		var all []string
		for i := range 60 {
			w.session(user, numbered("ferry", i))
			all = append(all, numbered("ferry", i))
		}
		slices.Reverse(all)
		check := func() {
			t.Helper()
			for _, size := range []int64{1, 3, 7, 20, 200} {
				for page := int64(1); page <= 62/size+1; page++ {
					from := min((page-1)*size, 60)
					want := all[from:min(from+size, 60)]
					titles, total := w.found(user, "ferry", parley.Page{Number: page, Size: size})
					if total != 60 || !slices.Equal(titles, want) {
						t.Errorf("page %d of %d: %v of %d, want %v", page, size, titles, total, want)
					}
				}
			}
		}
		check()
		for i := range 30 {
			w.session(user, numbered("train", i))
		}
		check()
	})
}

// The cost of a long session in the queue is proportional to its texts.
func TestALongSessionThatIsQueuedIsSearchedInFewStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		for i := range 3 * search.TextsAtOnce {
			w.say(user, session, numbered("question", i), numbered("reply", i))
		}
		x := dbtest.Explain(t, w.database)
		_, total := w.found(user, numbered("reply", 3*search.TextsAtOnce-1), parley.Page{Number: 1, Size: 1})
		x.Stop()
		if n := x.Count[search.TextsQuery]; total != 1 || n != 6 {
			t.Errorf("%d are found with %d statements for 384 texts", total, n)
		}
	})
}
