package door

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/ai"
	"parley/internal/limit"
)

// generation generates a response.
type generation struct {
	door         *Door
	userID       int64
	req          responseRequest
	timeline     *timeline
	conversation []byte             // of a response that is stored
	hold         *limit.Hold[int64] // nil if the response outlives its request

	begun   bool
	message int         // the index of the message in progress, or -1
	calls   map[int]int // the indexes of the calls in progress, by the model's
	size    int64
	finish  string
}

// run calls the model to the end of its reply.
func (g *generation) run(ctx context.Context) {
	d := g.door
	g.message, g.calls = -1, map[int]int{}
	usage, err := d.pass(ctx, g.userID, g.req.model, g.req.call, func(data []byte) error { return g.event(ctx, data) })
	if err == nil && !g.begun {
		err = parley.AIUnavailable(parley.ReasonFailed)
	}
	g.timeline.settle(g.finish, usage, err)
	defer g.timeline.end()
	if !g.begun || !g.req.response.Store {
		return
	}
	if err := g.save(ctx, true); err != nil {
		d.log.ErrorContext(ctx, "store a response", "error", err)
	}
	d.live.remove(g.userID, g.req.response.ID)
}

// chatEvent is an event of a chat completion, as far as it matters here.
type chatEvent struct {
	Choices []struct {
		Index int
		Delta struct {
			Content   json.RawMessage
			Refusal   string
			ToolCalls []struct {
				Index    int
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
}

// event adds an event of the model to the response.
func (g *generation) event(ctx context.Context, data []byte) error {
	var e chatEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return &ai.Failure{Reason: parley.ReasonFailed, Err: err}
	}
	if err := g.begin(ctx); err != nil {
		return err
	}
	for _, choice := range e.Choices {
		if choice.Index != 0 {
			continue
		}
		if text, _ := ai.TextOf(choice.Delta.Content); text+choice.Delta.Refusal != "" {
			if err := g.text(text + choice.Delta.Refusal); err != nil {
				return err
			}
		}
		for _, call := range choice.Delta.ToolCalls {
			if err := g.call(call.Index, call.ID, call.Function.Name, call.Function.Arguments); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			g.finish = choice.FinishReason
		}
	}
	return nil
}

// begin is called with the first event. From then on a stored response can be found.
func (g *generation) begin(ctx context.Context) error {
	if g.begun {
		return nil
	}
	g.req.messages, g.req.call.Body = nil, nil // free their memory
	if g.req.response.Store {
		if err := g.save(ctx, false); err != nil {
			return err
		}
		g.door.live.add(g.userID, g.req.response.ID, g.timeline)
	}
	g.begun = true
	g.conversation = nil
	g.timeline.begin()
	return nil
}

func (g *generation) text(text string) error {
	if g.message < 0 {
		g.message = g.timeline.open(outputItem{Type: typeMessage, Role: parley.RoleAssistant})
		g.calls = map[int]int{}
	}
	return g.write(g.message, text)
}

func (g *generation) call(number int, callID, name, arguments string) error {
	index, known := g.calls[number]
	if !known {
		g.message = -1
		index = g.timeline.open(outputItem{Type: typeCall, CallID: callID, Name: name})
		g.calls[number] = index
	}
	if arguments == "" {
		return nil
	}
	return g.write(index, arguments)
}

// sizeStep is how often the memory of a response is counted, in bytes.
const sizeStep = 16 << 10

func (g *generation) write(index int, text string) error {
	before := g.size / sizeStep
	if g.size += int64(len(text)); g.size > g.door.maxReply {
		return &ai.Failure{Reason: parley.ReasonFailed, Err: errTooLong}
	}
	if g.size/sizeStep != before && !g.hold.Resize(g.size) {
		return parley.ErrOverloaded
	}
	g.timeline.write(index, text)
	return nil
}
