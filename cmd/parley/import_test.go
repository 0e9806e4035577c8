package main_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/extract/history/historytest"
	"parley/internal/testdb"
	"parley/internal/testtier"
)

// TestAnImportSurvivesThePowerCut kills the server several times while it imports.
func TestAnImportSurvivesThePowerCut(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		settings := []string{
			"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + databaseURL, "PARLEY_AI_BASE_URL=builtin",
		}
		const conversations = 300
		var all []historytest.Conversation
		for i := range conversations {
			all = append(all, historytest.Numbered(i, 2))
		}
		all[7].Texts = nil
		p := start(t, settings...)
		ada := p.user("ada")
		started, err := ada.StartImport(t.Context(), "export.zip", bytes.NewReader(historytest.ChatGPTZip(all...)))
		must(t, err)
		for _, enough := range []int64{1, 40, 80} {
			awaitImport(t, ada, started.ImportID, func(i parley.Import) bool {
				return i.Sessions >= enough || i.State == parley.ImportDone
			})
			p.kill()
			p = start(t, settings...)
			ada = p.client(ada)
		}
		got := awaitImport(t, ada, started.ImportID, func(i parley.Import) bool { return i.State == parley.ImportDone })
		if got.Sessions != conversations-1 || got.Messages != 4*(conversations-1) || len(got.Skipped) != 1 {
			t.Errorf("the import is %+v", got)
		}
		seen := map[string]bool{}
		for page := int64(1); len(seen) < conversations-1; page++ {
			list, err := ada.Sessions(t.Context(), "", parley.Page{Number: page, Size: 200})
			must(t, err)
			if list.Total != conversations-1 || len(list.Sessions) == 0 {
				t.Fatalf("page %d of %d sessions has %d", page, list.Total, len(list.Sessions))
			}
			for _, s := range list.Sessions {
				if seen[s.Title] || s.MessageCount != 4 {
					t.Errorf("the session %+v is there twice, or incomplete", s)
				}
				seen[s.Title] = true
			}
		}
		stored := messages(t, ada, findSession(t, ada, "Chat 299"))
		for i, m := range stored {
			if m.Content != all[299].Texts[i] {
				t.Errorf("message %d is %+v", i, m)
			}
		}
	})
}

func findSession(t *testing.T, c *client.Client, title string) string {
	t.Helper()
	list, err := c.Sessions(t.Context(), title, parley.Page{Number: 1, Size: 10})
	must(t, err)
	if list.Total != 1 {
		t.Fatal(fmt.Sprint(title, " is found ", list.Total, " times"))
	}
	return list.Sessions[0].ID
}

// awaitImport polls an import until enough returns true.
func awaitImport(t *testing.T, c *client.Client, importID string, enough func(parley.Import) bool) parley.Import {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var got parley.Import
	for begun := time.Now(); time.Since(begun) < patience; <-tick.C {
		var err error
		got, err = c.Import(t.Context(), importID)
		must(t, err)
		if enough(got) {
			return got
		}
	}
	t.Fatalf("the import stays %+v", got)
	return got
}
