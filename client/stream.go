package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"

	"parley"
)

// maxEvent is the largest event of a stream. A reply of many times the default limit fits.
const maxEvent = 32 << 20

// Stream is a streamed reply. It must be closed, and is not safe for concurrent use.
type Stream struct {
	body   io.ReadCloser
	frames *frameReader
	status int
	lastID string
	done   bool
}

// Stream sends a message and streams the reply. The server continues the reply if the stream is
// closed; Follow resumes it.
func (c *Client) Stream(ctx context.Context, in parley.SendInput, options ...SendOption) (*Stream, error) {
	r, err := c.newJSONRequest(ctx, http.MethodPost, "/api/chat/stream", in, options...)
	if err != nil {
		return nil, err
	}
	return openStream(c.http, r, "")
}

// StreamContinue continues the last reply of a session, which was stopped or interrupted, and streams
// the new text.
func (c *Client) StreamContinue(ctx context.Context, sessionID string, in parley.RegenerateInput) (*Stream, error) {
	input := parley.StreamInput{SessionID: sessionID, Continue: true, ReplyOptions: in.ReplyOptions}
	r, err := c.newJSONRequest(ctx, http.MethodPost, "/api/chat/stream", input)
	if err != nil {
		return nil, err
	}
	return openStream(c.http, r, "")
}

// Follow streams a reply that is running or finished, starting after lastEventID, or from the beginning if lastEventID
// is empty.
func (c *Client) Follow(ctx context.Context, messageID, lastEventID string) (*Stream, error) {
	r, err := c.newRequest(ctx, http.MethodGet, streamPath(messageID), nil)
	if err != nil {
		return nil, err
	}
	if lastEventID != "" {
		r.Header.Set("Last-Event-ID", lastEventID)
	}
	return openStream(c.http, r, lastEventID)
}

// Stop stops a reply and keeps its text so far. A finished reply is left unchanged.
func (c *Client) Stop(ctx context.Context, messageID string) error {
	return c.do(ctx, http.MethodPost, streamPath(messageID)+"/stop", nil, nil)
}

func streamPath(messageID string) string {
	return "/api/chat/stream/" + url.PathEscape(messageID)
}

func openStream(h *http.Client, r *http.Request, lastID string) (*Stream, error) {
	r.Header.Set("Accept", "text/event-stream")
	response, err := open(h, r)
	if err != nil {
		return nil, err
	}
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || kind != "text/event-stream" {
		response.Body.Close()
		return nil, unexpectedResponse(response, "no event stream")
	}
	return &Stream{
		body:   response.Body,
		frames: newFrameReader(response.Body, maxEvent),
		status: response.StatusCode,
		lastID: lastID,
	}, nil
}

// Events returns the events as they arrive, up to Done. An error ends it too: an *Error if the
// reply failed, io.ErrUnexpectedEOF if the stream was cut off. After leaving the loop early,
// another loop continues with the next event.
func (s *Stream) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for !s.done {
			event, err := s.next()
			if event == nil && err == nil {
				continue
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// next reads one event. It returns nil for an unknown one.
func (s *Stream) next() (Event, error) {
	f, err := s.frames.next()
	if err != nil {
		s.done = true
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("the stream was cut off: %w", io.ErrUnexpectedEOF)
		}
		return nil, err
	}
	if f.id != "" {
		s.lastID = f.id
	}
	event, err := decodeEvent(f.name, f.data)
	if _, finished := event.(Done); finished || err != nil {
		s.done = true
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Status = s.status
	}
	return event, err
}

// Wait reads to the end and returns the finished reply.
func (s *Stream) Wait() (parley.SendOutput, error) {
	for event, err := range s.Events() {
		if err != nil {
			return parley.SendOutput{}, err
		}
		if done, ok := event.(Done); ok {
			return done.SendOutput, nil
		}
	}
	return parley.SendOutput{}, errors.New("the stream has been read to its end")
}

// LastEventID returns the id of the last event, for Follow.
func (s *Stream) LastEventID() string { return s.lastID }

// Close closes the stream. The server continues the reply.
func (s *Stream) Close() error { return s.body.Close() }
