package export

import (
	"strings"
	"testing"
)

func TestAnExportIsNamedAfterItsTitle(t *testing.T) {
	for title, want := range map[string]string{
		"Holiday plans":          "Holiday plans.md",
		"哪一班船去卡普里?":              "哪一班船去卡普里_.md",
		"AC/DC: tour":            "AC_DC_ tour.md",
		`..\..\evil`:             "_.._evil.md",
		"...":                    "file.md",
		"nul":                    "_nul.md",
		"notes.md":               "notes.md.md",
		"a\x00\u202eb":           "ab.md",
		strings.Repeat("船", 200): strings.Repeat("船", 84) + ".md",
	} {
		if got := fileName(title, ".md"); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}
