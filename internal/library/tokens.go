package library

import (
	"context"

	"parley"
	"parley/internal/ai"
	"parley/internal/embed"
)

// hasTokens reports whether a user may have vectors made.
func (l *Library) hasTokens(ctx context.Context, userID int64) (bool, error) {
	if l.usage == nil {
		return true, nil
	}
	return l.usage.HasTokens(ctx, userID)
}

// countTokens counts the tokens of vectors for a user. An error is logged: the vectors are good.
func (l *Library) countTokens(ctx context.Context, userID int64, model string, used parley.Usage) {
	if l.usage == nil || used.InputTokens == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if err := l.usage.AddTokens(ctx, userID, model, used); err != nil {
		l.log.Error("count the tokens of embeddings", "user", userID, "error", err)
	}
}

// embedTokens returns the tokens of a request: those that the server has counted, or an estimate.
func embedTokens(result embed.Result, texts []string) parley.Usage {
	if result.Tokens > 0 {
		return parley.Usage{InputTokens: result.Tokens}
	}
	used := parley.Usage{Estimated: true}
	for _, text := range texts {
		used.InputTokens += int64(ai.Tokens(text))
	}
	return used
}
