package store

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/casefold"
	"parley/internal/testdb"
)

// letters are few, so that keywords often occur, and of many kinds.
var letters = []rune("aAbBß ẞsSkKéÉe\u0301iİıΣσς渡船🚢 \n\u3000%_\"*^")

func texts() *rapid.Generator[string] { return rapid.StringOfN(rapid.SampledFrom(letters), 0, 40, -1) }

func keywords() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom(letters), 1, 5, -1).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
}

func TestASnippetShowsTheMatch(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, c := range []struct{ text, keyword, want string }{
		{"The ferry leaves", "FERRY", "The ferry leaves"},
		{long + " ferry " + long, "ferry", "…" + long[:59] + " ferry " + long[:59] + "…"},
		{strings.Repeat("岛", 100) + "渡船" + strings.Repeat("岛", 100), "渡船", "…" + strings.Repeat("岛", 60) + "渡船" + strings.Repeat("岛", 60) + "…"},
		{"one\n\n two\t\tthree", "two", "one two three"},
		{"🚢🚢 ship", "ship", "🚢🚢 ship"},
		{"Cafe\u0301 noir", "é", "Cafe\u0301 noir"},
		{"Hauptstraße", "STRASSE", "Hauptstraße"},
		{"İstanbul", "i", "İstanbul"},
		{"ΟΔΥΣΣΕΥΣ", "ς", "ΟΔΥΣΣΕΥΣ"},
	} {
		if got := snippet(c.text, casefold.Key(c.keyword)); got != c.want {
			t.Errorf("%q in %.30q: %q, want %q", c.keyword, c.text, got, c.want)
		}
	}
}

func TestASnippetIsShortAndHoldsTheKeyword(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keyword := keywords().Draw(t, "keyword")
		text := strings.Join(rapid.SliceOfN(texts(), 1, 10).Draw(t, "before"), "") + keyword + texts().Draw(t, "after")
		key := casefold.Key(keyword)
		if !strings.Contains(casefold.Key(text), key) {
			return // it has merged with what stands beside it
		}
		got := snippet(text, key)
		spaceless := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if !strings.Contains(spaceless(casefold.Key(got)), spaceless(key)) {
			t.Errorf("%q of %q does not hold %q", got, text, keyword)
		}
		if n := utf8.RuneCountInString(got); n > 150 || !utf8.ValidString(got) {
			t.Errorf("%q is %d characters long", got, n)
		}
	})
}

// found lists the titles of the sessions that a search gives.
func (w *world) found(userID int64, keyword string, page parley.Page) ([]string, int64) {
	w.t.Helper()
	sessions, total, err := w.FindSessions(w.t.Context(), userID, Keyword{Key: casefold.Key(keyword)}, page)
	w.must(err)
	titles := []string{}
	for _, s := range sessions {
		titles = append(titles, s.Title)
	}
	return titles, total
}

func TestAKeywordIsFoundInAnyScript(t *testing.T) {
	texts := []string{
		"Which FERRY to Capri?", "去卡普里岛的渡船", "100% sure_thing", `say "hello" OR world*`, "Straße", "İstanbul", "ΟΔΥΣΣΕΥΣ",
		"Cafe\u0301", "🚢 ahoy", "a  b", "русский ТЕКСТ", "שלום", "tab\tnew\nline", "x' OR '1'='1", "NEAR(a b)",
	}
	found := map[string][]string{
		"ferry": {"Which FERRY to Capri?"}, "FERRY TO": {"Which FERRY to Capri?"}, "渡": {"去卡普里岛的渡船"}, "普里": {"去卡普里岛的渡船"},
		"岛的渡": {"去卡普里岛的渡船"}, "%": {"100% sure_thing"}, "_": {"100% sure_thing"}, "0% s": {"100% sure_thing"},
		`"hello" or`: {`say "hello" OR world*`}, "d*": {`say "hello" OR world*`}, "strasse": {"Straße"}, "STRASSE": {"Straße"}, "ß": {"Straße"},
		"i̇stan": {"İstanbul"}, "οδυσσευς": {"ΟΔΥΣΣΕΥΣ"}, "CAFÉ": {"Cafe\u0301"}, "cafe": {}, "🚢": {"🚢 ahoy"}, "🚢 a": {"🚢 ahoy"},
		"a  b": {"a  b"}, " b": {"NEAR(a b)", "a  b"}, "Текст": {"русский ТЕКСТ"}, "שלום": {"שלום"}, "b\tn": {"tab\tnew\nline"},
		"' or '1'='": {"x' OR '1'='1"}, "near(": {"NEAR(a b)"}, "secret": {}, "absent": {}, strings.Repeat("ferry ", 160): {},
	}
	each(t, func(t *testing.T, w *world) {
		for _, indexed := range []int{0, len(texts) / 2, len(texts)} {
			ada, bob := w.user(), w.user()
			for i, text := range texts {
				if i == indexed {
					w.index()
				}
				w.say(ada, w.session(ada, text), text, "ok")
				w.say(bob, w.session(bob, text), "secret", text)
			}
			if indexed == len(texts) {
				w.index()
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

// Blank sessions, others without a title and those that match come in one order, on
// whatever page, whether many match or few.
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
			w.index()
			for _, size := range []int64{1, 7, 200} {
				got := []string{}
				for number := int64(1); ; number++ {
					page, total, err := w.FindSessions(t.Context(), user, Keyword{Key: "new", Untitled: true}, parley.Page{Number: number, Size: size})
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
				w.index()
			}
		}
		turn := w.begin(user, session, "Which ferry?")
		expect("ferry", true) // the question of an open turn
		w.must(w.FinishTurn(t.Context(), turn, "The slow one", parley.Details{}))
		expect("slow", true)
		redo, err := w.BeginRedo(t.Context(), user, session, parley.ReplyOptions{}, "owner")
		w.must(err)
		expect("slow", true)
		w.must(w.FinishTurn(t.Context(), redo, "The fast one", parley.Details{}))
		expect("slow", false)
		expect("fast", true)
		w.must(w.RenameSession(t.Context(), user, session, "Capri"))
		expect("capri", true)
		w.must(w.RenameSession(t.Context(), user, session, "Ischia"))
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
			sessions, total, err := w.FindSessions(t.Context(), user, Keyword{Key: "ferries"}, parley.Page{Number: 1, Size: 10})
			w.must(err)
			if total != 2 || sessions[0].Snippet != "Some ferries leave" || sessions[1].Snippet != "" {
				t.Errorf("found %+v", sessions)
			}
			w.index()
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
			if titles, total := w.found(user, "ferr", parley.Page{Number: 1_000_000_000_000_000_000, Size: 200}); len(titles) != 0 || total != 7 {
				t.Errorf("past the end: %v of %d", titles, total)
			}
			w.index()
		}
	})
}

// What matches on the keyword's grams but does not hold it is left out.
func TestAFalseFriendIsNotFound(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.session(user, "abc bcd") // has ab, bc, cd, but not abcd
		w.session(user, "abcd")
		for range 2 {
			if titles, total := w.found(user, "abcd", parley.Page{Number: 1, Size: 10}); total != 1 || titles[0] != "abcd" {
				t.Errorf("found %v of %d", titles, total)
			}
			w.index()
		}
	})
}

func TestTheIndexerTakesUpWhatIsWrittenAndEndsWithItsContext(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.session(user, "before it runs")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.Index(ctx, slog.New(slog.DiscardHandler))
		}()
		waiting := func() int64 { return number(t, w.Store, `SELECT count(*) FROM search_queue`) }
		await(func() bool { return waiting() == 0 })
		w.say(user, w.session(user, "while it runs"), "q", "r")
		await(func() bool { return waiting() == 0 })
		if n := w.indexed(); n != 4 {
			t.Errorf("%d texts are in the index", n)
		}
		cancel()
		<-ended
	})
}

func TestIndexersOfTwoReplicasShareTheWork(t *testing.T) {
	url := testdb.Postgres(t)
	w := newWorld(t, url)
	other := openStore(t, "", url)
	user := w.user()
	const count = indexBatch + 40
	for i := range count {
		w.session(user, numbered("session", i))
	}
	errs := parallel(6, func(i int) error {
		for {
			more, err := []*Store{w.Store, other}[i%2].indexSome(t.Context())
			if err != nil || !more {
				return err
			}
		}
	})
	for _, err := range errs {
		w.must(err)
	}
	if n := w.indexed(); n != count {
		t.Errorf("%d texts are in the index", n)
	}
}

func TestLongTextsAreIndexedFewAtATime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		long := strings.Repeat("长", indexBytes/len("长")+1)
		for range 2 {
			w.say(user, session, long, "short")
		}
		for _, want := range []int64{1, 3, 4} {
			more, err := w.indexSome(t.Context())
			w.must(err)
			if n := w.indexed(); n != want || more != (want < 4) {
				t.Errorf("%d texts are in the index, want %d; more wait: %v", n, want, more)
			}
		}
	})
}

func TestTheIndexerRestsAfterEachTransaction(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for range blockFanout {
			w.session(user, "one block each")
			var rests []time.Duration
			_, err := w.indexPart(t.Context(), func(worked time.Duration) { rests = append(rests, worked) })
			w.must(err)
			merged := number(t, w.Store, `SELECT count(*) FROM search_blocks`) == 1 && w.indexed() > 1
			if want := map[bool]int{false: 1, true: 2}[merged]; len(rests) != want || slices.Min(rests) <= 0 {
				t.Errorf("with %d texts indexed it rested %v, want %d times", w.indexed(), rests, want)
			}
		}
		if n := number(t, w.Store, `SELECT count(*) FROM search_blocks`); n != 1 {
			t.Errorf("%d blocks: nothing was merged", n)
		}
	})
}

// A reply made anew while the indexer is at its old text must not leave both behind.
func TestARedoDuringTheIndexingIsIndexedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		w.say(user, session, "q", "text 0")
		for round := range 20 {
			turn, err := w.BeginRedo(t.Context(), user, session, parley.ReplyOptions{}, "owner")
			w.must(err)
			errs := parallel(3, func(i int) error {
				if i == 0 {
					return w.FinishTurn(t.Context(), turn, numbered("text", round+1), parley.Details{})
				}
				_, err := w.indexSome(t.Context())
				return err
			})
			for _, err := range errs {
				w.must(err)
			}
			audit(t, w.Store)
		}
		w.index()
		if _, total := w.found(user, "text 20", parley.Page{Number: 1, Size: 1}); total != 1 {
			t.Error("the last text is not found")
		}
	})
}

// Whoever meets a damaged index first has it made anew, and is served.
func TestADamagedIndexMendsItself(t *testing.T) {
	for name, damage := range map[string]string{
		"names": `UPDATE search_blocks SET names = 'x'`,
		"pages": `UPDATE search_pages SET data = 'x'`,
	} {
		for first, meet := range map[string]func(w *world, user int64, session string){
			"a search": func(*world, int64, string) {},
			"a change": func(w *world, user int64, session string) {
				w.must(w.RenameSession(w.t.Context(), user, session, "Ferries to Capri"))
				w.index()
			},
			"a merge": func(w *world, user int64, _ string) {
				for i := range blockFanout {
					w.session(user, numbered("train", i))
					w.index()
				}
			},
			"the doctor": func(w *world, _ int64, _ string) {
				if wrong, _, err := w.CheckIndex(w.t.Context(), 10); err != nil || wrong == 0 {
					w.t.Errorf("%d are wrong, %v", wrong, err)
				}
			},
		} {
			t.Run(name+"/"+first, func(t *testing.T) {
				each(t, func(t *testing.T, w *world) {
					user := w.user()
					session := w.session(user, "Ferries")
					w.say(user, session, "Which ferry?", "This ferry")
					w.index()
					w.run(damage)
					meet(w, user, session)
					for range 2 {
						if titles, total := w.found(user, "this ferr", parley.Page{Number: 1, Size: 10}); total != 1 || len(titles) != 1 {
							t.Errorf("found %v of %d", titles, total)
						}
						w.index()
					}
				})
			})
		}
	}
}

// Before the indexer comes, the blocks still know the session that is gone.
func TestADeletedSessionIsNotCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		w.say(user, session, "Which ferry?", "This ferry")
		w.session(user, "Another ferry")
		w.index()
		w.must(w.DeleteSession(t.Context(), user, session))
		for range 2 {
			if titles, total := w.found(user, "ferr", parley.Page{Number: 1, Size: 10}); total != 1 || len(titles) != 1 {
				t.Errorf("found %v of %d", titles, total)
			}
			w.index()
		}
	})
}

// Where most sessions match, the page is found among the latest; where the latest do
// not, in the list of those that do.
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
					if titles, total := w.found(user, "ferry", parley.Page{Number: page, Size: size}); total != 60 || !slices.Equal(titles, want) {
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

// A long session that waits for the index costs in proportion to its texts.
func TestALongSessionThatIsQueuedIsSearchedInFewStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		for i := range 3 * textsAtOnce {
			w.say(user, session, numbered("question", i), numbered("reply", i))
		}
		x := newExplainer(t, w.engine)
		x.count = map[string]int{}
		w.engine = x
		_, total := w.found(user, numbered("reply", 3*textsAtOnce-1), parley.Page{Number: 1, Size: 1})
		w.engine = x.engine
		if n := x.count[textsQuery()]; total != 1 || n != 6 {
			t.Errorf("%d are found with %d statements for 384 texts", total, n)
		}
	})
}
