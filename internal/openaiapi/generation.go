package openaiapi

import (
	"context"
	"encoding/json"
	"net/http"

	"parley"
	"parley/internal/ai"
	"parley/internal/responses"
)

// generation generates a response. Its memory belongs to the timeline. The goroutine of the generation and the readers
// of the response hold it together.
type generation struct {
	api          *API
	userID       int64
	req          *responseRequest
	timeline     *timeline
	count        counter
	conversation []byte // of a stored response

	begun   bool
	message int         // the index of the message in progress, or -1
	calls   map[int]int // the indexes of the calls in progress, by the model's
	size    int64       // of the text
	finish  string
}

// newGeneration prepares a response. The quota is checked before the conversation is loaded.
func (a *API) newGeneration(ctx context.Context, userID int64, req *responseRequest) (*generation, error) {
	g := &generation{api: a, userID: userID, req: req, message: -1, calls: map[int]int{}}
	if err := g.reserve(ctx); err != nil {
		return nil, err
	}
	count, err := a.begin(ctx, userID, req.model.Name, 1)
	if err != nil {
		g.release()
		return nil, err
	}
	g.count, g.timeline = count, newTimeline(req.response, a.memory.Hold(userID))
	if err := g.prepare(ctx); err != nil {
		g.timeline.release()
		a.count(ctx, count, parley.Usage{})
		g.release()
		return nil, err
	}
	return g, nil
}

// reserve takes the places of a stored response, which goes on if its client leaves.
func (g *generation) reserve(ctx context.Context) error {
	if !g.req.response.Store {
		return nil
	}
	if !g.api.generating.TryAcquire(g.userID) {
		return parley.ErrTooManyOpen
	}
	if err := g.api.detached.Acquire(ctx); err != nil {
		g.api.generating.Release(g.userID)
		return err
	}
	return nil
}

// release gives the places back.
func (g *generation) release() {
	if g.req.response.Store {
		g.api.detached.Release()
		g.api.generating.Release(g.userID)
	}
}

// prepare loads the conversation, and stores the beginning of the response if the client wants it stored: if there is
// no room for it, the model is not called.
func (g *generation) prepare(ctx context.Context) error {
	if err := g.load(ctx); err != nil || !g.req.response.Store {
		return err
	}
	defer func() { g.conversation = nil }() // free its memory
	return g.save(ctx, false)
}

// load loads the conversation. It is held until the first event of the model.
func (g *generation) load(ctx context.Context) error {
	t := g.timeline
	messages, size, err := g.api.assemble(ctx, g.userID, g.req, func(bytes int64) bool {
		return t.hold.Resize(t.size() + bytes)
	})
	if err != nil {
		return err
	}
	g.req.input = nil // free its memory
	encoded, err := encodeMessages(messages, size)
	if err != nil {
		return err
	}
	if g.req.response.Store {
		if err := g.checkStored(encoded); err != nil {
			return err
		}
		g.conversation = encoded
	}
	if instructions := g.req.response.Instructions; instructions != nil {
		messages = append([]chatMessage{{Role: "system", Content: *instructions}}, messages...)
		if encoded, err = encodeMessages(messages, size+int64(len(*instructions))); err != nil {
			return err
		}
	}
	g.req.call.Body["messages"] = encoded
	g.req.call.Body, err = g.api.withInstructions(g.req.call.Body)
	return err
}

// checkStored refuses to store a response that leaves no room for its reply.
func (g *generation) checkStored(conversation []byte) error {
	beginning, err := g.timeline.encode()
	if err != nil {
		return err
	}
	if !responses.HasRoom(len(conversation) + len(beginning)) {
		return &Error{
			Status: http.StatusBadRequest, Param: "store",
			Text: "the conversation and the other fields are larger than 2 MiB, so that the response can't be stored",
		}
	}
	return nil
}

// run calls the model to the end of its reply.
func (g *generation) run(ctx context.Context) {
	a, t := g.api, g.timeline
	defer g.release()
	defer t.release()
	if g.req.response.Store {
		detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(a.working, cancel)()
		ctx = detached
	}
	usage, err := a.passBegun(ctx, g.req.model, g.req.call, g.count, g.event)
	if err == nil && !g.begun {
		err = parley.AIUnavailable(parley.ReasonFailed)
	}
	t.settle(g.finish, usage, endOf(ctx, err))
	defer t.end()
	switch {
	case !g.req.response.Store:
		return
	case !g.begun:
		if err := a.responses.Drop(ctx, g.userID, g.req.response.ID); err != nil {
			a.log.ErrorContext(ctx, "delete a response that has not begun", "error", err)
		}
		return
	}
	if err := g.save(ctx, true); err != nil {
		a.log.ErrorContext(ctx, "store a response", "error", err)
	}
	a.live.remove(g.userID, g.req.response.ID)
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
func (g *generation) event(data []byte) error {
	var e chatEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return &ai.Failure{Reason: parley.ReasonFailed, Err: err}
	}
	g.begin()
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

// begin is called with the first event. From then on a stored response can be followed.
func (g *generation) begin() {
	if g.begun {
		return
	}
	if g.req.response.Store {
		g.api.live.add(g.userID, g.req.response.ID, g.timeline)
	}
	g.begun = true
	g.timeline.begin()
	g.timeline.hold.Force(g.timeline.size())
}

func (g *generation) text(text string) error {
	if g.message < 0 {
		g.calls = map[int]int{}
		index, err := g.open(outputItem{Type: typeMessage, Role: parley.RoleAssistant})
		if err != nil {
			return err
		}
		g.message = index
	}
	return g.write(g.message, text)
}

func (g *generation) call(number int, callID, name, arguments string) (err error) {
	index, known := g.calls[number]
	if !known {
		g.message = -1
		if index, err = g.open(outputItem{Type: typeCall, CallID: callID, Name: name}); err != nil {
			return err
		}
		g.calls[number] = index
	}
	if arguments == "" {
		return nil
	}
	return g.write(index, arguments)
}

// open adds an output item and returns its index.
func (g *generation) open(item outputItem) (int, error) {
	index := g.timeline.open(item)
	if !g.timeline.hold.Resize(g.timeline.size()) {
		return 0, parley.ErrOverloaded
	}
	return index, nil
}

// sizeStep is how often the memory of a response is counted, in bytes.
const sizeStep = 16 << 10

func (g *generation) write(index int, text string) error {
	before := g.size / sizeStep
	if g.size += int64(len(text)); g.size > g.api.maxReply {
		return &ai.Failure{Reason: parley.ReasonFailed, Err: errTooLong}
	}
	if g.size/sizeStep != before && !g.timeline.hold.Resize(g.timeline.size()+int64(len(text))) {
		return parley.ErrOverloaded
	}
	g.timeline.write(index, text)
	return nil
}
