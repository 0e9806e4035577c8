package openai

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"parley/internal/ai"
)

const (
	// maxErrorBody limits how much of an error's body is read.
	maxErrorBody = 8 << 10
	// readBuffer holds a few events of ordinary size. Each reply in progress has one.
	readBuffer = 1 << 10
	// eventSlack and eventOverhead limit what is read in addition to the reply: the JSON around one text, and
	// around thousands of pieces of text.
	eventSlack    = 64 << 10
	eventOverhead = 128
	// finishGrace limits the wait for more after finish_reason. doneGrace limits the wait for the end of the
	// stream after [DONE], which makes the connection reusable.
	finishGrace = 5 * time.Second
	doneGrace   = 250 * time.Millisecond
)

// wireRequest is the body of a request.
type wireRequest struct {
	Model    string        `json:"model"`
	Messages []wireMessage `json:"messages"`
	Stream   bool          `json:"stream"`
	// MaxTokens limits the reply. 0 is left out.
	MaxTokens int `json:"max_tokens,omitempty"`
	// StreamOptions ask for the tokens that the server counts.
	StreamOptions *streamOptions `json:"stream_options,omitempty"`
	thinkingFields
}

type wireMessage struct {
	Role string `json:"role"`
	// Content is a text, or parts if there are pictures.
	Content any `json:"content"`
}

func wireMessages(messages []ai.Message) []wireMessage {
	wire := make([]wireMessage, len(messages))
	for i, m := range messages {
		wire[i] = wireMessage{Role: m.Role, Content: m.Content}
		if len(m.Images) > 0 {
			wire[i].Content = contentParts(m)
		}
	}
	return wire
}

// try sends the prompt once and reads the reply. begun reports whether a chunk was emitted.
func (c *Client) try(
	ctx context.Context, watch *watch, prompt *ai.Prompt, emit func(ai.Chunk),
) (begun bool, err error) {
	watch.start(watch.limit) // the request may wait in the server's queue
	defer watch.stop()
	events, err := c.request(ctx, watch, prompt)
	if err != nil {
		return false, cause(ctx, err)
	}
	defer events.close()
	watch.start(c.idle)
	r := reply{emit: emit, prompt: prompt, room: c.maxReply, secrets: c.secrets}
	err = c.read(ctx, events, &r, watch)
	r.sendUsage()
	return r.begun, cause(ctx, err)
}

// cause returns the cause of ctx's end if ctx has ended, and err otherwise.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// request sends the prompt and returns the events of a response with status 200. If the server rejects the
// dialect's field for deep thinking, the request is repeated without it. Later requests omit the field too.
func (c *Client) request(ctx context.Context, watch *watch, prompt *ai.Prompt) (*eventReader, error) {
	request := wireRequest{Model: c.model, Messages: wireMessages(prompt.Messages()), Stream: true, MaxTokens: c.maxTokens}
	refused := &c.plainRefused
	if prompt.DeepThinking {
		request.Model = c.thinkingModel
		refused = &c.deepRefused
	}
	fields, names := c.dialect.fields(prompt.DeepThinking)
	if names == nil || refused.Load() {
		return c.requestUsage(ctx, watch, request, nil)
	}
	request.thinkingFields = fields
	events, err := c.requestUsage(ctx, watch, request, names)
	var f *Failure
	if !errors.As(err, &f) || !f.namesThinking {
		return events, err
	}
	request.thinkingFields = thinkingFields{}
	events, err = c.requestUsage(ctx, watch, request, nil)
	if err == nil {
		refused.Store(true)
	}
	return events, err
}

// requestUsage sends a request that asks for the tokens that the server counts. If the server rejects that, the request
// is repeated without it. Later requests omit it too.
func (c *Client) requestUsage(
	ctx context.Context, watch *watch, request wireRequest, thinking []string,
) (*eventReader, error) {
	if c.usageRefused.Load() {
		return c.post(ctx, watch, request, thinking)
	}
	request.StreamOptions = &streamOptions{IncludeUsage: true}
	events, err := c.post(ctx, watch, request, thinking)
	var f *Failure
	if !errors.As(err, &f) || !f.namesUsage {
		return events, err
	}
	request.StreamOptions = nil
	events, err = c.post(ctx, watch, request, thinking)
	if err == nil {
		c.usageRefused.Store(true)
	}
	return events, err
}

// post sends one request. names are the names of the deep-thinking fields in it, if any.
func (c *Client) post(
	ctx context.Context, watch *watch, request wireRequest, names []string,
) (*eventReader, error) {
	body, err := c.encode(request)
	if err != nil {
		return nil, err
	}
	res, err := c.do(ctx, len(body), func() io.Reader { return newBody(body) }, "text/event-stream")
	if err != nil {
		return nil, err
	}
	encoding := res.Header.Get("Content-Encoding")
	if res.StatusCode == http.StatusOK && (encoding == "" || encoding == "identity") {
		// Release the prompt: net/http refers to the request and the response until the body is closed.
		body, res.Header, res.Request = nil, nil, nil
		return c.events(res.Body, watch), nil
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		return nil, malformed("a compressed response, which was not requested")
	}
	// The body only adds detail to the failure, so errors of reading it are ignored.
	detail, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	return nil, refusal(res, detail, c.secrets, names)
}

// do sends a request with the body from content, and returns the response, whatever its status.
func (c *Client) do(
	ctx context.Context, length int, content func() io.Reader, accept string,
) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, content())
	if err != nil {
		return nil, unreachable(err, c.secrets)
	}
	req.ContentLength = int64(length)
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(content()), nil }
	// An entry without a value marks the request as idempotent and is not sent. The transport then repeats
	// the request if the server has closed an idle connection.
	req.Header["Idempotency-Key"] = nil
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	req.Header.Set("Accept-Encoding", "identity")
	c.authorize(req)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(err, c.secrets)
	}
	return res, nil
}

// requestBody is the body of a request. It releases its bytes once they are read, because the transport
// refers to the request until the response ends.
type requestBody struct{ in *bytes.Reader }

func newBody(data []byte) requestBody { return requestBody{in: bytes.NewReader(data)} }

func (b requestBody) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if err != nil {
		b.in.Reset(nil)
	}
	return n, err
}

// events returns a reader of the events in body. Each line resets the watch.
func (c *Client) events(body io.ReadCloser, watch *watch) *eventReader {
	return &eventReader{
		in:        bufio.NewReaderSize(body, readBuffer),
		body:      body,
		maxEvent:  2*c.maxReply + eventSlack,
		maxStream: eventOverhead*c.maxReply + eventSlack,
		onLine:    watch.reset,
	}
}

// read reads the response into r until the reply is complete.
func (c *Client) read(ctx context.Context, events *eventReader, r *reply, watch *watch) error {
	switch first, err := events.first(); {
	case err != nil:
		return incomplete(err, c.secrets)
	case first == '<':
		return malformed("HTML, not an event stream; check the base URL")
	case first == '{':
		return r.document(events.in, events.maxEvent)
	}
	for !r.done {
		data, isError, err := events.next()
		if err != nil && r.finished {
			return r.end()
		}
		if err != nil {
			return incomplete(err, c.secrets)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.event(data, isError); err != nil {
			return err
		}
		if r.finished {
			watch.start(min(c.idle, finishGrace))
		}
	}
	watch.start(doneGrace)
	_, _ = io.CopyN(io.Discard, events.in, eventSlack)
	return r.end()
}
