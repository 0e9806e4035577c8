package openaiapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"parley"
	"parley/internal/sse"
)

// send sends an event with JSON. It is sent in one line: not every client joins lines.
func send(out *sse.Writer, name string, data []byte) error {
	var line bytes.Buffer
	if bytes.IndexByte(data, '\n') >= 0 && json.Compact(&line, data) == nil {
		data = line.Bytes()
	}
	return out.Send(sse.Event{Name: name, Data: func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	}})
}

// errStopping ends a call if the server stops.
var errStopping = &Error{
	Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Text: "the server is shutting down; try again",
}

// endOf returns why a call has ended: err, or if its context has ended, that its login has ended or the server stops.
// If the client has disconnected, nobody reads it.
func endOf(ctx context.Context, err error) error {
	var reason *parley.Error
	switch {
	case err == nil:
		return nil
	case errors.As(context.Cause(ctx), &reason):
		return reason
	case errors.Is(err, context.Canceled):
		return errStopping
	}
	return err
}
