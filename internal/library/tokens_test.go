package library

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/embed/embedtest"
)

// countedTokens keeps what is counted. Users have tokens left as long as fewer than limit are.
type countedTokens struct {
	limit int64
	calls int
	used  parley.Usage
	model string
}

func (c *countedTokens) HasTokens(context.Context, int64) (bool, error) {
	return c.used.InputTokens < c.limit, nil
}

func (c *countedTokens) AddTokens(_ context.Context, _ int64, model string, used parley.Usage) error {
	c.calls++
	c.model = model
	c.used.InputTokens += used.InputTokens
	c.used.Estimated = c.used.Estimated || used.Estimated
	return nil
}

func TestEmbeddingsCountAndEndWithTheTokens(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		counted := &countedTokens{limit: 1000}
		s.usage = counted
		server := embedtest.New(t)
		e := s.embeds(server.URL, "bge")
		s.upload("crossing.txt", hidden(fare, gulls))
		if n := s.makeVectors(e); n != 1 || counted.calls != 1 || counted.model != "bge" || !counted.used.Estimated ||
			counted.used.InputTokens < 1000 {
			t.Errorf("of %d documents %+v was counted", n, counted)
		}

		// Without tokens left words decide alone, and further documents wait for the next day.
		asked := len(server.Batches())
		s.upload("again.txt", hidden(fare, gulls))
		s.makeVectors(e)
		if s.finds(price, fare) || len(server.Batches()) != asked {
			t.Errorf("the server got %d requests over the quota", len(server.Batches())-asked)
		}

		counted.limit = 1 << 40
		before := counted.used.InputTokens
		if !s.finds(price, fare) || counted.used.InputTokens == before {
			t.Errorf("a question has counted %d tokens", counted.used.InputTokens-before)
		}
		if n := s.makeVectors(e); n != 0 {
			t.Errorf("%d documents did not wait", n)
		}
		s.now = s.now.Add(25 * time.Hour)
		if n := s.makeVectors(e); n != 1 {
			t.Errorf("on the next day %d documents get vectors", n)
		}
	})
}
