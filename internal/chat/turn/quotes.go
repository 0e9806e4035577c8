package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
)

// defaultQuotesTimeout is far more than the check takes, unless the machine is busy. The text is shown already.
const defaultQuotesTimeout = 2 * time.Second

// checkQuotes sets the quotes of a reply that were not found. If it can't check them in time, it sets no quotes.
func (e *Engine) checkQuotes(r *reply) {
	if r.checkQuotes == nil {
		return
	}
	text, details := r.soFar()
	missing, err := e.missingQuotes(r, text, details)
	if err != nil {
		e.log.Warn("quotes not checked", "session", r.SessionID, "reply", r.ReplyID, "error", err)
	}
	for _, q := range r.Earlier().Details.NotFound { // the sources of a continued reply are no longer known
		if r.Continue && strings.Contains(text, q.Text) && !slices.Contains(missing, q) {
			missing = append(missing, q)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.details.NotFound = missing
}

func (e *Engine) missingQuotes(r *reply, text string, details parley.Details) (missing []parley.Quote, err error) {
	defer func() {
		if p := recover(); p != nil {
			missing, err = nil, fmt.Errorf("panic while checking quotes: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), e.quotesTimeout)
	defer cancel()
	return r.checkQuotes(ctx, text, details)
}
