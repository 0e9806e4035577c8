package api

import (
	"context"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
)

// downloadFile sends a file's bytes: as an attachment, so that no browser shows what
// somebody uploaded as if it were ours.
func (a *API) downloadFile(ctx context.Context, in *filePath) (*huma.StreamResponse, error) {
	file, bytes, err := a.library.Open(ctx, userID(ctx), in.FileID)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer bytes.Close() //nolint:errcheck // it was only read
		r, w := humachi.Unwrap(ctx)
		w.Header().Set("Content-Type", file.FileType)
		w.Header().Set("Content-Disposition", attachment(file.Filename))
		w.Header().Set("Content-Security-Policy", "sandbox")
		http.ServeContent(&download{ResponseWriter: w}, r, "", time.Unix(file.UploadTime, 0), bytes)
	}}, nil
}

// download is an answer of bytes, or of an envelope where http.ServeContent refuses the
// request in its own words.
type download struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader begins the answer.
func (d *download) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		d.ResponseWriter.WriteHeader(status)
		return
	}
	d.refused = true
	d.Header().Del("Content-Disposition")
	writeError(d.ResponseWriter, refusedDownload(status))
}

// Write goes on with the bytes; what is said to a refusal has been said better.
func (d *download) Write(p []byte) (int, error) {
	if d.refused {
		return len(p), nil
	}
	return d.ResponseWriter.Write(p)
}

// refusedDownload is our error for a status of http.ServeContent.
func refusedDownload(status int) *parley.Error {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		return parley.ErrNoSuchRange
	case http.StatusPreconditionFailed:
		return parley.ErrConditionFailed
	}
	return parley.ErrInternal
}

func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}
