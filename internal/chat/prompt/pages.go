package prompt

import (
	"cmp"
	"slices"
	"strings"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/turn"
	"parley/internal/rank"
	"parley/internal/websearch"
)

const (
	// maxPageTokens is how much of one page is given to a model, however large its context is.
	maxPageTokens = 8000
	// pagePassage is the approximate size of a passage of a page, in bytes, and minPassage its least size in tokens.
	pagePassage = 1200
	minPassage  = 50
	// maxTokenBytes is the largest number of bytes in one token.
	maxTokenBytes = 8
	// gapMark stands between passages that do not follow each other.
	gapMark = "\n\n[…]\n\n"
)

// foundPage is a result of a web search. Text is the text of the page, or empty if the page was not read.
type foundPage struct {
	websearch.Result
	text string
}

// addSources adds the results of a web search to a request: the snippet of each, and passages of those that were read.
// The passages take at most a quarter of the context and half of the room that is left, since documents and history
// need some too. found keeps only these passages of its texts, in case a shorter prompt is needed before the reply
// begins.
func addSources(request *turn.Request, found []foundPage, model ai.Offer) {
	request.Prompt.Sources, request.Sources = nil, nil
	if len(found) == 0 {
		return
	}
	for _, page := range found {
		request.Prompt.Sources = append(request.Prompt.Sources,
			ai.Source{Title: page.Title, URL: page.URL, Text: page.Text})
		request.Sources = append(request.Sources, parley.Source{Title: page.Title, URL: page.URL})
	}
	budget := min(model.ContextTokens/4, (model.PromptTokens()-request.Prompt.Tokens())/2)
	chosen := pagePassages(found, rank.NewQuery(request.Prompt.Question), budget)
	for i := range found {
		found[i].text = chosen[i]
	}
	for i, passages := range chosen {
		source := &request.Prompt.Sources[i]
		if !strings.Contains(strings.Join(strings.Fields(passages), " "), strings.TrimSuffix(source.Text, "…")) {
			passages = source.Text + gapMark + passages
		}
		source.Text = passages
		request.Sources[i].Read = true
	}
}

// pagePassages returns the passages of pages that fit the question and the budget, by the position of the page. Pages
// have equal shares of the budget. What a short one leaves goes to the others.
func pagePassages(found []foundPage, query rank.Query, budget int) map[int]string {
	var read []int
	for i, page := range found {
		if page.text != "" {
			read = append(read, i)
		}
	}
	slices.SortStableFunc(read, func(a, b int) int { return cmp.Compare(len(found[a].text), len(found[b].text)) })
	passages := make(map[int]string)
	for done, i := range read {
		share := min(maxPageTokens, budget/(len(read)-done))
		if text := bestOfPage(found[i].text, query, share); text != "" {
			passages[i] = text
			budget -= ai.Tokens(text)
		}
	}
	return passages
}

// bestOfPage returns the whole text of a page if it fits the budget, else the passages that fit the question best. If
// none matches, it returns the beginning.
func bestOfPage(text string, query rank.Query, budget int) string {
	if budget < minPassage {
		return ""
	}
	if len(text) <= budget*maxTokenBytes && ai.Tokens(text) <= budget {
		return text
	}
	parts := rank.Passages(text, pagePassage)
	var chosen []rank.Span
	hits := rank.Search(query, budget/minPassage, rank.NewIndex(text, parts))
	for _, hit := range hits {
		chosen = append(chosen, hit.Span)
	}
	if len(chosen) == 0 {
		chosen = parts[:min(len(parts), budget/minPassage)]
	}
	gap := ai.Tokens(gapMark)
	for i, part := range chosen {
		if budget -= ai.Tokens(part.Of(text)) + gap; budget < 0 {
			chosen = chosen[:i]
			break
		}
	}
	return joinParts(text, chosen)
}

// joinParts joins parts of a text in their order, and marks the gaps between them.
func joinParts(text string, parts []rank.Span) string {
	slices.SortFunc(parts, func(a, b rank.Span) int { return cmp.Compare(a.Start, b.Start) })
	var b strings.Builder
	for i, part := range parts {
		switch {
		case i == 0:
		case strings.TrimSpace(text[parts[i-1].End:part.Start]) != "":
			b.WriteString(gapMark)
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(part.Of(text))
	}
	return b.String()
}
