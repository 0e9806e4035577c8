package mark_test

import (
	"strings"
	"testing"

	"parley/internal/mark"
)

func TestARefusalIsOneLineThatSaysWhereAndWhatToDo(t *testing.T) {
	for state, want := range map[mark.State][]string{
		mark.Leaving:  {"is being moved to PostgreSQL at db", "run parley move again", "parley move --undo"},
		mark.Left:     {"was moved to PostgreSQL at db", "parley move --undo"},
		mark.Arriving: {"is being moved here from PostgreSQL at db", "run parley move there again"},
	} {
		m, err := mark.Parse(mark.Mark{ID: "1", State: state, Other: "PostgreSQL at db"}.Text())
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
	if _, err := mark.Parse("no mark"); err == nil {
		t.Error("a text that is no mark was read")
	}
}
