package api_test

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

func TestSearch(t *testing.T) {
	shared(t, []part{
		{"keywords find titles and messages in any script", keywordsFindTitlesAndMessagesInAnyScript},
		{"a blank keyword is none", aBlankKeywordIsNone},
		{"a session without a title is found as it is called", aSessionWithoutATitleIsFoundAsItIsCalled},
		{"snippets show where a message matched", snippetsShowWhereAMessageMatched},
	})
}

// hits returns the titles of the sessions with a keyword, sorted.
func (w *world) hits(c *client.Client, keyword string) []string {
	w.Helper()
	list := w.sessions(c, keyword, parley.Page{Number: 1, Size: 200})
	titles := []string{}
	for _, s := range list.Sessions {
		titles = append(titles, s.Title)
	}
	if list.Total != int64(len(titles)) {
		w.Errorf("%q: total is %d, and there are %d", keyword, list.Total, len(titles))
	}
	slices.Sort(titles)
	return titles
}

func keywordsFindTitlesAndMessagesInAnyScript(w *world) {
	ada := w.user("ada")
	texts := map[string]string{
		"A": "Der große Fährplan: STRASSE und Maße",
		"B": "去卡普里的渡船几点开?",
		"C": "100% of cases, snake_case and C:\\path",
		"D": "Η πόλις της Αθήνας",
		"E": "مرحبا بالعالم",
		"F": "カプリ島へのフェリー",
		"G": "𠮷野家 and 👩‍👩‍👧‍👦",
		"H": `quotes "like" 'these', AND OR NOT (x) * NEAR`,
		"I": "caf\u00e9 au lait",
		"J": "line one\nline two",
		"K": "İstanbul",
	}
	for title, text := range texts {
		w.say(ada, w.session(ada, title), text)
	}
	w.session(ada, "Holiday Plans 2026")
	for _, stage := range []string{"just sent", "indexed"} {
		for keyword, want := range map[string]string{
			"fährplan": "A", "FÄHRPLAN": "A", "große": "A", "GROSSE": "A", "straße": "A", "strasse": "A",
			"渡船": "B", "船": "B", "几点开?": "B", "卡普里的渡船": "B", "飞": "",
			"%": "C", "100%": "C", "_": "C", "snake_": "C", "e_c": "C", "ake%": "", "sn_ke": "", `c:\p`: "C",
			"ΑΘΉΝΑΣ": "D", "πόλισ": "D", "مرحبا": "E", "フェリ": "F", "ェ": "F", "島": "F",
			"𠮷": "G", "𠮷野": "G", "👩‍👧": "G",
			`"like"`: "H", "'these'": "H", "and or not": "H", "(x)": "H", "*": "H", "near": "H", `"`: "H",
			"CAFE\u0301": "I", "caf\u00e9 au": "I", "cafe": "", "two": "J", "one\nline": "J",
			"i\u0307stanbul": "K",
			"holiday":        "Holiday Plans 2026", "plans 2026": "Holiday Plans 2026", "PLANS": "Holiday Plans 2026",
			"026":                 "Holiday Plans 2026",
			"you said":            "A B C D E F G H I J K", // every reply
			"nothing of the kind": "", strings.Repeat("x", 1000): "",
		} {
			if got := strings.Join(w.hits(ada, keyword), " "); got != want {
				w.Errorf("%s: %q finds %q, want %q", stage, keyword, got, want)
			}
		}
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
	}
	w.play(ada, []scenario{{name: "1,001 characters", method: "GET", path: "/api/chat/sessions?keyword=" +
		strings.Repeat("x", 1001), status: 400, code: 1001, says: "keyword must be at most 1000 characters"}})
}

func aSessionWithoutATitleIsFoundAsItIsCalled(w *world) {
	ada := w.user("ada")
	nameless := w.session(ada, "")
	w.session(ada, "Ferries")
	found := func(keyword string, want ...string) {
		w.Helper()
		if got := w.hits(ada, keyword); !slices.Equal(got, want) {
			w.Errorf("%q found %q, want %q", keyword, got, want)
		}
	}
	for _, keyword := range []string{"New chat", "NEW", "w c", "T"} {
		found(keyword, "New chat")
	}
	found("e", "Ferries", "New chat")
	found("newchat")
	w.say(ada, nameless, "Which boat?")
	found("chat")
	found("boat", "Which boat?")
}

func aBlankKeywordIsNone(w *world) {
	ada := w.user("ada")
	w.session(ada, "one")
	w.session(ada, "two")
	for _, query := range []string{"?keyword=", "?keyword=%20%09", "?keyword=%E3%80%80"} {
		var out parley.SessionsOutput
		w.request("GET", "/api/chat/sessions"+query, "", as(ada)).body(w, &out)
		if out.Total != 2 {
			w.Errorf("%s: got %+v", query, out)
		}
	}
}

func snippetsShowWhereAMessageMatched(w *world) {
	ada := w.user("ada")
	long := strings.Repeat("before ", 40) + "the Hydrofoil to Capri" + strings.Repeat(" after", 40)
	w.say(ada, w.session(ada, "Ferries"), long)
	w.say(ada, w.session(ada, "Other"), "nothing of the kind")
	for _, stage := range []string{"just sent", "indexed"} {
		got := w.sessions(ada, "hydroFOIL", parley.Page{}).Sessions
		if len(got) != 1 || !strings.Contains(got[0].Snippet, "before the Hydrofoil to Capri after") ||
			!strings.HasPrefix(got[0].Snippet, "…") || !strings.HasSuffix(got[0].Snippet, "…") || len(got[0].Snippet) > 300 {
			w.Errorf("%s: got %+v", stage, got)
		}
		if got[0].MessageCount != 2 || got[0].LastMessageTime == 0 {
			w.Errorf("%s: got %+v", stage, got)
		}
		if got := w.sessions(ada, "ferri", parley.Page{}).Sessions; len(got) != 1 || got[0].Snippet != "" {
			w.Errorf("%s: a title matched: %+v", stage, got)
		}
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
	}
	for _, s := range w.sessions(ada, "", parley.Page{}).Sessions {
		if s.Snippet != "" {
			w.Errorf("without a keyword: %+v", s)
		}
	}
}

// TestSearchForgetsWhatIsGone searches for texts that were renamed, cleared or deleted.
func TestSearchForgetsWhatIsGone(t *testing.T) {
	for _, indexed := range []bool{false, true} {
		name := map[bool]string{false: "while it waits to be indexed", true: "once it is indexed"}[indexed]
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				ctx := w.Context()
				ada := w.user("ada")
				session := w.session(ada, "Tortoise")
				w.say(ada, session, "The penguin")
				settle := func() {
					if indexed {
						w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
					}
				}
				want := func(keyword string, found bool) {
					w.Helper()
					if got := len(w.hits(ada, keyword)) == 1; got != found {
						w.Errorf("%q is found: %v, want %v", keyword, got, found)
					}
				}
				settle()
				want("tortoise", true)
				want("penguin", true)
				w.must(ada.RenameSession(ctx, session, parley.RenameSessionInput{Title: "Badger"}))
				want("tortoise", false)
				want("badger", true)
				settle()
				want("tortoise", false)
				want("badger", true)
				w.must(ada.ClearSession(ctx, session))
				want("penguin", false)
				want("badger", true)
				w.say(ada, session, "The heron")
				want("heron", true)
				settle()
				w.must(ada.DeleteSession(ctx, session))
				want("heron", false)
				want("badger", false)
			})
		})
	}
}
