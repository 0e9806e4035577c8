package prompt

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/ai"
	"parley/internal/chat/turn"
	"parley/internal/rank"
	"parley/internal/websearch"
)

// paragraph is about 100 tokens without a word of the question.
var paragraph = strings.Repeat("Gulls circle over the harbor in the morning light. ", 10) + "\n\n"

const fact = "The ferry to Procida leaves at 6:47."

func page(snippet, text string) foundPage {
	return foundPage{Result: websearch.Result{Title: "T", URL: "https://a.example/" + snippet, Text: snippet}, text: text}
}

func TestAPageIsGivenWholeIfItFits(t *testing.T) {
	query := rank.NewQuery("When does the ferry leave?")
	long := strings.Repeat(paragraph, 20) + fact + "\n\n" + strings.Repeat(paragraph, 20)
	for _, c := range []struct {
		name, text string
		budget     int
		want       func(got string) bool
	}{
		{"a short page", fact, 100, func(got string) bool { return got == fact }},
		{"no room", fact, minPassage - 1, func(got string) bool { return got == "" }},
		{"the best passages of a long one", long, 300, func(got string) bool {
			return strings.Contains(got, fact) && len(got) < len(long)/4
		}},
		{"the beginning if none matches", strings.Repeat(paragraph, 40), 400, func(got string) bool {
			return strings.HasPrefix(got, "Gulls circle") && len(got) < 3000
		}},
	} {
		got := bestOfPage(c.text, query, c.budget)
		if !c.want(got) {
			t.Errorf("%s: got %d bytes: %.200q", c.name, len(got), got)
		}
		if tokens := ai.Tokens(got); tokens > c.budget {
			t.Errorf("%s: %d tokens for a budget of %d", c.name, tokens, c.budget)
		}
	}
}

func TestPartsOfAPageAreInOrderWithTheirGaps(t *testing.T) {
	const text = "one\n\ntwo\n\nthree"
	one, two, three := rank.Span{Start: 0, End: 3}, rank.Span{Start: 5, End: 8}, rank.Span{Start: 10, End: 15}
	for _, c := range []struct {
		parts []rank.Span
		want  string
	}{
		{nil, ""},
		{[]rank.Span{two}, "two"},
		{[]rank.Span{two, one}, "one\n\ntwo"},
		{[]rank.Span{three, one}, "one" + gapMark + "three"},
	} {
		if got := joinParts(text, c.parts); got != c.want {
			t.Errorf("%v: got %q", c.parts, got)
		}
	}
}

func TestPagesShareTheBudget(t *testing.T) {
	query := rank.NewQuery("When does the ferry leave?")
	long := strings.Repeat(paragraph+fact+"\n\n", 100)
	found := []foundPage{page("a", long), page("b", ""), page("c", fact), page("d", long)}
	const budget = 1000
	passages := pagePassages(found, query, budget)
	if len(passages) != 3 || passages[2] != fact {
		t.Fatalf("got %v", passages)
	}
	first, last := ai.Tokens(passages[0]), ai.Tokens(passages[3])
	if first+last+ai.Tokens(fact) > budget || first < budget/3 || last < budget/3 {
		t.Errorf("the pages have %d and %d tokens", first, last)
	}
	most := pagePassages([]foundPage{page("a", strings.Repeat(long, 10))}, query, 100*maxPageTokens)
	if tokens := ai.Tokens(most[0]); tokens > maxPageTokens {
		t.Errorf("one page has %d tokens", tokens)
	}
}

func TestASourceKeepsItsSnippet(t *testing.T) {
	model := ai.Offer{ContextTokens: 8000}
	request := turn.Request{Prompt: ai.Prompt{Question: "When does the ferry leave?"}}
	found := []foundPage{
		page("Ferries of Naples", fact), page("The ferry to Procida leaves…", fact+" "+paragraph), page("not read", ""),
	}
	addSources(&request, found, model)
	var texts []string
	for _, source := range request.Prompt.Sources {
		texts = append(texts, source.Text)
	}
	if want := []string{
		"Ferries of Naples" + gapMark + fact, strings.TrimSpace(fact + " " + paragraph), "not read",
	}; len(texts) != 3 || texts[0] != want[0] || strings.TrimSpace(texts[1]) != want[1] || texts[2] != want[2] {
		t.Errorf("the texts are %q", texts)
	}
	var read []bool
	for _, source := range request.Sources {
		read = append(read, source.Read)
	}
	if !slices.Equal(read, []bool{true, true, false}) {
		t.Errorf("read are %v", read)
	}
	addSources(&request, found, ai.Offer{ContextTokens: 100})
	if len(request.Sources) != 3 || request.Sources[0].Read || request.Prompt.Sources[0].Text != "Ferries of Naples" {
		t.Errorf("without room: %+v", request.Sources)
	}
}
