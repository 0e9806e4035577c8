package backup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestABackupFromBeforeAnInterruptedUpgradeIsKept interrupts an upgrade between two changes of the schema.
func TestABackupFromBeforeAnInterruptedUpgradeIsKept(t *testing.T) {
	w := newWorld(t)
	w.document("the text")
	upgrade := Upgrade{Data: w.data, Documents: true, Version: "v2/next", Now: clock}
	file, err := upgrade.BackUp(t.Context(), 3)
	w.must(err)
	if filepath.Base(file) != "before-v2-next.tar" {
		t.Errorf("the backup is %s", file)
	}
	first, err := os.Stat(file)
	w.must(err)
	for _, step := range []struct {
		name   string
		schema int64
		kept   bool
	}{
		{"the upgrade was interrupted after a change", 4, true},
		{"nothing was changed", 3, false},
	} {
		_, err := upgrade.BackUp(t.Context(), step.schema)
		w.must(err)
		again, err := os.Stat(file)
		w.must(err)
		if os.SameFile(first, again) != step.kept {
			t.Errorf("%s: the backup was kept: %v", step.name, !step.kept)
		}
	}
	w.must(upgrade.Done())
	w.must(upgrade.Done())
	before, err := os.Stat(file)
	w.must(err)
	_, err = upgrade.BackUp(t.Context(), 5) // the next upgrade
	w.must(err)
	if after, err := os.Stat(file); err != nil || os.SameFile(before, after) {
		t.Errorf("the next upgrade wrote no backup: %v", err)
	}
}

// TestABackupWithoutDocumentsIsACopyOfTheDatabase is for documents in a bucket.
func TestABackupWithoutDocumentsIsACopyOfTheDatabase(t *testing.T) {
	w := newWorld(t)
	upgrade := Upgrade{Data: w.data, Version: "v2", Now: clock}
	for range 2 {
		file, err := upgrade.BackUp(t.Context(), 3)
		w.must(err)
		text, err := os.ReadFile(file)
		w.must(err)
		if filepath.Base(file) != "before-v2.db" || !strings.HasPrefix(string(text), "SQLite format 3") {
			t.Errorf("%s has %d bytes", file, len(text))
		}
	}
	if got := left(t, filepath.Join(w.data, upgradesDir)); len(got) != 2 { // with the mark
		t.Errorf("there are %v", got)
	}
}
