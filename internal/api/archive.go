package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
)

const (
	// maxExports limits how many accounts are exported at once.
	maxExports = 8
	// maxUserExports limits how many exports of one account run at once.
	maxUserExports = 1
)

// exportAccount sends everything that a user owns as a zip archive. It takes as long as the client needs to read the
// archive. It stops early if the login ends or the server stops.
func (a *API) exportAccount(_ context.Context, _ *none) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humachi.Unwrap(hctx)
		who := identity(hctx.Context())
		if !a.userExports.TryAcquire(who.User.ID) {
			writeError(w, r, parley.ErrTooManyExports)
			return
		}
		defer a.userExports.Release(who.User.ID)
		if err := a.exports.Acquire(r.Context()); err != nil {
			a.journal.fail(r.Context(), err).write(w, r)
			return
		}
		defer a.exports.Release()
		ctx, release, err := a.accounts.Watch(r.Context(), who)
		if err != nil {
			a.journal.fail(r.Context(), err).write(w, r)
			return
		}
		defer release()
		defer a.endOnStop(release, http.NewResponseController(w))()
		w.Header().Set("Content-Type", "application/zip")
		w.Header().Set("Content-Disposition", attachment("parley-export.zip"))
		w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodHead {
			return
		}
		if err := a.export.Account(ctx, who.User, w); err != nil {
			_ = a.journal.fail(ctx, err) // only logged: the response has begun
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

// archiveDocument describes an archive in the document.
func archiveDocument(op *huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "A zip archive.",
		Content: map[string]*huma.MediaType{
			"application/zip": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		},
	}
}
