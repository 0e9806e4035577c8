package api

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/limit"
)

// route is a row of the table in routes.go.
type route struct {
	method, path, id string
	access           access
	errors           []error
}

func (r route) maxBody() int64 {
	if r.access&private == 0 {
		return maxOpenBody
	}
	return maxBody
}

// handle serves an operation with a typed function: it decodes and validates the input, calls the function and writes
// the envelope.
func handle[I, O any](a *API, r route, serve func(context.Context, *I) (O, error)) {
	var zero O
	_, noBody := any(zero).(parley.Done)
	handlePieces[O](a, r, func(ctx context.Context, in *I) (pieces, error) {
		out, err := serve(ctx, in)
		switch {
		case err != nil:
			return pieces{}, err
		case noBody:
			return onePiece(done{Message: ok, Success: true}), nil
		default:
			return onePiece(newEnvelope(out)), nil
		}
	})
}

// handlePieces serves an operation that succeeds with an envelope of O, written in pieces.
func handlePieces[O, I any](a *API, r route, serve func(context.Context, *I) (pieces, error)) {
	op := a.operation(r)
	if _, has := reflect.TypeFor[I]().FieldByName("Body"); has {
		op.RequestBody = &huma.RequestBody{} // set it here: huma fills it in and relaxBody changes it
	}
	success := reflect.TypeFor[envelope[O]]()
	if reflect.TypeFor[O]() == reflect.TypeFor[parley.Done]() {
		success = reflect.TypeFor[done]()
	}
	op.Responses["200"] = &huma.Response{Content: map[string]*huma.MediaType{
		"application/json": {Schema: a.huma.OpenAPI().Components.Schemas.Schema(success, true, "")},
	}}
	register(a, op, r, serve)
	a.relaxBody(op)
}

// register registers an operation. serve makes the pieces of its response.
func register[I any](a *API, op huma.Operation, r route, serve func(context.Context, *I) (pieces, error)) {
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		return call(ctx, a, r, in, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
			out, err := serve(ctx, in)
			if err != nil {
				return nil, err
			}
			return a.responder.respond(ctx, r, out)
		})
	})
}

// handleExport serves the export, which has several formats.
func handleExport[I any](a *API, r route, serve func(context.Context, *I) (pieces, error)) {
	op := a.operation(r)
	exportDocument(&op)
	register(a, op, r, serve)
}

// handleRaw serves an operation that succeeds without an envelope. document describes its response.
func handleRaw[I any](
	a *API, r route, document func(*huma.Operation),
	serve func(context.Context, *I) (*huma.StreamResponse, error),
) {
	op := a.operation(r)
	document(&op)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		return call(ctx, a, r, in, serve)
	})
}

// uploads holds the description of the body of an operation that takes a file, and its limits. It needs limits
// because the bytes go to the disk before they are checked.
type uploads struct {
	atOnce, perUser int
	body            *huma.RequestBody
	// document, if not nil, adds to the description of the response.
	document func(*huma.Operation)
}

// handleUpload serves an operation that reads its multipart body itself, without the request timeout. If serve has
// written the response itself, it returns no pieces.
func handleUpload[O, I any](a *API, r route, u uploads, serve func(context.Context, *I) (pieces, error)) {
	op := a.operation(r)
	op.Responses["200"] = &huma.Response{Content: map[string]*huma.MediaType{
		"application/json": {Schema: a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[envelope[O]](), true, "")},
	}}
	if u.document != nil {
		u.document(&op)
	}
	all, perUser := limit.NewLimiter(u.atOnce, 0, 0), limit.NewPerKey[int64](u.perUser)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		user := userID(ctx)
		if !perUser.TryAcquire(user) {
			return nil, a.journal.fail(ctx, parley.ErrTooManyUploads)
		}
		defer perUser.Release(user)
		if err := all.Acquire(ctx); err != nil {
			return nil, a.journal.fail(ctx, err)
		}
		defer all.Release()
		out, err := serve(ctx, in)
		switch {
		case err != nil:
			return nil, a.journal.fail(ctx, err)
		case out.next == nil:
			return &huma.StreamResponse{Body: func(huma.Context) {}}, nil
		}
		return a.responder.respond(ctx, r, out)
	})
	a.huma.OpenAPI().Paths[r.path].Post.RequestBody = u.body
}

// call runs a use case within the time limit and the limiter. It converts the error.
func call[I, O any](
	ctx context.Context, a *API, r route, in *I, serve func(context.Context, *I) (O, error),
) (out O, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeLimit)
	defer cancel()
	if r.access&waits == 0 {
		user := infoOf(ctx).user
		if err := a.limiter.Acquire(ctx, user); err != nil {
			return out, a.journal.fail(ctx, err)
		}
		defer a.limiter.Release(user)
	}
	if out, err = serve(ctx, in); err != nil {
		return out, a.journal.fail(ctx, err)
	}
	return out, nil
}

// operation describes a route to huma.
func (a *API) operation(r route) huma.Operation {
	a.described++
	op := huma.Operation{
		OperationID:     r.id,
		Method:          r.method,
		Path:            r.path,
		Summary:         descriptions[r.id].summary,
		Description:     descriptions[r.id].text,
		Tags:            []string{tagOf(r.path)},
		MaxBodyBytes:    r.maxBody() + 1,
		BodyReadTimeout: bodyReadTimeout,
		Responses:       a.failures(r),
		Extensions:      map[string]any{"x-order": a.described}, // the document sorts paths by name
		Security:        []map[string][]string{},                // needs no login; nil would leave that open
	}
	if r.access&private != 0 {
		op.Middlewares = append(op.Middlewares, a.gate.authenticate(r.access))
		op.Security = r.access.security()
	}
	if r.access&private == 0 && r.method == http.MethodGet {
		op.Middlewares = append(op.Middlewares, a.gate.shareByAddress)
	}
	op.Middlewares = append(op.Middlewares, checkEncoding, checkQuery)
	return op
}

// checkEncoding refuses compressed bodies. It ignores the header if there is no body or nobody reads it.
func checkEncoding(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	encoding := r.Header.Get("Content-Encoding")
	unread := r.ContentLength == 0 || ctx.Operation().Method == http.MethodGet
	if !unread && encoding != "" && !strings.EqualFold(encoding, "identity") {
		errBodyEncoding.write(w, r)
		return
	}
	next(ctx)
}

// checkQuery refuses a query string with a broken escape or an empty parameter. Huma would ignore the parameter.
func checkQuery(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	if err := queryError(r.URL.RawQuery, ctx.Operation().Parameters); err != nil {
		writeError(w, r, err)
		return
	}
	next(ctx)
}

func queryError(query string, parameters []*huma.Param) *parley.Error {
	if _, err := url.QueryUnescape(query); err != nil {
		return parley.Invalid("the query string has an invalid escape; write %25 for a percent sign")
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, _ = url.QueryUnescape(name) // it was checked above
		for _, p := range parameters {
			if value != "" || p.In != "query" || p.Name != name {
				continue
			}
			switch {
			case p.Schema.Type == huma.TypeInteger:
				return parley.Invalid(name + " must be a whole number")
			case name != "keyword": // a blank keyword counts as no keyword
				return parley.Invalid(name + " must not be empty")
			}
		}
	}
	return nil
}

// relaxBody makes a body optional if none of its fields is required.
func (a *API) relaxBody(op huma.Operation) {
	if op.RequestBody == nil {
		return
	}
	schema := op.RequestBody.Content["application/json"].Schema
	if schema.Ref != "" {
		schema = a.huma.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
	}
	op.RequestBody.Required = len(schema.Required) > 0
}
