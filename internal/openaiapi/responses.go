package openaiapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/sse"
	"parley/internal/store"
)

const (
	// keptFor is how long a stored response is kept.
	keptFor = 24 * time.Hour
	// maxStored limits a stored response with its conversation, in bytes.
	maxStored = 4 << 20
	// storeTimeout limits how long a response may take to be stored once it has ended.
	storeTimeout = 30 * time.Second
	// openSlack is how much longer than its model a response may be open.
	openSlack = time.Minute
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
	if key == "" {
		return a.respond(w, r, who, &req)
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

// start calls the model and returns the response when it has begun. The caller has to release it. One that is stored
// goes on if the client leaves.
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
	case t == nil:
		return &Error{
			Status: http.StatusNotFound, Param: "response_id",
			Text: "there is no stored response with this id; responses are kept for 24 hours if store is true",
		}
	case !stream:
		return a.writeDocument(w, t)
	case open: // another process generates it
		ctx, cancel := context.WithCancel(r.Context())
		var waiting sync.WaitGroup
		waiting.Go(func() { a.awaitStored(ctx, who, t) })
		defer waiting.Wait()
		defer cancel()
	}
	return a.followResponse(w, r, who, t, from)
}

// readResponse returns a stored response, or nil, and whether it is still being generated. Its size is held before it
// is loaded.
func (a *API) readResponse(ctx context.Context, who Caller, responseID string) (t *timeline, open bool, err error) {
	for isResponseID(responseID) {
		stats, err := a.store.StatResponses(ctx, who.UserID, []string{responseID}, a.now())
		stat, found := stats[responseID]
		if err != nil || !found {
			return nil, false, err
		}
		if !who.Hold.Resize(stat.Data) {
			return nil, false, parley.ErrOverloaded
		}
		data, found, err := a.store.ResponseData(ctx, who.UserID, responseID, stat.Open)
		if err != nil {
			return nil, false, err
		}
		if !found { // it was completed or deleted just now
			continue
		}
		t, err := decodeTimeline(data)
		if err != nil {
			return nil, false, fmt.Errorf("read a response: %w", err)
		}
		t.ended = !stat.Open
		return t, stat.Open, nil
	}
	return nil, false, nil
}

// storedPoll is how often a response that another process generates is looked up.
const storedPoll = time.Second

// awaitStored completes a timeline as soon as another process has stored its response.
func (a *API) awaitStored(ctx context.Context, who Caller, t *timeline) {
	ticker := time.NewTicker(storedPoll)
	defer ticker.Stop()
	id := t.response.ID
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.working.Done():
			return
		case <-ticker.C:
		}
		stats, err := a.store.StatResponses(ctx, who.UserID, []string{id}, a.now())
		stat, found := stats[id]
		switch {
		case err != nil || found && stat.Open:
			continue
		case !found:
			t.settle("", parley.Usage{}, parley.ErrTurnEnded)
			t.end()
			return
		}
		complete, _, err := a.readResponse(ctx, who, id)
		if err != nil {
			a.log.ErrorContext(ctx, "read a response", "error", err)
		}
		if err == nil && complete != nil {
			t.replace(complete)
			return
		}
	}
}

// save stores the beginning of a response, or the whole of it.
func (g *generation) save(ctx context.Context, ended bool) error {
	a, r := g.api, g.timeline.response
	data, err := g.timeline.encode()
	if err != nil {
		return err
	}
	created := time.Unix(r.CreatedAt, 0)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if ended {
		return a.store.FinishResponse(ctx, g.userID, r.ID, data, created.Add(keptFor))
	}
	room := max(0, maxStored-len(g.conversation)-len(data))
	return a.store.AddResponse(ctx, g.userID, store.Response{
		ID: r.ID, Open: true, Context: g.conversation, Data: data, Room: room,
		Created: created, Expires: a.now().Add(a.maxTime + openSlack),
	})
}
