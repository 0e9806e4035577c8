package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"parley"
	"parley/internal/ai"
	"parley/internal/tracing"
)

// maxAttempts is how many processes may try to generate a reply before it fails.
const maxAttempts = 3

var errTooManyAttempts = errors.New("too many attempts")

// generate prepares the prompt and streams the model's reply into r.
func (e *Engine) generate(r *reply) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = parley.ErrInternal.WithCause(fmt.Errorf("panic while making a reply: %v", p))
		}
	}()
	if r.Attempt-r.First >= maxAttempts {
		return parley.ErrAIUnavailable.WithCause(errTooManyAttempts)
	}
	request, err := e.prepare(r.ctx, &r.Turn)
	if err != nil {
		return err
	}
	shorten := request.Shorten // the prompt is not needed once the reply has begun
	err = e.callModel(r, request)
	if ai.ReasonOf(err) == parley.ReasonTooLong && shorten != nil {
		if request, err = shorten(r.ctx); err != nil {
			return err
		}
		err = e.callModel(r, request)
	}
	if err != nil {
		return parley.AIUnavailable(ai.ReasonOf(err)).WithCause(err)
	}
	return nil
}

func (e *Engine) callModel(r *reply, request *Request) (err error) {
	tokens := request.Tokens
	r.setMaterial(request)
	r.setCalled(called{model: request.Name, price: request.Price, tokens: tokens})
	var ctx context.Context
	ctx, span := e.tracer.Call(r.ctx, "model")
	defer func() { endSpan(span, r, tokens, err) }()
	return request.Model.Reply(ctx, &request.Prompt, func(c ai.Chunk) {
		if first := r.add(c, e.now()); first {
			e.metrics.FirstToken(e.now().Sub(r.Begun))
		}
	})
}

// endSpan ends the span of a call of a model.
func endSpan(span *tracing.Span, r *reply, tokens int, err error) {
	if span == nil {
		return
	}
	span.Text("gen_ai.request.model", cmp.Or(r.Options.Model, "default"))
	span.Number("parley.input_tokens", int64(tokens))
	span.Number("parley.output_tokens", int64(r.newTokens()))
	if err != nil {
		span.Text("parley.reason", ai.ReasonOf(err))
	}
	span.End(err)
}
