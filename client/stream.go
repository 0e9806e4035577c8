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

// maxEvent bounds an event of a stream: a reply of many times the usual limit fits.
const maxEvent = 32 << 20

// Stream is a reply as it is made. It is to be closed, and for one goroutine only.
type Stream struct {
	body   io.ReadCloser
	frames *frameReader
	status int
	lastID string
	done   bool
}

// Stream sends a message and gives the reply as it is made. The reply goes on being
// made when its reader leaves; Follow takes it up again.
func (c *Client) Stream(ctx context.Context, in parley.SendInput, options ...SendOption) (*Stream, error) {
	r, err := c.newJSONRequest(ctx, http.MethodPost, "/api/chat/stream", in, options...)
	if err != nil {
		return nil, err
	}
	return c.openStream(r, "")
}

// Follow gives a reply that is being made, or reads a finished one again: from the
// event after lastEventID on, or from the start where that is empty.
func (c *Client) Follow(ctx context.Context, messageID, lastEventID string) (*Stream, error) {
	r, err := c.newRequest(ctx, http.MethodGet, streamPath(messageID), nil)
	if err != nil {
		return nil, err
	}
	if lastEventID != "" {
		r.Header.Set("Last-Event-ID", lastEventID)
	}
	return c.openStream(r, lastEventID)
}

// Stop ends the making of a reply and keeps what was said so far. On a finished reply
// it changes nothing.
func (c *Client) Stop(ctx context.Context, messageID string) error {
	return c.do(ctx, http.MethodPost, streamPath(messageID)+"/stop", nil, nil)
}

func streamPath(messageID string) string {
	return "/api/chat/stream/" + url.PathEscape(messageID)
}

func (c *Client) openStream(r *http.Request, lastID string) (*Stream, error) {
	r.Header.Set("Accept", "text/event-stream")
	answer, err := c.open(r)
	if err != nil {
		return nil, err
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		answer.Body.Close()
		return nil, foreign(answer, "no event stream")
	}
	return &Stream{
		body:   answer.Body,
		frames: newFrameReader(answer.Body, maxEvent),
		status: answer.StatusCode,
		lastID: lastID,
	}, nil
}

// Events gives the events as they come and ends after Done. An error ends it too: an
// *Error where the reply failed, io.ErrUnexpectedEOF where the stream broke off.
// A loop that is left early can be taken up by another.
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

// next reads one event; it gives nothing for one that this client does not know.
func (s *Stream) next() (Event, error) {
	f, err := s.frames.next()
	if err != nil {
		s.done = true
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("the stream broke off: %w", io.ErrUnexpectedEOF)
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

// LastEventID is the id of the last event that came, for Follow.
func (s *Stream) LastEventID() string { return s.lastID }

// Close ends the reading, not the reply.
func (s *Stream) Close() error { return s.body.Close() }
