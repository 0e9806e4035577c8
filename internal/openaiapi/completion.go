package openaiapi

import (
	"encoding/json"
	"net/http"

	"parley"
	"parley/internal/ai"
	"parley/internal/id"
	"parley/internal/sse"
)

// maxChoices is how many replies a call can ask for.
const maxChoices = 16

// Completions serves a chat completion. It returns an error if nothing was written.
func (a *API) Completions(w http.ResponseWriter, r *http.Request, who Caller) error {
	body, err := readFields(r)
	if err != nil {
		return err
	}
	call, model, err := a.newCall(body)
	if err != nil {
		return err
	}
	if sessionID := r.Header.Get(sessionHeader); sessionID != "" {
		return a.completeInSession(w, r, who, sessionID, call)
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	return a.once(w, r, who, key, body, func(w http.ResponseWriter, r *http.Request) error {
		return a.complete(w, r, who, model, call)
	})
}

// newCall checks a request and returns what is passed to its model.
func (a *API) newCall(body fields) (call ai.Call, model ai.Offer, err error) {
	call = ai.Call{Body: body, ID: "chatcmpl-" + id.New(), Created: a.now()}
	var messages []json.RawMessage
	var options struct {
		IncludeUsage bool `json:"include_usage"`
	}
	stored := false
	call.Choices = 1
	if err := body.takeAll(
		field{"model", &call.Model}, field{"stream", &call.Stream}, field{"messages", &messages},
		field{"stream_options", &options}, field{"store", &stored}, field{"n", &call.Choices},
	); err != nil {
		return call, model, err
	}
	call.Usage = call.Stream && options.IncludeUsage
	switch _, hasOptions := body["stream_options"]; {
	case len(messages) == 0:
		return call, model, invalid("messages", "is required and must not be empty")
	case hasOptions && !call.Stream:
		return call, model, invalid("stream_options", "is only allowed with stream")
	case stored:
		return call, model, unsupported("store")
	case call.Choices < 1 || call.Choices > maxChoices:
		return call, model, invalid("n", "must be a whole number from 1 to 16")
	}
	delete(body, "store")
	model, err = a.find(call.Model)
	call.Model = model.Name
	return call, model, err
}

// complete passes a call to its model and writes the response.
func (a *API) complete(
	w http.ResponseWriter, r *http.Request, who Caller, model ai.Offer, call ai.Call,
) (err error) {
	if call.Body, err = a.withInstructions(call.Body); err != nil {
		return err
	}
	if call.Stream {
		return a.streamCompletion(w, r, func(emit func([]byte) error) error {
			_, err := a.pass(r.Context(), who.UserID, model, call, emit)
			return err
		})
	}
	_, err = a.pass(r.Context(), who.UserID, model, call, func(data []byte) error {
		if !who.Hold.Resize(int64(len(data))) {
			return parley.ErrOverloaded
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data) // the client may have disconnected
		return nil
	})
	return modelError(endOf(r.Context(), err))
}

// streamCompletion writes what produce emits as a stream. An error after the first event is an event, too.
func (a *API) streamCompletion(
	w http.ResponseWriter, r *http.Request, produce func(emit func([]byte) error) error,
) error {
	defer a.metrics.StreamOpened()()
	out := sse.NewWriter(w)
	defer out.Beat(a.heartbeat)()
	err := produce(func(data []byte) error {
		if !out.Begun() {
			releaseBody(r)
		}
		return send(out, "", data)
	})
	if err == nil {
		_ = send(out, "", []byte("[DONE]")) // the client may have disconnected
		return nil
	}
	if err = endOf(r.Context(), err); !out.Begun() {
		return modelError(err)
	}
	if r.Context().Err() == nil {
		a.log.InfoContext(r.Context(), "a streamed call has failed", "error", err)
	}
	_ = send(out, "", inStream(err).encode()) // the client may have disconnected
	return ErrWritten
}

// releaseBody gives back the memory of the body, which is no longer needed once the model replies.
func releaseBody(r *http.Request) {
	if body, ok := r.Body.(interface{ Release() }); ok {
		body.Release()
	}
}
