package language

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// fromHuma are the messages that internal/api composes of a field's name and the words of huma, or of json.go.
// TestWhatHumaRefusesIsTranslated in internal/api finds those that the table lacks.
var fromHuma = []string{
	"name is required", "name must be a string", "name must be true or false", "name must be a whole number",
	"name must be a JSON object", "name must be at least 1", "name must be at most 9",
	"name must be at least 6 characters long",
	"name must be at most 6 characters long", "name must be one of a, b",
	"name must be a list", "name must have at least 1 entries",
	"request body is required", "the body must be a JSON object", "the body is not one valid JSON document",
	"the body holds text that is not valid Unicode",
}

// TestEveryErrorIsInTheTable looks for the messages of errors in the code. The table has all of them and no others.
func TestEveryErrorIsInTheTable(t *testing.T) {
	used := map[string]bool{}
	for _, message := range fromHuma {
		e, _, _ := chinese().find(message)
		used[e.english] = true
	}
	found := messagesInCode(t, "../..")
	if len(found) < 70 {
		t.Fatalf("found only %d messages", len(found))
	}
	for _, m := range found {
		e, _, known := chinese().find(m.example)
		if !known {
			t.Errorf("%s: chinese.go lacks %q", m.place, m.example)
		}
		used[e.english] = true
	}
	for _, e := range chineseMessages {
		if !used[e.english] {
			t.Errorf("no error says %q", e.english)
		}
	}
}

func TestTheTableIsWellFormed(t *testing.T) {
	placeholder := regexp.MustCompile(`%[sdv]`)
	seen := map[string]bool{}
	for _, e := range chineseMessages {
		if seen[e.english] {
			t.Errorf("%q is there twice", e.english)
		}
		seen[e.english] = true
		values := len(placeholder.FindAllString(e.english, -1))
		if strings.Count(e.chinese, "%s") != values || len(placeholder.FindAllString(e.chinese, -1)) != values {
			t.Errorf("%q has other placeholders than %q", e.chinese, e.english)
		}
		if !strings.ContainsFunc(e.chinese, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%q is not Chinese", e.chinese)
		}
		if strings.ContainsAny(e.chinese, ";:!?") || strings.HasSuffix(e.chinese, "。") {
			t.Errorf("%q has Latin punctuation, or a period at its end", e.chinese)
		}
	}
}
