package chat

import (
	"context"

	"parley"
	"parley/internal/websearch"
)

// search asks the web, within a third of the time limit.
func (s *Service) search(ctx context.Context, question string) ([]websearch.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.RequestTimeout/3)
	defer cancel()
	results, err := s.Search.Search(ctx, question)
	if err != nil {
		return nil, parley.ErrSearchUnavailable.Because(err)
	}
	return results, nil
}
