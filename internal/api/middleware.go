package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"parley"
	"parley/internal/id"
	"parley/internal/limit"
	"parley/internal/openaiapi"
	"parley/internal/tracing"
)

// requestInfo holds the data of a request for the log and the use cases.
type requestInfo struct {
	id      string
	begun   time.Time
	method  string
	address string
	client  string
	origin  origin
	accepts []string // the values of Accept-Language
	user    int64
	code    parley.Code        // of the error that was returned; zero if none was
	wait    time.Duration      // until the address may call again; zero if it may now
	span    *tracing.Span      // nil if nothing is traced
	hold    *limit.Hold[int64] // the memory of the response; nil without a user
}

// identifyRequest gives each request an id for the log and the response.
func (a *API) identifyRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := &requestInfo{
			id:      id.New(),
			begun:   time.Now(),
			method:  r.Method,
			address: a.clientAddress(r),
			client:  r.UserAgent(),
			origin:  a.origin(r),
			accepts: r.Header["Accept-Language"],
		}
		w.Header().Set("X-Request-Id", info.id)
		ctx := context.WithValue(r.Context(), keyRequest, info)
		ctx, info.span = a.tracer.Request(ctx, r.Header)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func infoOf(ctx context.Context) *requestInfo { return ctx.Value(keyRequest).(*requestInfo) }

func requestID(ctx context.Context) string {
	info, _ := ctx.Value(keyRequest).(*requestInfo)
	if info == nil {
		return ""
	}
	return info.id
}

// noteCode notes the error that is returned, unless the request is refused before it has an id.
func noteCode(ctx context.Context, code parley.Code) {
	if info, _ := ctx.Value(keyRequest).(*requestInfo); info != nil {
		info.code = code
	}
}

func noteUser(ctx context.Context, userID int64) {
	infoOf(ctx).user = userID
}

// logAccess logs each request, but never its query, headers or body, which may hold secrets.
func (a *API) logAccess(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			route := chi.RouteContext(r.Context()).RoutePattern()
			a.logRequest(infoOf(r.Context()), route, seen.Status(), seen.BytesWritten())
		}()
		next.ServeHTTP(seen, r)
	})
}

func (a *API) logRequest(info *requestInfo, route string, status, bytes int) {
	took := time.Since(info.begun)
	a.metrics.Request(info.method, route, status, took)
	if info.code != 0 {
		a.metrics.Failed(info.code, info.begun)
	}
	a.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("method", info.method),
		slog.String("route", route),
		slog.Int("status", status),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.Int("bytes", bytes),
		slog.Int64("user", info.user),
		slog.String("address", info.address),
		slog.String("request", info.id))
	info.endSpan(route, status)
}

// endSpan ends the trace of a request.
func (info *requestInfo) endSpan(route string, status int) {
	if info.span == nil {
		return
	}
	info.span.Name(strings.TrimSpace(info.method + " " + route))
	info.span.Text("http.request.method", info.method)
	info.span.Text("http.route", route)
	info.span.Number("http.response.status_code", int64(status))
	info.span.Text("parley.request", info.id)
	info.span.Number("parley.user", info.user)
	if status >= http.StatusInternalServerError {
		info.span.Failed()
	}
	info.span.End(nil)
}

// recoverPanic turns a panic into an internal error of one request. If the response has begun, it is cut off.
func (a *API) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // a panic value, not an error chain
				panic(p)
			}
			a.log.ErrorContext(r.Context(), "panic",
				"error", fmt.Sprint(p), "stack", string(debug.Stack()), "request", requestID(r.Context()))
			if seen, ok := w.(middleware.WrapResponseWriter); ok && seen.Status() != 0 {
				panic(http.ErrAbortHandler)
			}
			writeError(w, r, parley.ErrInternal)
		}()
		next.ServeHTTP(w, r)
	})
}

// allowOrigins allows pages of the configured origins to call the API (CORS). The token is in a header, never in
// a cookie, so any origin is safe.
func (a *API) allowOrigins(next http.Handler) http.Handler {
	anyOrigin := slices.Contains(a.corsOrigins, "*")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		header := w.Header()
		if !anyOrigin {
			header.Add("Vary", "Origin")
		}
		if origin == "" || !anyOrigin && !slices.Contains(a.corsOrigins, origin) {
			next.ServeHTTP(w, r)
			return
		}
		if anyOrigin {
			origin = "*"
		}
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID")
		if isOpenAI(r.URL.Path) { // OpenAI's clients send headers of their own
			header.Set("Access-Control-Allow-Headers", "Authorization, *")
		}
		header.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	})
}

// plainJSON treats every body except multipart as JSON, whatever its Content-Type. It counts bodies against their
// limit, except uploads, which are not held in memory.
func (a *API) plainJSON(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		multipart := isMultipart(r)
		if !multipart {
			r.Header.Set("Content-Type", "application/json")
		}
		if r.Body != http.NoBody && !(multipart && (r.URL.Path == uploadPath || r.URL.Path == importPath)) {
			body := a.bodies.Reader(r.Body, func() (user, size int64) {
				user = infoOf(r.Context()).user
				return user, expectedBody(r, user)
			})
			defer body.Release()
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// expectedBody returns how many bytes of a body are held before they come, so that a body that is begun can be read to
// its end. Nothing is held for strangers.
func expectedBody(r *http.Request, user int64) int64 {
	limit := int64(maxBody)
	switch {
	case user == 0:
		limit = 0
	case isOpenAI(r.URL.Path):
		limit = openaiapi.MaxBody
	}
	return min(max(0, r.ContentLength), limit) // the length is -1 if it is not known
}
