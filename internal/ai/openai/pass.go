package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"

	"parley"
	"parley/internal/ai"
)

var _ ai.Passer = (*Client)(nil)

// errStreamOptions means that the server rejects stream_options, which the client has not set.
var errStreamOptions = errors.New("the server rejects stream_options")

// Pass implements ai.Passer. It returns the errors of Reply, those of emit, or an *ai.Unsupported.
func (c *Client) Pass(ctx context.Context, call ai.Call, emit func(data []byte) error) (parley.Usage, error) {
	if err := c.checkCall(call); err != nil {
		return parley.Usage{}, err
	}
	limited, watch := startWatch(ctx, c.idle, c.maxTime)
	defer watch.cancel(nil)
	p := passing{call: call, emit: emit, secrets: c.secrets}
	p.usage = parley.Usage{InputTokens: int64(callTokens(call.Body)), Estimated: true}
	err := c.passOnce(limited, watch, &p)
	if errors.Is(err, errStreamOptions) {
		c.usageRefused.Store(true)
		err = c.passOnce(limited, watch, &p)
	}
	var client *emitError
	switch {
	case err == nil:
		return p.usage, nil
	case errors.As(err, &client):
		return p.usage, client.err
	}
	return p.usage, cmp.Or(ctx.Err(), withReason(cause(limited, err)))
}

// emitError is an error of emit.
type emitError struct{ err error }

func (e *emitError) Error() string { return e.err.Error() }

// passOnce sends the call and passes the response on.
func (c *Client) passOnce(ctx context.Context, watch *watch, p *passing) error {
	// The request may wait in the server's queue. A response that is not streamed arrives only when it is complete.
	watch.start(watch.limit)
	defer watch.stop()
	body, err := c.encodeCall(p.call)
	if err != nil {
		return err
	}
	accept := "application/json"
	if p.call.Stream {
		accept = "text/event-stream"
	}
	res, err := c.do(ctx, len(body), func() io.Reader { return newBody(body) }, accept)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if encoding := res.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return malformed("a compressed response, which was not requested")
	}
	if res.StatusCode != http.StatusOK {
		// The body only adds detail to the failure, so errors of reading it are ignored.
		detail, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		f := refusal(res, detail, c.secrets, nil)
		if c.addsUsage(p.call) && f.Status == http.StatusBadRequest && containsAny(detail, []string{"stream_options"}) {
			return errStreamOptions
		}
		return f
	}
	body, res.Header, res.Request, p.call.Body = nil, nil, nil, nil // they are no longer needed
	if !p.call.Stream {
		return c.passDocument(res.Body, p)
	}
	watch.start(c.idle)
	return c.passEvents(ctx, c.events(res.Body, watch), p, watch)
}

// passDocument passes on a response that is not streamed.
func (c *Client) passDocument(in io.Reader, p *passing) error {
	limit := 2*c.maxReply + eventSlack
	data, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return incomplete(err, c.secrets)
	}
	if len(data) > limit {
		return incomplete(errTooLarge, c.secrets)
	}
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] != '{' {
		return malformed("a response that is not JSON; check the base URL")
	}
	return p.event(data)
}

// passEvents passes on a stream until it is complete.
func (c *Client) passEvents(ctx context.Context, events *eventReader, p *passing, watch *watch) error {
	switch first, err := events.first(); {
	case err != nil:
		return incomplete(err, c.secrets)
	case first == '<':
		return malformed("HTML, not an event stream; check the base URL")
	case first == '{':
		return malformed("a document, not an event stream")
	}
	for {
		data, isError, err := events.next()
		if err != nil && p.finished {
			return p.end()
		}
		if err != nil {
			return incomplete(err, c.secrets)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isError {
			return aborted(data, c.secrets)
		}
		if string(bytes.TrimSpace(data)) == "[DONE]" {
			watch.start(doneGrace)
			_, _ = io.CopyN(io.Discard, events.in, eventSlack)
			return p.end()
		}
		if err := p.event(data); err != nil {
			return err
		}
		if p.finished {
			watch.start(min(c.idle, finishGrace))
		}
	}
}

// addsUsage reports whether the server is asked for the usage of a stream although the client did not.
func (c *Client) addsUsage(call ai.Call) bool {
	return call.Stream && !call.Usage && !c.usageRefused.Load()
}

// encodeCall returns the body of a call: with the server's name of the model, and with the fields of the configuration,
// which replace those of the client.
func (c *Client) encodeCall(call ai.Call) ([]byte, error) {
	fields := maps.Clone(call.Body)
	name, err := json.Marshal(c.model)
	if err != nil {
		return nil, err
	}
	fields["model"] = name
	if c.addsUsage(call) {
		fields["stream_options"] = json.RawMessage(`{"include_usage":true}`)
	}
	for name, value := range c.body {
		if fields[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	c.limitTokens(fields)
	return joinFields(fields), nil
}
