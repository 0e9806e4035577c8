package blob_test

import (
	"strings"
	"testing"

	"parley/internal/blob"
)

func TestARefusalIsOneLineThatSaysWhereAndWhatToDo(t *testing.T) {
	for state, want := range map[blob.MarkState][]string{
		blob.Leaving:  {"is being moved to PostgreSQL at db", "run parley move again", "parley move --undo"},
		blob.Left:     {"was moved to PostgreSQL at db", "parley move --undo"},
		blob.Arriving: {"is being moved here from PostgreSQL at db", "run parley move there again"},
	} {
		m, err := blob.ParseMark(blob.Mark{ID: "1", State: state, Other: "PostgreSQL at db"}.Text())
		if err != nil {
			t.Fatal(err)
		}
		text := m.Refusal("the data").Error()
		for _, part := range append(want, "the data ") {
			if !strings.Contains(text, part) || strings.Contains(text, "\n") {
				t.Errorf("%s: %q does not say %q", state, text, part)
			}
		}
	}
	if _, err := blob.ParseMark("no mark"); err == nil {
		t.Error("a text that is no mark was read")
	}
}
