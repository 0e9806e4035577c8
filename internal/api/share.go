package api

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"

	"github.com/go-chi/chi/v5"

	"parley"
)

// sharePath is a path with the id of a share.
type sharePath struct {
	ShareID string `path:"share_id" doc:"The share." example:"Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgc2hhcmUhISE"`
}

func (a *API) shareSession(ctx context.Context, in *struct {
	SessionPath
	Body parley.ShareInput
},
) (parley.ShareOutput, error) {
	id, err := a.chat.Share(ctx, userID(ctx), in.SessionID, in.Body)
	if err != nil {
		return parley.ShareOutput{}, err
	}
	a.accounts.AuditShare(ctx, identity(ctx), in.SessionID, caller(ctx))
	return parley.ShareOutput{ShareID: id, URL: a.shareURL(ctx, id)}, nil
}

func (a *API) listShares(ctx context.Context, _ *none) (parley.SharesOutput, error) {
	shares, err := a.chat.Shares(ctx, userID(ctx))
	for i := range shares {
		shares[i].URL = a.shareURL(ctx, shares[i].ShareID)
	}
	return parley.SharesOutput{Shares: shares}, err
}

func (a *API) deleteShare(ctx context.Context, in *sharePath) (parley.Done, error) {
	if err := a.chat.DeleteShare(ctx, userID(ctx), in.ShareID); err != nil {
		return parley.Done{}, err
	}
	a.accounts.AuditShareEnd(ctx, identity(ctx), caller(ctx))
	return parley.Done{}, nil
}

// readShare sends a shared session to anyone.
func (a *API) readShare(ctx context.Context, in *sharePath) (pieces, error) {
	share, messages, err := a.chat.ReadShare(ctx, in.ShareID)
	if err != nil {
		return pieces{}, err
	}
	return jsonList(messages, "messages", func(part []parley.SharedMessage) any {
		share.Messages = part
		return newEnvelope(share)
	}), nil
}

// shareURL returns the address of a share's page. It begins with the server's public address, or else with the one
// that the client used for this request.
func (a *API) shareURL(ctx context.Context, shareID string) string {
	return cmp.Or(a.publicURL, infoOf(ctx).origin.url()) + "/s/" + shareID
}

// noRobots asks search engines not to list a share.
const noRobots = "noindex, nofollow, noarchive"

// sharePolicy allows the page of a share to load only from this server. A frame draws its diagrams.
const sharePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// serveShare serves the page of a share. The page reads the share itself and is the same for all shares. Only the
// status differs: 404 if there is no such share.
func (a *API) serveShare(files fs.FS) http.HandlerFunc {
	serve := servePage(files, "share.html", pagePolicy)
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), a.timeLimit)
		defer cancel()
		err := a.chat.CheckShare(ctx, chi.URLParam(r, "share_id"))
		page := &sharePage{ResponseWriter: w, missing: errors.Is(err, parley.ErrNoSuchShare)}
		r.Header.Del("If-None-Match") // the page is not cached
		r.Header.Del("Range")
		serve(page, r)
	}
}

// sharePage sets the status and the headers of a share's page.
type sharePage struct {
	http.ResponseWriter
	missing bool
}

func (p *sharePage) WriteHeader(status int) {
	header := p.Header()
	header.Set("Content-Security-Policy", sharePolicy)
	header.Set("Cache-Control", "private, no-store")
	header.Set("X-Robots-Tag", noRobots)
	header.Del("Etag")
	if p.missing && status == http.StatusOK {
		status = http.StatusNotFound
	}
	p.ResponseWriter.WriteHeader(status)
}
