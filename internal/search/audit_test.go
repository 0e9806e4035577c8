package search_test

import (
	"strings"
	"testing"

	"parley/internal/store"
)

// findings returns the kinds of data that an audit finds wrong.
func (w *world) findings() map[store.AuditKind]bool {
	w.t.Helper()
	findings, err := w.Audit(w.t.Context())
	w.must(err)
	kinds := map[store.AuditKind]bool{}
	for _, finding := range findings {
		kinds[finding.Kind] = true
	}
	return kinds
}

func TestAnIndexThatIsWrongIsFoundAndRebuilt(t *testing.T) {
	// 32 texts of a session that does not exist, with entries that are encoded as readable
	// characters.
	strays := " " + strings.Repeat("s", 32) + " " + strings.Repeat(`"`, 64)
	for name, damage := range map[string]string{
		"all texts are missing": `DELETE FROM search_blocks`,
		"a text that is not there": `
			INSERT INTO search_blocks (user_id, block, size, names) SELECT id, 9, 32, '` + strays + `' FROM users`,
		"twice": `
			INSERT INTO search_blocks (user_id, block, size, names) SELECT user_id, 9, size, names FROM search_blocks`,
		"queued for nothing": `
			INSERT INTO search_queue (user_id, session_id, number, stale) SELECT s.user_id, s.id, 55, 0 FROM sessions s`,
		"queued for nobody": `INSERT INTO search_queue (user_id, session_id, number) VALUES (4711, 'nowhere', 1)`,
		"grams are missing": `DELETE FROM search_pages`,
		"other words":       `UPDATE messages SET content = 'zebra' WHERE number = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				user := w.user()
				session := w.session(user, "Ferries")
				w.say(user, session, "When does it leave?", "At noon.")
				w.update()
				if wrong, checked, err := w.index.Check(t.Context(), 10); err != nil || wrong != 0 || checked != 3 {
					t.Fatalf("%d of %d are wrong, %v", wrong, checked, err)
				}
				w.begin(user, session, "This one is open")
				w.run(damage)
				wrong, _, err := w.index.Check(t.Context(), 10)
				w.must(err)
				if kinds := w.findings(); wrong == 0 && !kinds[store.Search] || len(kinds) > 1 {
					t.Fatalf("found are %v, %d entries are wrong", kinds, wrong)
				}
				w.must(w.index.Rebuild(t.Context(), func(int64) {}))
				wrong, checked, err := w.index.Check(t.Context(), 10)
				if err != nil || wrong != 0 || checked != 3 || len(w.findings()) != 0 {
					t.Errorf("then %d of %d are wrong, %v; found are %v", wrong, checked, err, w.findings())
				}
			})
		})
	}
}
