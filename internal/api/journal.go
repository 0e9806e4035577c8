package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"parley"
	"parley/internal/account"
	"parley/internal/id"
	"parley/internal/limit"
	"parley/internal/metrics"
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
	code    parley.Code        // the error that was returned; zero if none
	wait    time.Duration      // until the address may call again; zero if it may now
	span    *tracing.Span      // nil if nothing is traced
	hold    *limit.Hold[int64] // the memory of the response; nil without a user
}

// journal records requests and their faults in the log, the metrics and the traces.
type journal struct {
	log     *slog.Logger
	metrics *metrics.Metrics
	tracer  *tracing.Tracer // nil traces nothing
	proxies *proxies
}

// identify gives each request an id for the log and the response.
func (j *journal) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := &requestInfo{
			id:      id.New(),
			begun:   time.Now(),
			method:  r.Method,
			address: j.proxies.client(r),
			client:  r.UserAgent(),
			origin:  j.proxies.origin(r),
			accepts: r.Header["Accept-Language"],
		}
		w.Header().Set("X-Request-Id", info.id)
		ctx := context.WithValue(r.Context(), keyRequest, info)
		ctx, info.span = j.tracer.Request(ctx, r.Header)
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

// noteCode records the code of the returned error, unless the request was refused before it got an id.
func noteCode(ctx context.Context, code parley.Code) {
	if info, _ := ctx.Value(keyRequest).(*requestInfo); info != nil {
		info.code = code
	}
}

func noteUser(ctx context.Context, userID int64) {
	infoOf(ctx).user = userID
}

// logAccess logs each request, but never its query, headers or body, which may hold secrets.
func (j *journal) logAccess(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			route := chi.RouteContext(r.Context()).RoutePattern()
			j.note(infoOf(r.Context()), route, seen.Status(), seen.BytesWritten())
		}()
		next.ServeHTTP(seen, r)
	})
}

func (j *journal) note(info *requestInfo, route string, status, bytes int) {
	took := time.Since(info.begun)
	j.metrics.Request(info.method, route, status, took)
	if info.code != 0 {
		j.metrics.Failed(info.code, info.begun)
	}
	j.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
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

// recoverPanic turns a panic into an internal error of one request. If the response has begun, it cuts the response
// off.
func (j *journal) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // a panic value, not an error chain
				panic(p)
			}
			j.log.ErrorContext(r.Context(), "panic",
				"error", fmt.Sprint(p), "stack", string(debug.Stack()), "request", requestID(r.Context()))
			if seen, ok := w.(middleware.WrapResponseWriter); ok && seen.Status() != 0 {
				panic(http.ErrAbortHandler)
			}
			writeError(w, r, parley.ErrInternal)
		}()
		next.ServeHTTP(w, r)
	})
}

// fail returns the envelope of an error. It logs the cause, if there is one.
func (j *journal) fail(ctx context.Context, err error) *failure {
	if errors.Is(err, account.ErrNotAdmin) {
		return errNoSuchPath
	}
	var own *failure
	if errors.As(err, &own) {
		return own
	}
	e := asError(err)
	if e.Code == parley.CodeInternal && (isLate(ctx.Err()) || e.Kind == parley.Plain && isLate(err)) {
		e = parley.ErrTimeout.WithCause(err)
	}
	f := newFailure(e)
	if cause := e.Unwrap(); cause != nil && !errors.Is(ctx.Err(), context.Canceled) {
		level := slog.LevelInfo // the caller's error, or overload
		if f.status >= http.StatusInternalServerError && e.Kind != parley.Busy {
			level = slog.LevelError
		}
		j.log.Log(ctx, level, e.Message, "code", int(e.Code), "error", cause, "request", requestID(ctx))
	}
	return f
}

// isLate reports whether an error comes from a deadline: the request's own, or one of something that the request
// waits for, such as the database.
func isLate(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}
