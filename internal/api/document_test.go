package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"parley/internal/api"
	"parley/internal/chat"
	"parley/internal/metrics"
)

// document is the openapi.json of the server.
type document struct {
	*openapi3.T
	text       []byte
	operations map[string]operation // by "METHOD /path"
	mux        *http.ServeMux       // maps a request to its operation

	mu    sync.Mutex
	right map[[sha256.Size]byte]bool // digests of responses that were right: to check one takes milliseconds
}

// operation is an operation of the API.
type operation struct {
	routers.Route
}

// secured reports whether the operation needs a token.
func (o operation) secured() bool {
	return o.Operation.Security != nil && len(*o.Operation.Security) > 0
}

// theDocument returns the document, which is the same for all servers.
var theDocument = sync.OnceValues(func() (*document, error) {
	answer := httptest.NewRecorder()
	idleAPI().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	return readDocument(answer.Body.Bytes())
})

// idleAPI returns an API with the models of a world but without a database, which is enough to list its routes.
func idleAPI() *api.API {
	var models chat.Models
	for _, name := range modelNames {
		models = append(models, chat.Model{Name: name})
	}
	return api.New(api.Config{
		Chat: chat.New(chat.Config{Models: models}), Log: slog.New(slog.DiscardHandler), Metrics: metrics.New(),
	})
}

func readDocument(text []byte) (*document, error) {
	loaded, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	d := &document{
		T: loaded, text: text, operations: map[string]operation{}, mux: http.NewServeMux(),
		right: map[[sha256.Size]byte]bool{},
	}
	for path, item := range loaded.Paths.Map() {
		for method, op := range item.Operations() {
			key := method + " " + path
			d.operations[key] = operation{routers.Route{Spec: loaded, Path: path, PathItem: item, Method: method, Operation: op}}
			d.mux.Handle(key, http.NotFoundHandler())
		}
	}
	d.close()
	return d, nil
}

// close makes undocumented fields of a response an error. Huma allows them, since unknown fields of a request are
// ignored.
func (d *document) close() {
	no := false
	for _, schema := range d.Components.Schemas {
		if len(schema.Value.Properties) > 0 {
			schema.Value.AdditionalProperties = openapi3.AdditionalProperties{Has: &no}
		}
	}
}

// check returns an error for a response that the document does not allow.
func (d *document) check(r *http.Request, res *http.Response, text []byte) error {
	_, key := d.mux.Handler(r)
	op, known := d.operations[key]
	if !known {
		return d.checkStray(r, res, text)
	}
	header := res.Header.Clone()
	header.Del("Date")
	header.Del("X-Request-Id")
	response := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %v %s", r.Method, key, res.StatusCode, header, text))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.right[response] {
		return nil
	}
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: &op.Route},
		Status:                 res.StatusCode,
		Header:                 res.Header,
		Body:                   io.NopCloser(bytes.NewReader(text)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: op.isRaw(res) || r.Method == http.MethodHead,
		},
	})
	d.right[response] = err == nil
	return err
}

// isRaw reports whether a response may be bytes without an envelope.
func (o operation) isRaw(res *http.Response) bool {
	described := o.Operation.Responses.Status(res.StatusCode)
	if described == nil {
		return false
	}
	media := described.Value.Content.Get(res.Header.Get("Content-Type"))
	return media != nil && media.Schema.Value.Type.Is("string")
}

// checkStray checks the response to a request that matches no operation.
func (d *document) checkStray(r *http.Request, res *http.Response, text []byte) error {
	if !strings.HasPrefix(r.URL.Path, "/api/") || res.StatusCode == http.StatusNoContent {
		return nil
	}
	emptyID := strings.Contains(r.URL.Path, "//") // the router takes it for an id, the mux of this test does not
	switch {
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusMethodNotAllowed,
		res.StatusCode == http.StatusUnsupportedMediaType, res.StatusCode == http.StatusBadRequest && emptyID:
	default:
		return errors.New("an answer to a path or method that the document does not have")
	}
	if r.Method == http.MethodHead {
		return nil
	}
	var answer any
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	return d.Components.Schemas["Failure"].Value.VisitJSON(answer, openapi3.EnableJSONSchema2020())
}

// isStream reports whether a response is an event stream.
func isStream(res *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return kind == "text/event-stream"
}
