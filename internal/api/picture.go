package api

import (
	"context"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// pictureInput selects a picture.
type pictureInput struct {
	FileID string `path:"file_id" doc:"The file." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f12"`
	Size   string `query:"size" enum:"full,thumbnail" default:"full" doc:"full: at most 2,048 pixels wide and high; thumbnail: at most 480. Default: full." example:"thumbnail"`
}

// showPicture sends a cleaned picture for a page to show. This server has encoded it. Even if it had not, a browser
// would treat the response as nothing but a picture.
func (a *API) showPicture(ctx context.Context, in *pictureInput) (*huma.StreamResponse, error) {
	picture, err := a.library.OpenPicture(ctx, userID(ctx), in.FileID, in.Size == "thumbnail")
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer picture.Close() //nolint:errcheck // it was only read
		r, w := humachi.Unwrap(ctx)
		w.Header().Set("Content-Type", picture.Type)
		w.Header().Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": picture.Filename}))
		w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
		w.Header().Set("Cache-Control", "private, no-cache")
		w.Header().Set("ETag", `"`+in.FileID+"-"+in.Size+`"`) // it never changes
		http.ServeContent(&downloadWriter{ResponseWriter: w, request: r}, r, "", time.Time{}, picture)
	}}, nil
}
