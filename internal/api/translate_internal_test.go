package api

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/ai"
	"parley/internal/chat"
	"parley/internal/language"
	"parley/internal/metrics"
)

// refusedInputs are values. Every schema refuses some of them.
var refusedInputs = []any{"", "x", strings.Repeat("x", 1<<20), true, 0.0, -1.0, 0.5, 1e18, []any{}, map[string]any{}}

// TestWhatHumaRefusesIsTranslated validates wrong inputs of every operation the way huma does.
func TestWhatHumaRefusesIsTranslated(t *testing.T) {
	a := New(Config{
		Chat: chat.New(chat.Config{Models: ai.Offers{{Name: "default"}}.Fixed}), Log: slog.New(slog.DiscardHandler),
		Metrics: metrics.New(),
	})
	schemas := a.huma.OpenAPI().Components.Schemas
	messages := map[string]bool{}
	validate := func(schema *huma.Schema, place string, value any) {
		result := &huma.ValidateResult{}
		at := huma.NewPathBuffer([]byte(place), len(place))
		huma.Validate(schemas, schema, at, huma.ModeWriteToServer, value, result)
		for _, err := range result.Errors {
			messages[fromHuma(422, "validation failed", err).Message] = true
		}
	}
	eachOperation(a, func(op *huma.Operation) {
		for _, value := range refusedInputs {
			for _, p := range op.Parameters {
				validate(p.Schema, p.In+"."+p.Name, value)
			}
			body := jsonSchema(a, op)
			if body == nil {
				continue
			}
			validate(body, "body", value)
			for name := range body.Properties {
				validate(body, "body", map[string]any{name: value})
			}
		}
	})
	if len(messages) < 30 {
		t.Errorf("found only %d messages", len(messages))
	}
	for message := range messages {
		if language.Chinese.Message(message) == message {
			t.Errorf("the table of internal/language lacks %q", message)
		}
	}
}

func eachOperation(a *API, visit func(*huma.Operation)) {
	for _, path := range a.huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete} {
			if op != nil {
				visit(op)
			}
		}
	}
}

// jsonSchema returns the schema of an operation's JSON body, or nil.
func jsonSchema(a *API, op *huma.Operation) *huma.Schema {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	schema := op.RequestBody.Content["application/json"].Schema
	if schema.Ref != "" {
		return a.huma.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
	}
	return schema
}
