package ai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// errorBody is how much of an error's body is read.
	errorBody = 8 << 10
	// readBuffer holds a few ordinary events; there is one for each reply under way.
	readBuffer = 1 << 10
	// lineSlack and overhead bound what is read beyond the reply itself: the JSON
	// around a text, and around each of thousands of pieces of text.
	lineSlack = 64 << 10
	overhead  = 128
	// A reply that has its finish_reason waits this long for more, one that has its
	// [DONE] for the end of the stream, after which the connection can be used again.
	finishGrace = 5 * time.Second
	doneGrace   = 250 * time.Millisecond
)

// wireRequest is the body of a request.
type wireRequest struct {
	Model    string        `json:"model"`
	Messages []wireMessage `json:"messages"`
	Stream   bool          `json:"stream"`
	thinkingFields
}

// try asks once and reads the answer, until ctx ends or the watch ends it. begun says
// that something was emitted.
func (o *OpenAI) try(ctx context.Context, watch *watch, prompt *Prompt, emit func(Chunk)) (begun bool, err error) {
	watch.start(o.idle)
	defer watch.stop()
	events, err := o.ask(ctx, watch, prompt)
	if err != nil {
		return false, cause(ctx, err)
	}
	defer events.close()
	a := answer{emit: emit, prompt: prompt, room: o.maxReply, key: o.key}
	err = o.read(ctx, events, &a, watch)
	return a.begun, cause(ctx, err)
}

// cause is err, or why ctx ended if that is what err comes from.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// ask sends the prompt and returns the events of an answer with status 200, each line
// of which winds up the watch. Where the upstream does not take the field for deep
// thinking, it is asked again without, and from then on.
func (o *OpenAI) ask(ctx context.Context, watch *watch, prompt *Prompt) (*eventReader, error) {
	request := wireRequest{Model: o.model, Messages: prompt.messages(), Stream: true}
	refused := &o.refused[0]
	if prompt.DeepThinking {
		request.Model = o.thinkingModel
		refused = &o.refused[1]
	}
	fields, names := o.dialect.fields(prompt.DeepThinking)
	if names == nil || refused.Load() {
		return o.post(ctx, watch, request, nil)
	}
	request.thinkingFields = fields
	events, err := o.post(ctx, watch, request, names)
	var f *Failure
	if !errors.As(err, &f) || !f.namesThinking {
		return events, err
	}
	request.thinkingFields = thinkingFields{}
	events, err = o.post(ctx, watch, request, nil)
	if err == nil {
		refused.Store(true)
	}
	return events, err
}

func (o *OpenAI) post(ctx context.Context, watch *watch, request wireRequest, names []string) (*eventReader, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, newBody(body))
	if err != nil {
		return nil, unreachable(err, o.key)
	}
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(newBody(body)), nil }
	// The transport sends the request again if the server has closed an idle connection: an entry without
	// a value marks it as idempotent and is not sent.
	req.Header["Idempotency-Key"] = nil
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	// Asked for here so that no transport adds gzip and unpacks without bound.
	req.Header.Set("Accept-Encoding", "identity")
	if o.key != "" {
		req.Header.Set("Authorization", "Bearer "+o.key)
	}
	res, err := o.client.Do(req)
	if err != nil {
		return nil, unreachable(err, o.key)
	}
	encoding := res.Header.Get("Content-Encoding")
	if res.StatusCode == http.StatusOK && (encoding == "" || encoding == "identity") {
		// The transport keeps the request, and the body the response, until the body is closed.
		body, res.Header, res.Request = nil, nil, nil
		return o.events(res.Body, watch), nil
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		return nil, malformed("a compressed answer, which was not asked for")
	}
	// What can't be read of an error's body is not missed.
	begin, _ := io.ReadAll(io.LimitReader(res.Body, errorBody))
	return nil, refusal(res, begin, o.key, names)
}

// requestBody is the body of a request. It releases its bytes once they are read, since the transport keeps
// the request until the response ends.
type requestBody struct{ in *bytes.Reader }

func newBody(data []byte) requestBody { return requestBody{in: bytes.NewReader(data)} }

func (b requestBody) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if err != nil {
		b.in.Reset(nil)
	}
	return n, err
}

// events reads the events of an answer within the limits of a reply.
func (o *OpenAI) events(body io.ReadCloser, watch *watch) *eventReader {
	return &eventReader{
		in:     bufio.NewReaderSize(body, readBuffer),
		body:   body,
		event:  2*o.maxReply + lineSlack,
		stream: overhead*o.maxReply + lineSlack,
		line:   watch.wind,
	}
}

// read gives the events of a stream to a until it ends.
func (o *OpenAI) read(ctx context.Context, events *eventReader, a *answer, watch *watch) error {
	switch first, err := events.first(); {
	case err != nil:
		return cutShort(err, o.key)
	case first == '<':
		return malformed("HTML, not an event stream; check the base URL")
	case first == '{':
		return a.whole(events.in, events.event)
	}
	for !a.done {
		data, isError, err := events.next()
		if err != nil && a.finished {
			return a.end()
		}
		if err != nil {
			return cutShort(err, o.key)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := a.event(data, isError); err != nil {
			return err
		}
		if a.finished {
			watch.start(min(o.idle, finishGrace))
		}
	}
	watch.start(doneGrace)
	_, _ = io.CopyN(io.Discard, events.in, lineSlack)
	return a.end()
}

// cutShort is why a stream could not be read to its end.
func cutShort(err error, key string) *Failure {
	switch {
	case errors.Is(err, errTooMuch):
		return &Failure{Kind: Oversized, detail: "a line or a stream without end"}
	case errors.Is(err, io.EOF):
		return malformed("the stream ended before the reply did")
	}
	return unreachable(err, key)
}
