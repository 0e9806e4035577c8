package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/limit"
)

// route is a line of the table in routes.go.
type route struct {
	method, path string
	id, summary  string
	access       access
	errors       []*parley.Error
}

// access says who may call an operation.
type access int

const (
	open    access = 0 // anybody
	private access = 1 // whoever has a token
	// waits is added for operations that wait for something other than the database: a
	// model, or their turn to check a password. They would hold up the others.
	waits access = 2
)

// handle serves an operation by a typed function: it decodes and checks the input,
// calls the function, and writes the envelope.
func handle[I, O any](a *API, r route, serve func(context.Context, *I) (O, error)) {
	op := a.operation(r)
	if _, has := reflect.TypeFor[I]().FieldByName("Body"); has {
		op.RequestBody = &huma.RequestBody{} // made before huma fills it in, to be settled afterwards
	}
	var zero O
	if _, nothing := any(zero).(parley.Done); nothing {
		huma.Register(a.huma, op, func(ctx context.Context, in *I) (*struct{ Body done }, error) {
			_, err := call(a, ctx, r, in, serve)
			if err != nil {
				return nil, err
			}
			return &struct{ Body done }{done{Message: ok, Success: true}}, nil
		})
	} else {
		huma.Register(a.huma, op, func(ctx context.Context, in *I) (*struct{ Body answer[O] }, error) {
			out, err := call(a, ctx, r, in, serve)
			if err != nil {
				return nil, err
			}
			return &struct{ Body answer[O] }{answer[O]{Body: out, Message: ok, Success: true}}, nil
		})
	}
	a.settleBody(op)
}

// handleRaw serves an operation whose success is not in the envelope; document adds
// what its answer is.
func handleRaw[I any](a *API, r route, document func(*huma.Operation), serve func(context.Context, *I) (*huma.StreamResponse, error)) {
	op := a.operation(r)
	document(&op)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		return call(a, ctx, r, in, serve)
	})
}

// handleUpload serves an operation that reads its multipart body by itself, in its
// own time.
func handleUpload[I, O any](a *API, r route, serve func(context.Context, *I) (O, error)) {
	op := a.operation(r)
	all, perUser := limit.NewLimiter(maxUploads, 0, 0), limit.NewPerKey[int64](maxUserUploads)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*struct{ Body answer[O] }, error) {
		user := userID(ctx)
		if !perUser.TryAcquire(user) {
			return nil, a.fail(ctx, parley.ErrTooManyUploads)
		}
		defer perUser.Release(user)
		if err := all.Acquire(ctx); err != nil {
			return nil, a.fail(ctx, err)
		}
		defer all.Release()
		out, err := serve(ctx, in)
		if err != nil {
			return nil, a.fail(ctx, err)
		}
		return &struct{ Body answer[O] }{answer[O]{Body: out, Message: ok, Success: true}}, nil
	})
	a.huma.OpenAPI().Paths[r.path].Post.RequestBody = uploadBody()
}

// call runs a use case within the time limit, when there is room for it, and turns its
// error into the envelope.
func call[I, O any](a *API, ctx context.Context, r route, in *I, serve func(context.Context, *I) (O, error)) (O, error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeLimit())
	defer cancel()
	if r.access&waits == 0 {
		if err := a.limiter.Acquire(ctx); err != nil {
			var none O
			return none, a.fail(ctx, err)
		}
		defer a.limiter.Release()
	}
	out, err := serve(ctx, in)
	if err != nil {
		return out, a.fail(ctx, err)
	}
	return out, nil
}

// timeLimit leaves a little of the request's time for the answer itself.
func (a *API) timeLimit() time.Duration {
	return a.requestTimeout - min(a.requestTimeout/20, 250*time.Millisecond)
}

// fail logs an error that has a cause, once, and returns what the caller is told.
func (a *API) fail(ctx context.Context, err error) *failure {
	e := known(err)
	if e.Code == parley.CodeInternal && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e = parley.ErrTimeout.Because(err)
	}
	if cause := e.Unwrap(); cause != nil && !errors.Is(ctx.Err(), context.Canceled) {
		level := slog.LevelInfo // the caller's doing, or a full house
		if httpStatus(e) >= http.StatusInternalServerError && e.Kind != parley.Busy {
			level = slog.LevelError
		}
		a.log.Log(ctx, level, e.Message, "code", int(e.Code), "error", cause, "request", requestID(ctx))
	}
	return newFailure(e)
}

// operation describes a route to huma.
func (a *API) operation(r route) huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.summary,
		Description: descriptions[r.id], Tags: []string{tagOf(r.path)},
		MaxBodyBytes: maxBody + 1, BodyReadTimeout: bodyReadTimeout,
		Responses: a.failures(r),
	}
	if r.access&private != 0 {
		op.Middlewares = append(op.Middlewares, a.authenticate)
		op.Security = []map[string][]string{{"token": {}}}
	}
	op.Middlewares = append(op.Middlewares, checkEncoding, checkQuery)
	return op
}

// checkEncoding turns compressed bodies away.
func checkEncoding(ctx huma.Context, next func(huma.Context)) {
	if encoding := ctx.Header("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		_, w := humachi.Unwrap(ctx)
		writeError(w, parley.ErrBodyEncoding)
		return
	}
	next(ctx)
}

// checkQuery refuses a query string with a broken escape: huma would take a parameter
// that it can't read for one that is not there.
func checkQuery(ctx huma.Context, next func(huma.Context)) {
	u := ctx.URL()
	if _, err := url.QueryUnescape(u.RawQuery); err != nil {
		_, w := humachi.Unwrap(ctx)
		writeError(w, parley.Invalid("the query string has a % that begins no escape: write %25 for a percent sign"))
		return
	}
	next(ctx)
}

// settleBody makes a body optional where none of its fields is required.
func (a *API) settleBody(op huma.Operation) {
	if op.RequestBody == nil {
		return
	}
	schema := op.RequestBody.Content["application/json"].Schema
	if schema.Ref != "" {
		schema = a.huma.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
	}
	op.RequestBody.Required = len(schema.Required) > 0
}
