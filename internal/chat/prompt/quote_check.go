package prompt

import (
	"context"
	"errors"
	"slices"

	"parley"
	"parley/internal/ai"
	"parley/internal/library"
	"parley/internal/library/quote"
	"parley/internal/store"
)

// quoteCheck finds the quotes of a turn's reply that are in none of its files, sources and messages.
type quoteCheck struct {
	store   *store.Store
	library *library.Library
	turn    *store.Turn
	texts   map[string]string // of the sources, by address; the prompt is not kept
}

func (b *Builder) newQuoteCheck(t *store.Turn, sources []ai.Source) *quoteCheck {
	check := &quoteCheck{store: b.store, library: b.library, turn: t, texts: make(map[string]string, len(sources))}
	for _, source := range sources {
		check.texts[source.URL] += source.Title + "\n" + source.Text + "\n"
	}
	return check
}

// missing returns the quotes of a reply that are nowhere. Files that can't all be read prove nothing.
func (c *quoteCheck) missing(ctx context.Context, reply string, details parley.Details) ([]parley.Quote, error) {
	if !quote.Any(reply) {
		return nil, nil
	}
	files, err := c.files(ctx)
	if err != nil {
		return nil, err
	}
	quotes, err := quote.Find(ctx, reply, namesOf(files))
	if err != nil {
		return nil, err
	}
	quotes = slices.DeleteFunc(quotes, func(q quote.Quote) bool { return !c.knows(q, details.Sources) })
	if len(quotes) == 0 {
		return nil, nil
	}
	search := quote.NewSearch(quotes)
	for _, text := range c.texts {
		if err := search.Add(ctx, text); err != nil {
			return nil, err
		}
	}
	if complete, err := c.library.FindQuotes(ctx, files, search); err != nil || !complete {
		return nil, err
	}
	if len(search.Missing()) == 0 {
		return nil, nil
	}
	if err := c.searchMessages(ctx, search); err != nil {
		return nil, err
	}
	return search.Missing(), nil
}

// files returns the files of the turn's session.
func (c *quoteCheck) files(ctx context.Context) ([]parley.File, error) {
	if c.turn.NoFiles {
		return nil, nil
	}
	return c.store.Files(ctx, c.turn.UserID, c.turn.SessionID)
}

func namesOf(files []parley.File) []string {
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = file.Filename
	}
	return names
}

// knows reports whether the texts of all sources that a quote cites are known.
func (c *quoteCheck) knows(q quote.Quote, sources []parley.Source) bool {
	for _, number := range q.Sources {
		if number < 1 || number > len(sources) {
			return false
		}
		if _, known := c.texts[sources[number-1].URL]; !known {
			return false
		}
	}
	return true
}

// searchMessages looks for quotes in the question and the messages before: a reply may quote those.
func (c *quoteCheck) searchMessages(ctx context.Context, search *quote.Search) error {
	if err := search.AddMessage(ctx, c.turn.Question); err != nil || c.turn.Number < 3 {
		return err
	}
	turns, err := c.store.History(ctx, c.turn, c.turn.Number-1, historyBatch)
	for _, turn := range turns {
		if err := errors.Join(search.AddMessage(ctx, turn.Question), search.AddMessage(ctx, turn.Reply)); err != nil {
			return err
		}
	}
	return err
}
