package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"parley"
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
func (d *Door) Responses(w http.ResponseWriter, r *http.Request, who Caller) error {
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
	req, err := d.newResponseRequest(r.Context(), who.UserID, body)
	if err != nil {
		return err
	}
	if key == "" {
		return d.respond(w, r, who, req)
	}
	return d.once(w, r, who, key, body, func(w http.ResponseWriter, r *http.Request) error {
		return d.respond(w, r, who, req)
	})
}

// respond generates a response and writes it as a stream, or as a document at its end.
func (d *Door) respond(w http.ResponseWriter, r *http.Request, who Caller, req responseRequest) error {
	t, err := d.start(r.Context(), who, req)
	if err != nil {
		return err
	}
	releaseBody(r)
	if req.stream {
		return d.followResponse(w, r, t, 0)
	}
	if err := t.wait(r.Context()); err != nil {
		return err
	}
	if failed := t.failure(); failed != nil && !req.response.Store {
		return failed
	}
	return d.writeDocument(w, who, t.snapshot())
}

func (d *Door) writeDocument(w http.ResponseWriter, who Caller, r response) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if !who.Hold.Resize(int64(len(data))) {
		return parley.ErrOverloaded
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the client may have disconnected
	return nil
}

// start calls the model and returns the response when it has begun. One that is stored goes on if the client leaves.
func (d *Door) start(ctx context.Context, who Caller, req responseRequest) (*timeline, error) {
	t := newTimeline(req.response)
	g := &generation{door: d, userID: who.UserID, req: req, timeline: t, hold: who.Hold}
	done, err := d.admit()
	if err != nil {
		return nil, err
	}
	if !req.response.Store {
		go func() {
			defer done()
			g.run(ctx)
		}()
		return t, t.began(ctx)
	}
	if err := g.prepareStored(); err != nil {
		done()
		return nil, err
	}
	go func() {
		defer done()
		defer d.generating.Release(who.UserID)
		detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(d.working, cancel)()
		g.run(detached)
	}()
	return t, t.began(ctx)
}

// prepareStored prepares a response that is stored and outlives its request.
func (g *generation) prepareStored() error {
	conversation, err := json.Marshal(g.req.messages)
	if err != nil {
		return err
	}
	if len(conversation) > maxStored/2 {
		return &Error{
			Status: http.StatusBadRequest, Param: "store",
			Text: "the conversation is larger than 2 MiB, so that the response can't be stored",
		}
	}
	if !g.door.generating.TryAcquire(g.userID) {
		return parley.ErrTooManyOpen
	}
	g.conversation, g.hold = conversation, nil
	return nil
}

// followResponse writes the events of a response from a sequence number on.
func (d *Door) followResponse(
	w http.ResponseWriter, r *http.Request, t *timeline, from int,
) error {
	defer d.metrics.StreamOpened()()
	out := newEventWriter(w, d.heartbeat)
	defer out.close()
	for {
		events, last, changed := t.next(from)
		for _, e := range events {
			if out.write(e.name, e.data) != nil {
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
			var reason *parley.Error
			if errors.As(context.Cause(r.Context()), &reason) {
				_ = out.write("error", streamError(from, reason)) // the client may have disconnected
			}
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
func (d *Door) Response(w http.ResponseWriter, r *http.Request, who Caller) error {
	query := r.URL.Query()
	from, err := startingAfter(query.Get("starting_after"))
	if err != nil {
		return err
	}
	t, err := d.findResponse(r.Context(), who.UserID, r.PathValue("response_id"))
	if err != nil {
		return err
	}
	if query.Get("stream") == "true" {
		if !who.Hold.Resize(t.size()) {
			return parley.ErrOverloaded
		}
		return d.followResponse(w, r, t, from)
	}
	return d.writeDocument(w, who, t.snapshot())
}

// findResponse returns a stored response, or one that is being generated by this process.
func (d *Door) findResponse(ctx context.Context, userID int64, responseID string) (*timeline, error) {
	if t := d.live.find(userID, responseID); t != nil {
		return t, nil
	}
	stored, found, err := d.store.FindResponse(ctx, userID, responseID, d.now())
	if err != nil {
		return nil, err
	}
	if !found || !isResponseID(responseID) {
		return nil, &Error{
			Status: http.StatusNotFound, Param: "response_id",
			Text: "there is no stored response with this id; responses are kept for 24 hours if store is true",
		}
	}
	t, err := decodeTimeline(stored.Data)
	if err != nil {
		return nil, fmt.Errorf("read a response: %w", err)
	}
	if stored.Open { // another process generates it
		t.ended = false
		done, err := d.admit()
		if err != nil {
			return nil, err
		}
		go func() {
			defer done()
			d.awaitStored(ctx, userID, t)
		}()
	}
	return t, nil
}

// storedPoll is how often a response that another process generates is looked up.
const storedPoll = time.Second

// awaitStored completes a timeline as soon as another process has stored its response.
func (d *Door) awaitStored(ctx context.Context, userID int64, t *timeline) {
	ticker := time.NewTicker(storedPoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.working.Done():
			return
		case <-ticker.C:
		}
		stored, found, err := d.store.FindResponse(ctx, userID, t.response.ID, d.now())
		switch {
		case err != nil:
			continue
		case !found:
			t.settle("", parley.Usage{}, parley.ErrTurnEnded)
			t.end()
			return
		case !stored.Open:
			if err := t.replace(stored.Data); err != nil {
				d.log.ErrorContext(ctx, "read a response", "error", err)
			}
			return
		}
	}
}

// save stores the beginning of a response, or the whole of it.
func (g *generation) save(ctx context.Context, ended bool) error {
	d, r := g.door, g.timeline.response
	data, err := g.timeline.encode()
	if err != nil {
		return err
	}
	created := time.Unix(r.CreatedAt, 0)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if ended {
		return d.store.FinishResponse(ctx, g.userID, r.ID, data, created.Add(keptFor))
	}
	return d.store.AddResponse(ctx, g.userID, store.Response{
		ID: r.ID, Open: true, Context: g.conversation, Data: data,
		Created: created, Expires: d.now().Add(d.maxTime + openSlack),
	})
}
