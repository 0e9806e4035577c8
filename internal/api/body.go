package api

import (
	"net/http"

	"parley/internal/limit"
	"parley/internal/openaiapi"
)

// plainJSON treats every body except multipart as JSON, whatever its Content-Type. It counts bodies against the
// memory for bodies, except uploads, which are not held in memory.
func plainJSON(memory *limit.ByteShares[int64]) func(http.Handler) http.Handler {
	serve := func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		multipart := isMultipart(r)
		if !multipart {
			r.Header.Set("Content-Type", "application/json")
		}
		if r.Body != http.NoBody && !(multipart && (r.URL.Path == uploadPath || r.URL.Path == importPath)) {
			body := memory.Reader(r.Body, func() (user, size int64) {
				user = infoOf(r.Context()).user
				return user, expectedBody(r, user)
			})
			defer body.Release()
			r.Body = body
		}
		next.ServeHTTP(w, r)
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(next, w, r) })
	}
}

// expectedBody returns how many bytes to hold before a body arrives. Then the memory suffices for every body that the
// server begins to read. It holds nothing for strangers.
func expectedBody(r *http.Request, user int64) int64 {
	limit := int64(maxBody)
	switch {
	case user == 0:
		limit = 0
	case isOpenAI(r.URL.Path):
		limit = openaiapi.MaxBody
	}
	return min(max(0, r.ContentLength), limit) // the length is -1 if unknown
}
