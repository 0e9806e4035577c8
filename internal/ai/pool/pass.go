package pool

import (
	"context"

	"parley"
	"parley/internal/ai"
)

var _ ai.Passer = (*Pool)(nil)

// Pass implements ai.Passer. A server that fails before the first event is left for the next one. Each is asked once.
func (p *Pool) Pass(ctx context.Context, call ai.Call, emit func(data []byte) error) (usage parley.Usage, err error) {
	tried := map[*member]bool{}
	for m := p.next(tried); m != nil; m = p.next(tried) {
		tried[m] = true
		begun := false
		usage, err = ai.Pass(ctx, m.Model, call, func(data []byte) error {
			if !begun {
				begun = true
				p.record(m, nil)
			}
			return emit(data)
		})
		if begun {
			return usage, err
		}
		p.settle(ctx, m, err)
		if err == nil || ctx.Err() != nil || ai.FaultOf(err) == ai.NoFault {
			return usage, err
		}
	}
	return usage, err
}
