package chat

import (
	"context"
	"errors"
	"slices"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/quotation"
	"parley/internal/store"
	"parley/internal/verbatim"
)

// checkQuotes returns the function that finds the quotes of a reply that are in none of its turn's files, sources and
// messages. It keeps only the texts of the sources, not the prompt.
func (p *Prompter) checkQuotes(
	t *store.Turn, sources []ai.Source,
) func(context.Context, string, parley.Details) ([]parley.Quote, error) {
	texts := make(map[string]string, len(sources)) // by address
	for _, source := range sources {
		texts[source.URL] += source.Title + "\n" + source.Text + "\n"
	}
	return func(ctx context.Context, reply string, details parley.Details) ([]parley.Quote, error) {
		if !quotation.Any(reply) {
			return nil, nil
		}
		var files []parley.File
		if !t.NoFiles {
			var err error
			if files, err = p.store.Files(ctx, t.UserID, t.SessionID); err != nil {
				return nil, err
			}
		}
		names := make([]string, len(files))
		for i, file := range files {
			names[i] = file.Filename
		}
		quotes, err := quotation.Find(ctx, reply, names)
		if err != nil {
			return nil, err
		}
		quotes = slices.DeleteFunc(quotes, func(q quotation.Quote) bool { return !isKnown(q, details.Sources, texts) })
		if len(quotes) == 0 {
			return nil, nil
		}
		return p.missingQuotes(ctx, t, quotes, files, texts)
	}
}

// isKnown reports whether the texts of all sources that a quote cites are known.
func isKnown(q quotation.Quote, sources []parley.Source, texts map[string]string) bool {
	for _, number := range q.Sources {
		if number < 1 || number > len(sources) {
			return false
		}
		if _, known := texts[sources[number-1].URL]; !known {
			return false
		}
	}
	return true
}

// missingQuotes returns the quotes that are nowhere. Files that can't all be read prove nothing.
func (p *Prompter) missingQuotes(
	ctx context.Context, t *store.Turn, quotes []quotation.Quote, files []parley.File, sources map[string]string,
) ([]parley.Quote, error) {
	texts := make([]string, len(quotes))
	for i, q := range quotes {
		texts[i] = q.Text
	}
	search := verbatim.NewSearch(texts)
	for _, text := range sources {
		if err := search.Add(ctx, text); err != nil {
			return nil, err
		}
	}
	if complete, err := p.library.FindQuotes(ctx, files, texts, search); err != nil || !complete {
		return nil, err
	}
	missing := search.Missing()
	if len(missing) == 0 {
		return nil, nil
	}
	if err := p.searchMessages(ctx, t, search); err != nil {
		return nil, err
	}
	missing = slices.DeleteFunc(missing, func(i int) bool { return !slices.Contains(search.Missing(), i) })
	var all []parley.Quote
	for _, i := range missing {
		q := parley.Quote{Text: quotes[i].Text}
		switch {
		case len(quotes[i].Files) > 0:
			q.Filename = quotes[i].Files[0]
		case len(quotes[i].Sources) > 0:
			q.Source = int64(quotes[i].Sources[0])
		}
		all = append(all, q)
	}
	return all, nil
}

// searchMessages looks for quotes in the question and the messages before: a reply may quote those.
func (p *Prompter) searchMessages(ctx context.Context, t *store.Turn, search *verbatim.Search) error {
	if err := search.Add(ctx, t.Question); err != nil || t.Number < 3 {
		return err
	}
	turns, err := p.store.History(ctx, t, t.Number-1, historyBatch)
	for _, turn := range turns {
		if err := errors.Join(search.Add(ctx, turn.Question), search.Add(ctx, turn.Reply)); err != nil {
			return err
		}
	}
	return err
}
