package api

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"parley"
)

// humaConfig returns a configuration without huma's defaults for formats and extra fields.
func humaConfig() huma.Config {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "Parley",
				Version:     parley.APIVersion,
				Description: about,
				License:     &huma.License{Name: "MIT", Identifier: "MIT"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "This server"}},
			Tags:    tags,
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token": {
						Type:        "http",
						Scheme:      "bearer",
						Description: "The token that registering or logging in returns.",
					},
					"key": {
						Type:   "http",
						Scheme: "bearer",
						Description: "A key of POST /api/user/keys, in the same header. Each operation names the scope that " +
							"a key needs: read, which every key has, chat or files. An operation without one needs a token.",
					},
				},
			},
		},
		Formats: map[string]huma.Format{
			"application/json": {Marshal: encodeJSON, Unmarshal: new(bodyDecoder).decode},
		},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{translateFailure},
	}
	config.AllowAdditionalPropertiesByDefault = true
	return config
}

// tagOf returns the second part of a path.
func tagOf(path string) string {
	tag := strings.Split(path, "/")[2]
	if tag == "share" {
		return "shares"
	}
	return tag
}

// failures describes the errors of a route, by HTTP status.
func (a *API) failures(r route) map[string]*huma.Response {
	all := append(slices.Clone(r.errors),
		parley.ErrInvalid, parley.ErrTooManyRequests,
		parley.ErrInternal, parley.ErrOverloaded, parley.ErrTimeout)
	if r.access&private != 0 {
		if r.access.hidden() {
			all = append(all, parley.ErrAdminNeedsFactor)
		} else {
			all = append(all, parley.ErrBadToken)
		}
		if err := r.access.keyError(); err != nil {
			all = append(all, err)
		}
	}
	switch {
	case r.method == http.MethodGet:
	case r.access&private == 0:
		all = append(all, errOpenBodyTooLarge, errBodyEncoding)
	default:
		all = append(all, errBodyTooLarge, errBodyEncoding)
	}
	schemas := map[reflect.Type]*huma.Schema{} // one for all responses of a type
	schema := func(err error) *huma.Schema {
		of := failureType(err)
		if schemas[of] == nil {
			schemas[of] = a.huma.OpenAPI().Components.Schemas.Schema(of, true, "")
		}
		return schemas[of]
	}
	responses := map[string]*huma.Response{}
	for _, err := range all {
		f := asFailure(err)
		key := strconv.Itoa(f.status)
		line := fmt.Sprintf("%d: %s", f.Code, f.Message)
		if known := responses[key]; known != nil {
			known.Description += "\n\n" + line
			if errors.Is(err, parley.ErrAIUnavailable) || errors.Is(err, parley.ErrWrongCode) {
				known.Content["application/json"].Schema = schema(err)
			}
			continue
		}
		responses[key] = &huma.Response{
			Description: line,
			Content: map[string]*huma.MediaType{"application/json": {
				Schema:  schema(err),
				Example: map[string]any{"error": int(f.Code), "message": f.Message, "success": false},
			}},
		}
	}
	return responses
}

// failureType returns the type of the envelope of an error.
func failureType(err error) reflect.Type {
	switch {
	case errors.Is(err, parley.ErrReplyLate):
		return reflect.TypeFor[lateReply]()
	case errors.Is(err, parley.ErrAIUnavailable):
		return reflect.TypeFor[failedReply]()
	case errors.Is(err, parley.ErrWrongCode):
		return reflect.TypeFor[failedLogin]()
	case errors.Is(err, parley.ErrRetentionUnconfirmed):
		return reflect.TypeFor[askedRetention]()
	}
	return reflect.TypeFor[failure]()
}

// exportDocument describes the formats of an export.
func exportDocument(op *huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "The session.",
		Content: map[string]*huma.MediaType{
			"text/markdown":    {Schema: &huma.Schema{Type: huma.TypeString}},
			"text/html":        {Schema: &huma.Schema{Type: huma.TypeString}},
			"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/EnvelopeExport"}},
		},
	}
}

// streamDocument describes a stream of events.
func streamDocument(op *huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "Server-sent events: start, sources, thinking, delta, restart, done, error.",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
}

// progressDocument describes the events of an upload in addition to its envelope.
func progressDocument(op *huma.Operation) {
	response := op.Responses["200"]
	response.Description = "The file; or server-sent events if the request accepts them: progress, done, error."
	response.Content["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
}

// fileDocument describes a file's bytes.
func fileDocument(op *huma.Operation) {
	bytes := map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	op.Responses["200"] = &huma.Response{Description: "The file's bytes; Content-Type is its media type.", Content: bytes}
	op.Responses["206"] = &huma.Response{Description: "The requested range.", Content: bytes}
	op.Responses["304"] = &huma.Response{Description: "Not changed since If-Modified-Since."}
}

// pictureDocument describes a picture's bytes.
func pictureDocument(op *huma.Operation) {
	bytes := map[string]*huma.MediaType{
		"image/jpeg": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		"image/png":  {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}
	op.Responses["200"] = &huma.Response{Description: "The picture, with an ETag.", Content: bytes}
	op.Responses["206"] = &huma.Response{Description: "The requested range.", Content: bytes}
	op.Responses["304"] = &huma.Response{Description: "The picture of If-None-Match."}
}

// uploadBody describes the multipart body of an upload. Huma does not read this body.
func uploadBody() *huma.RequestBody {
	return multipartBody(map[string]*huma.Schema{
		"file": {
			Type:   huma.TypeString,
			Format: "binary",
			Description: "The document. Its type is detected from its bytes; " +
				"its name only distinguishes kinds of text.",
		},
		"session_id": {Type: huma.TypeString, Description: "The session to associate it with."},
	}, "file", "session_id")
}

// importBody describes the multipart body of an import.
func importBody() *huma.RequestBody {
	return multipartBody(map[string]*huma.Schema{
		"file": {
			Type:   huma.TypeString,
			Format: "binary",
			Description: "The export, as JSON or zip. Its format is detected from its content; " +
				"its name does not matter.",
		},
	}, "file")
}

func multipartBody(parts map[string]*huma.Schema, required ...string) *huma.RequestBody {
	return &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: required, Properties: parts,
		}}},
	}
}
