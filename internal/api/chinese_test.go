package api_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryDescriptionIsInChinese compares the document with the table that /docs uses for readers of Chinese. The
// keys of the table are the English texts: a changed text needs a new translation.
func TestEveryDescriptionIsInChinese(t *testing.T) {
	const path = "../../web/src/docs/descriptions.zh.json"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var chinese map[string]string
	if err := json.Unmarshal(text, &chinese); err != nil {
		t.Fatal(err)
	}
	described := descriptionsOf(t)
	for _, english := range slices.Sorted(maps.Keys(described)) {
		if strings.TrimSpace(chinese[english]) == "" {
			t.Errorf("%s lacks %q", path, english)
		}
	}
	for _, english := range slices.Sorted(maps.Keys(chinese)) {
		if !described[english] {
			t.Errorf("%s has %q, which is not a description", path, english)
		}
	}
}

// descriptionsOf returns the texts that /docs shows: names and descriptions of groups, operations, inputs, fields and
// errors. The errors of a status are paragraphs such as "1003: wrong password".
func descriptionsOf(t *testing.T) map[string]bool {
	t.Helper()
	code := regexp.MustCompile(`^\d{4}: `)
	all := map[string]bool{}
	add := func(texts ...string) {
		for _, text := range texts {
			if text != "" {
				all[text] = true
			}
		}
	}
	d := mustDocument(t)
	for _, tag := range d.Tags {
		add(tag.Name, tag.Description)
	}
	for _, op := range d.operations {
		add(op.Operation.Summary, op.Operation.Description)
		for _, p := range op.Operation.Parameters {
			add(p.Value.Description)
		}
		if schema := op.bodySchema(); schema != nil {
			for _, property := range schema.Properties {
				add(property.Value.Description)
			}
		}
		for _, response := range op.Operation.Responses.Map() {
			for paragraph := range strings.SplitSeq(*response.Value.Description, "\n\n") {
				add(code.ReplaceAllString(paragraph, ""))
			}
		}
	}
	for _, schema := range d.Components.Schemas {
		for _, property := range schema.Value.Properties {
			add(property.Value.Description)
		}
	}
	return all
}
