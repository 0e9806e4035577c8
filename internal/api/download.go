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

// downloadFile sends a file's bytes as an attachment. A browser must not show an upload as a page of this origin.
func (a *API) downloadFile(ctx context.Context, in *FilePath) (*huma.StreamResponse, error) {
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
		http.ServeContent(&downloadWriter{ResponseWriter: w, request: r}, r, "", time.Unix(file.UploadTime, 0), bytes)
	}}, nil
}

// downloadWriter replaces the errors of http.ServeContent by envelopes.
type downloadWriter struct {
	http.ResponseWriter
	request *http.Request
	failed  bool
}

func (d *downloadWriter) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		d.ResponseWriter.WriteHeader(status)
		return
	}
	d.failed = true
	d.Header().Del("Content-Disposition")
	downloadError(status).write(d.ResponseWriter, d.request)
}

// Write drops the text of an error.
func (d *downloadWriter) Write(p []byte) (int, error) {
	if d.failed {
		return len(p), nil
	}
	return d.ResponseWriter.Write(p)
}

// downloadError returns the error for a status of http.ServeContent.
func downloadError(status int) *failure {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		return errNoSuchRange
	case http.StatusPreconditionFailed:
		return errConditionFailed
	}
	return newFailure(parley.ErrInternal)
}

func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}
