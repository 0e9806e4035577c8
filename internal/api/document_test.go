package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/ai"
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

	mu       sync.Mutex
	compiler *jsonschema.Compiler // knows the document with closed schemas
	schemas  map[string]*jsonschema.Schema
}

// operation is an operation of the API.
type operation struct {
	Method    string
	Path      string
	Operation *openapi3.Operation
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

// idleAPI returns an API with the models of a world but no database. This is enough to list its routes.
func idleAPI() *api.API {
	var models ai.Offers
	for _, name := range modelNames {
		models = append(models, ai.Offer{Name: name})
	}
	return api.New(api.Config{
		Chat: chat.New(chat.Config{Models: models.Fixed}), Log: slog.New(slog.DiscardHandler), Metrics: metrics.New(),
	})
}

func readDocument(text []byte) (*document, error) {
	loaded, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	d := &document{T: loaded, text: text, operations: map[string]operation{}, mux: http.NewServeMux()}
	for path, item := range loaded.Paths.Map() {
		for method, op := range item.Operations() {
			key := method + " " + path
			d.operations[key] = operation{method, path, op}
			d.mux.Handle(key, http.NotFoundHandler())
		}
	}
	return d, d.close()
}

// close makes undocumented fields of a response an error. Huma allows unknown fields because it ignores those of a
// request.
func (d *document) close() error {
	no := false
	for _, schema := range d.Components.Schemas {
		if len(schema.Value.Properties) > 0 {
			schema.Value.AdditionalProperties = openapi3.AdditionalProperties{Has: &no}
		}
	}
	closed, err := json.Marshal(d.T)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(closed))
	if err != nil {
		return err
	}
	d.compiler, d.schemas = jsonschema.NewCompiler(), map[string]*jsonschema.Schema{}
	d.compiler.RegisterFormat(&jsonschema.Format{Name: "int64", Validate: func(value any) error {
		number, ok := value.(json.Number)
		if !ok {
			return nil
		}
		_, err := number.Int64()
		return err
	}})
	d.compiler.AssertFormat()
	return d.compiler.AddResource(documentURL, value)
}

// documentURL names the document in the compiler. Nothing is fetched from it.
const documentURL = "https://example.com/openapi.json"

// schema returns the schema that "#/components/schemas/Name" refers to. It compiles each schema once.
func (d *document) schema(reference string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if found := d.schemas[reference]; found != nil {
		return found, nil
	}
	compiled, err := d.compiler.Compile(documentURL + reference)
	if err != nil {
		return nil, err
	}
	d.schemas[reference] = compiled
	return compiled, nil
}

// checkJSON returns an error if a schema does not allow the text.
func (d *document) checkJSON(reference string, text []byte) error {
	schema, err := d.schema(reference)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// check returns an error if the document does not allow the response.
func (d *document) check(r *http.Request, res *http.Response, text []byte) error {
	_, key := d.mux.Handler(r)
	op, known := d.operations[key]
	if !known {
		return d.checkStray(r, res, text)
	}
	response := op.Operation.Responses.Status(res.StatusCode)
	if response == nil {
		return fmt.Errorf("HTTP %d is not described", res.StatusCode)
	}
	if r.Method == http.MethodHead || len(response.Value.Content) == 0 {
		return nil
	}
	kind := res.Header.Get("Content-Type")
	media := response.Value.Content.Get(kind)
	switch {
	case media == nil:
		return fmt.Errorf("the type %q is not described", kind)
	case media.Schema.Value.Type.Is("string"): // bytes without an envelope
		return nil
	}
	return d.checkJSON(media.Schema.Ref, text)
}

// checkStray checks the response to a request that matches no operation.
func (d *document) checkStray(r *http.Request, res *http.Response, text []byte) error {
	if !strings.HasPrefix(r.URL.Path, "/api/") || res.StatusCode == http.StatusNoContent {
		return nil
	}
	emptyID := strings.Contains(r.URL.Path, "//") // the router takes it for an id, unlike the mux of this test
	switch {
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusMethodNotAllowed,
		res.StatusCode == http.StatusUnsupportedMediaType, res.StatusCode == http.StatusBadRequest && emptyID:
	default:
		return errors.New("an answer to a path or method that the document does not have")
	}
	if r.Method == http.MethodHead {
		return nil
	}
	return d.checkJSON("#/components/schemas/Failure", text)
}

// isStream reports whether a response is an event stream.
func isStream(res *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return kind == "text/event-stream"
}
