package ai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley"
)

// Call is a chat completion in OpenAI's form, which is passed to a model as its client wrote it.
type Call struct {
	// Body has the fields of the request. The provider replaces the name of the model and adds the fields of its
	// configuration.
	Body map[string]json.RawMessage
	// Model is the name under which the client knows the model. The response has it, too.
	Model string
	// Choices is how many replies the client asks for. 0 means 1.
	Choices int
	// Stream reports whether the response is a stream of events.
	Stream bool
	// Usage reports whether the stream ends with the number of tokens.
	Usage bool
	// ID and Created are for the response of a model that has no wire format of its own.
	ID      string
	Created time.Time
}

// Passer is a Model that takes calls as they are.
type Passer interface {
	// Pass calls emit with each event of a stream, without the [DONE] at its end, or once with the whole response.
	// The data is valid during the call of emit. If emit returns an error, Pass ends with it. The usage is also valid
	// if Pass fails after the first event. Nothing is tried again: clients do that themselves.
	Pass(ctx context.Context, call Call, emit func(data []byte) error) (parley.Usage, error)
}

// Pass passes a call to a model. A model gets the texts of the messages if it is not a Passer.
func Pass(ctx context.Context, model Model, call Call, emit func(data []byte) error) (parley.Usage, error) {
	if passer, ok := model.(Passer); ok {
		return passer.Pass(ctx, call, emit)
	}
	return passAsPrompt(ctx, model, call, emit)
}

var _ Passer = Fallback{}

// Pass implements Passer.
func (f Fallback) Pass(ctx context.Context, call Call, emit func(data []byte) error) (parley.Usage, error) {
	begun := false
	usage, err := Pass(ctx, f.First, call, func(data []byte) error {
		begun = true
		return emit(data)
	})
	if err == nil || begun || ctx.Err() != nil || isClientFault(err) {
		return usage, err
	}
	return Pass(ctx, f.Second, call, emit)
}

// isClientFault reports whether an error is about the request itself.
func isClientFault(err error) bool {
	const badRequest = 400
	var failure *Failure
	var field *Unsupported
	return errors.As(err, &field) || errors.As(err, &failure) && failure.Status == badRequest
}

// Unsupported is the error for a field of a call that a model can't honor. No server was asked.
type Unsupported struct {
	Field  string
	Reason string
}

func (u *Unsupported) Error() string { return fmt.Sprintf("%s: %s", u.Field, u.Reason) }
