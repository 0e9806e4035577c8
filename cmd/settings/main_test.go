package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/config"
)

const docs = "../../docs"

func TestTheCommittedPagesAreThoseOfTheTable(t *testing.T) {
	for name, language := range map[string]language{"settings.md": english(), "settings.zh-CN.md": simplifiedChinese()} {
		if read(t, name) != language.page(config.Table()) {
			t.Errorf("docs/%s is out of date: run `make settings`", name)
		}
	}
}

func TestEverySettingHasItsChinese(t *testing.T) {
	texts := chinese()
	for _, setting := range config.Table() {
		for _, name := range []string{setting.Variable, setting.Group} {
			if texts[name] == "" {
				t.Errorf("chinese.go has no %s", name)
			}
		}
	}
	for name := range texts {
		if !strings.Contains(english().page(config.Table()), name) {
			t.Errorf("there is no %s; chinese.go has it", name)
		}
	}
}

func TestTheFormOfASettingHasItsWord(t *testing.T) {
	for _, language := range []language{english(), simplifiedChinese()} {
		for _, setting := range config.Table() {
			if setting.Form != "" && language.words[setting.Form] == "" {
				t.Errorf("%s: there is no word for %q", setting.Variable, setting.Form)
			}
		}
	}
}

// TestTheSettingsLeadToSectionsThatExist follows the links that the table has.
func TestTheSettingsLeadToSectionsThatExist(t *testing.T) {
	for _, setting := range config.Table() {
		if setting.See == "" {
			continue
		}
		page, anchor, _ := strings.Cut(setting.See, "#")
		if text := read(t, page); anchor != "" && !hasHeading(text, anchor) {
			t.Errorf("%s: docs/%s has no section %s", setting.Variable, page, anchor)
		}
	}
}

// hasHeading reports whether a page has the heading of an anchor.
func hasHeading(page, anchor string) bool {
	for line := range strings.Lines(page) {
		heading, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		heading = strings.NewReplacer(",", "", " ", "-").Replace(strings.ToLower(strings.TrimSpace(heading)))
		if found && strings.HasPrefix(line, "#") && heading == anchor {
			return true
		}
	}
	return false
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
