package openaiapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/responses"
	"parley/internal/sse"
)

// Responses serves a response. It returns an error if nothing was written.
func (a *API) Responses(w http.ResponseWriter, r *http.Request, who Caller) error {
	if r.Header.Get(sessionHeader) != "" {
		return &Error{
			Status: http.StatusBadRequest, Param: sessionHeader,
			Text: sessionHeader + " is only supported by /v1/chat/completions",
		}
	}
	body, err := readFields(r)
	if err != nil {
		return err
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	req, err := a.newResponseRequest(body)
	if err != nil {
		return err
	}
	return a.once(w, r, who, key, body, func(w http.ResponseWriter, r *http.Request) error {
		return a.respond(w, r, who, &req)
	})
}

// respond generates a response and writes it as a stream, or as a document at its end.
func (a *API) respond(w http.ResponseWriter, r *http.Request, who Caller, req *responseRequest) error {
	t, err := a.start(r.Context(), who, req)
	if err != nil {
		return err
	}
	defer t.release()
	releaseBody(r)
	if req.stream {
		return a.followResponse(w, r, who, t, 0)
	}
	if err := t.wait(r.Context()); err != nil {
		return err
	}
	if failed := t.failure(); failed != nil && !req.response.Store {
		return failed
	}
	return a.writeDocument(w, t)
}

func (a *API) writeDocument(w http.ResponseWriter, t *timeline) error {
	data, err := encode(t.snapshot())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the client may have disconnected
	return nil
}

// start calls the model and returns the response when it has begun. The caller has to release it. If it is stored, it
// goes on after the client leaves.
func (a *API) start(ctx context.Context, who Caller, req *responseRequest) (*timeline, error) {
	done, err := a.admit()
	if err != nil {
		return nil, err
	}
	g, err := a.newGeneration(ctx, who.UserID, req)
	if err != nil {
		done()
		return nil, err
	}
	t := g.timeline
	t.retain()
	go func() {
		defer done()
		g.run(ctx)
	}()
	if err := t.began(ctx); err != nil {
		t.release()
		return nil, err
	}
	return t, nil
}

// followResponse writes the events of a response from a sequence number on.
func (a *API) followResponse(
	w http.ResponseWriter, r *http.Request, who Caller, t *timeline, from int,
) error {
	defer a.metrics.StreamOpened()()
	out := sse.NewWriter(w)
	defer out.Beat(a.heartbeat)()
	for {
		if !who.Hold.Resize(t.size()) {
			if !out.Begun() {
				return parley.ErrOverloaded
			}
			_ = send(out, "error", streamError(from, parley.ErrOverloaded)) // the client may have disconnected
			return ErrWritten
		}
		events, last, changed := t.next(from)
		for _, e := range events {
			if send(out, e.name, e.data) != nil {
				return ErrWritten // the client has disconnected
			}
		}
		from += len(events)
		if last && t.failure() != nil {
			return ErrWritten
		}
		if last {
			return nil
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			reason := endOf(r.Context(), context.Canceled)
			_ = send(out, "error", streamError(from, reason)) // the client may have disconnected
			return ErrWritten
		}
	}
}

// streamError returns the data of the event for a stream that ends before its response.
func streamError(number int, err error) []byte {
	wire := inStream(err).wire()
	data, _ := json.Marshal(map[string]any{ // texts and numbers can always be encoded
		"type": "error", "sequence_number": number, "code": wire.Code, "message": wire.Message, "param": wire.Param,
	})
	return data
}

// Response serves a stored response, as a document or as the rest of its stream.
func (a *API) Response(w http.ResponseWriter, r *http.Request, who Caller) error {
	query := r.URL.Query()
	from, err := startingAfter(query.Get("starting_after"))
	if err != nil {
		return err
	}
	responseID := r.PathValue("response_id")
	stream := query.Get("stream") == "true"
	if t := a.live.find(who.UserID, responseID); t != nil {
		defer t.release()
		if stream {
			return a.followResponse(w, r, who, t, from)
		}
		if !who.Hold.Resize(t.size()) {
			return parley.ErrOverloaded
		}
		return a.writeDocument(w, t)
	}
	t, open, err := a.readResponse(r.Context(), who, responseID)
	switch {
	case err != nil:
		return err
	case !stream:
		return a.writeDocument(w, t)
	case open: // another process generates it
		ctx, cancel := context.WithCancel(r.Context())
		var waiting sync.WaitGroup
		waiting.Go(func() { a.awaitStored(ctx, who, t) })
		defer waiting.Wait()
		defer cancel()
		defer context.AfterFunc(a.working, cancel)()
	}
	return a.followResponse(w, r, who, t, from)
}

var errNoResponse = &Error{
	Status: http.StatusNotFound, Param: "response_id",
	Text: "there is no stored response with this id; responses are kept for 24 hours if store is true",
}

// readResponse returns a stored response, and whether it is still being generated. Its size is held before it is
// loaded.
func (a *API) readResponse(ctx context.Context, who Caller, responseID string) (t *timeline, open bool, err error) {
	if !isResponseID(responseID) {
		return nil, false, errNoResponse
	}
	data, open, err := a.responses.Read(ctx, who.UserID, responseID, who.Hold.Resize)
	if errors.Is(err, responses.ErrNotFound) {
		return nil, false, errNoResponse
	}
	if err != nil {
		return nil, false, err
	}
	if t, err = decodeTimeline(data); err != nil {
		return nil, false, fmt.Errorf("read a response: %w", err)
	}
	t.ended = !open
	return t, open, nil
}

// awaitStored completes a timeline as soon as another process has stored its response.
func (a *API) awaitStored(ctx context.Context, who Caller, t *timeline) {
	for {
		switch err := a.responses.Await(ctx, who.UserID, t.response.ID); {
		case errors.Is(err, responses.ErrNotFound):
			t.settle("", parley.Usage{}, parley.ErrTurnEnded)
			t.end()
			return
		case err != nil:
			return
		}
		complete, _, err := a.readResponse(ctx, who, t.response.ID)
		if err == nil {
			t.replace(complete)
			return
		}
		if !errors.Is(err, errNoResponse) {
			a.log.ErrorContext(ctx, "read a response", "error", err)
		}
	}
}

// save stores the beginning of a response, or the whole of it.
func (g *generation) save(ctx context.Context, ended bool) error {
	data, err := g.timeline.encode()
	if err != nil {
		return err
	}
	r := responses.Response{
		UserID: g.userID, ID: g.req.response.ID, Conversation: g.conversation, Data: data,
		Created: time.Unix(g.req.response.CreatedAt, 0),
	}
	if ended {
		return g.api.responses.Finish(ctx, r)
	}
	return g.api.responses.Begin(ctx, r, g.api.maxReply, g.api.maxTime)
}
