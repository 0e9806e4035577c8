package api_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"

	"parley"
)

func mustDocument(t *testing.T) *document {
	t.Helper()
	d, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTheDocumentIsServedToAnybody(t *testing.T) {
	each(t, func(w *world) {
		got := w.request("GET", "/openapi.json", "")
		if got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/json" {
			w.Errorf("HTTP %d, %s", got.StatusCode, got.Header.Get("Content-Type"))
		}
		if got.text != string(mustDocument(w.T).text) {
			w.Error("it is not the document that responses are checked against")
		}
	})
}

func TestTheDocumentIsValid(t *testing.T) {
	d := mustDocument(t)
	if err := d.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
	if !d.IsOpenAPI31OrLater() || d.Info.Version != parley.APIVersion || d.Info.Title == "" || d.Info.Description == "" {
		t.Errorf("OpenAPI %s, %+v", d.OpenAPI, d.Info)
	}
}

func TestTheDocumentListsEveryErrorCode(t *testing.T) {
	d := mustDocument(t)
	for _, code := range []parley.Code{
		0, 1001, 1002, 1003, 1004, 1005, 1006, 2001, 2002, 2003, 2004, 2005, 3001, 3002,
		5000, 5001, 5002,
	} {
		if !strings.Contains(d.Info.Description, "| "+strconv.Itoa(int(code))+" |") {
			t.Errorf("the description has no line for error %d", code)
		}
	}
}

// TestTheDocumentHasEveryRoute compares the document with the router in both directions. Paths outside /api are for
// browsers and operators.
func TestTheDocumentHasEveryRoute(t *testing.T) {
	var served []string
	err := chi.Walk(idleAPI().Routes(), func(method, path string, _ http.Handler,
		_ ...func(http.Handler) http.Handler,
	) error {
		if strings.HasPrefix(path, "/api/") {
			served = append(served, method+" "+path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(served)
	if described := slices.Sorted(maps.Keys(mustDocument(t).operations)); !slices.Equal(served, described) {
		t.Errorf("served:\n%s\ndescribed:\n%s", strings.Join(served, "\n"), strings.Join(described, "\n"))
	}
}

func TestTheDocumentHasEveryOperationOfTheContract(t *testing.T) {
	d := mustDocument(t)
	for _, test := range []struct {
		operation string
		inputs    string
		required  string
	}{
		{"POST /api/auth/login", "code email password", "email password"},
		{"POST /api/auth/register", "email nickname password", "email password"},
		{"POST /api/auth/logout", "", ""},
		{"GET /api/user/info", "", ""},
		{"POST /api/chat/session", "archived expires_in instructions pinned temporary title", ""},
		{
			"POST /api/chat/send", "Idempotency-Key content deep_thinking model replaces session_id web_search",
			"content session_id",
		},
		{"GET /api/chat/sessions", "archived keyword page page_size pinned", ""},
		{"GET /api/search", "after from group in page page_size q session_id to", "q"},
		{"GET /api/chat/messages", "page page_size session_id", "session_id"},
		{"DELETE /api/chat/session/{session_id}", "session_id", "session_id"},
		{"POST /api/chat/session/{session_id}/clear", "session_id", "session_id"},
		{"POST /api/favorites/add", "message_id session_id", "message_id session_id"},
		{"DELETE /api/favorites/remove", "message_id", ""},
		{"GET /api/favorites/list", "keyword page page_size", ""},
		{"POST /api/files/upload", "file session_id", "file session_id"},
	} {
		op, known := d.operations[test.operation]
		if !known {
			t.Errorf("%s is missing", test.operation)
			continue
		}
		inputs, required := op.inputs()
		if got := strings.Join(inputs, " "); got != test.inputs {
			t.Errorf("%s takes %q, want %q", test.operation, got, test.inputs)
		}
		if got := strings.Join(required, " "); got != test.required {
			t.Errorf("%s requires %q, want %q", test.operation, got, test.required)
		}
	}
}

func TestTheDocumentSaysWhatNeedsNoToken(t *testing.T) {
	for key, op := range mustDocument(t).operations {
		if op.Operation.Security == nil {
			t.Errorf("%s does not say whether it needs a token", key)
		}
	}
}

func TestTheDocumentDescribesADisabledAccount(t *testing.T) {
	login := mustDocument(t).operations["POST /api/auth/login"].Operation
	refusal := login.Responses.Value("403")
	if refusal == nil || !strings.HasPrefix(*refusal.Value.Description, "1001: ") {
		t.Errorf("log in with HTTP 403: %+v", refusal)
	}
}

func TestTheDocumentTypesTheBodyOfALateReply(t *testing.T) {
	late := mustDocument(t).Components.Schemas["LateReply"].Value.Properties["body"]
	if late.Ref != "#/components/schemas/SendOutput" {
		t.Errorf("the body is %q", late.Ref)
	}
}

// inputs returns the names of all inputs of an operation, and of the required ones.
func (o operation) inputs() (all, required []string) {
	for _, p := range o.Operation.Parameters {
		all = append(all, p.Value.Name)
		if p.Value.Required {
			required = append(required, p.Value.Name)
		}
	}
	if schema := o.bodySchema(); schema != nil {
		for name := range schema.Properties {
			all = append(all, name)
		}
		required = append(required, schema.Required...)
	}
	slices.Sort(all)
	slices.Sort(required)
	return slices.Compact(all), slices.Compact(required)
}

// bodySchema returns the schema of an operation's request body, whatever its media type.
func (o operation) bodySchema() *openapi3.Schema {
	if o.Operation.RequestBody == nil {
		return nil
	}
	for _, media := range o.Operation.RequestBody.Value.Content {
		return media.Schema.Value
	}
	return nil
}

func TestEveryOperationIsDescribed(t *testing.T) {
	d := mustDocument(t)
	for key, op := range d.operations {
		o := op.Operation
		if o.OperationID == "" || o.Summary == "" || o.Description == "" {
			t.Errorf("%s has no id, summary or description", key)
		}
		if len(o.Tags) != 1 || d.Tags.Get(o.Tags[0]) == nil || d.Tags.Get(o.Tags[0]).Description == "" {
			t.Errorf("%s: tag %v is not described", key, o.Tags)
		}
		for _, p := range o.Parameters {
			if p.Value.Description == "" || len(p.Value.Schema.Value.Examples) == 0 && p.Value.Example == nil &&
				p.Value.Schema.Value.Example == nil {
				t.Errorf("%s: %s has no description or no example", key, p.Value.Name)
			}
		}
	}
}

func TestEveryOperationDescribesItsErrors(t *testing.T) {
	line := regexp.MustCompile(`(?m)^\d{4}: .+`)
	mayBeLate := []string{"send", "stream", "regenerate", "continueReply"}
	takesCode := []string{"login", "exchangeSignIn", "setUpSecondFactor", "confirmSecondFactor"}
	for key, op := range mustDocument(t).operations {
		want := []string{"200", "400", "500", "504"}
		switch {
		case op.isHidden():
			want = append(want, "404")
		case op.secured():
			want = append(want, "401")
		}
		open := strings.HasPrefix(op.Path, "/api/auth/") && op.Path != "/api/auth/logout" ||
			strings.HasPrefix(op.Path, "/api/share/")
		if op.secured() == open {
			t.Errorf("%s: secured is %v", key, op.secured())
		}
		if strings.Contains(op.Path, "{") {
			want = append(want, "404")
		}
		responses := op.Operation.Responses.Map()
		for _, status := range want {
			if responses[status] == nil {
				t.Errorf("%s: status %s is not described", key, status)
			}
		}
		for status, response := range responses {
			if response.Value.Description == nil || *response.Value.Description == "" {
				t.Errorf("%s: status %s has no description", key, status)
				continue
			}
			switch status {
			case "200":
				if len(response.Value.Content) == 0 {
					t.Errorf("%s: success has no content", key)
				}
				continue
			case "206", "304": // HTTP defines these, for Range and If-Modified-Since
				continue
			}
			media := response.Value.Content["application/json"]
			schema := "#/components/schemas/Failure"
			if status == "504" && slices.Contains(mayBeLate, op.Operation.OperationID) {
				schema = "#/components/schemas/LateReply"
			}
			if status == "503" && (slices.Contains(mayBeLate, op.Operation.OperationID) || op.Path == "/api/files/upload") {
				schema = "#/components/schemas/FailedReply"
			}
			if status == "401" && slices.Contains(takesCode, op.Operation.OperationID) {
				schema = "#/components/schemas/FailedLogin"
			}
			if status == "409" && op.Operation.OperationID == "updateSettings" {
				schema = "#/components/schemas/AskedRetention"
			}
			if media == nil || media.Example == nil || media.Schema.Ref != schema {
				t.Errorf("%s: status %s has no example, or is not an envelope", key, status)
			}
			if !line.MatchString(*response.Value.Description) {
				t.Errorf("%s: status %s does not name its error code: %q", key, status, *response.Value.Description)
			}
		}
	}
}

// TestEveryFieldIsDescribed checks that every field has a description, every plain value has an example, and no field
// is nullable.
func TestEveryFieldIsDescribed(t *testing.T) {
	d := mustDocument(t)
	for name, schema := range d.Components.Schemas {
		for field, property := range schema.Value.Properties {
			if property.Ref != "" {
				continue // its schema has the description
			}
			p, where := property.Value, name+"."+field
			if p.Description == "" {
				t.Errorf("%s has no description", where)
			}
			if p.Type == nil { // any value, such as the body of an error
				continue
			}
			if p.Type.Includes("null") {
				t.Errorf("%s may be null", where)
			}
			if !p.Type.Is("array") && len(p.Examples) == 0 {
				t.Errorf("%s has no example", where)
			}
		}
	}
}
