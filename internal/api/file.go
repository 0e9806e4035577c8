package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/account"
	"parley/internal/library"
)

const (
	// maxParts is how many parts an upload may have; those of other names are passed over.
	maxParts = 16
	// maxBoundary is what RFC 2046 allows.
	maxBoundary = 70
	// maxOther is how many bytes an upload may have beside its file.
	maxOther = 1 << 20
	// maxUploads is how many uploads there may be at once: their bytes are on the disk
	// before they are known to be of any use.
	maxUploads = 256
	// maxUserUploads is how many of them one user may have.
	maxUserUploads = 8
	// uploadPause is how long an upload may stand still, and uploadPace how many bytes a
	// second it has to bring on average: otherwise a few users could keep all others out.
	uploadPause = 30 * time.Second
	uploadPace  = 4 << 10
)

var errBadUpload = parley.Invalid("the body must be multipart/form-data with the parts file and session_id, each once")

var errTooMuchBeside = errors.New("there is too much beside the file")

func isMultipart(r *http.Request) bool {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && strings.HasPrefix(mediaType, "multipart/")
}

// uploadRequest is an upload as it comes: its body is read by uploadFile itself, so
// that it is streamed.
type uploadRequest struct {
	request *http.Request
	writer  http.ResponseWriter
}

// Resolve gives the handler the request.
func (u *uploadRequest) Resolve(ctx huma.Context) []error {
	u.request, u.writer = humachi.Unwrap(ctx)
	return nil
}

func (a *API) uploadFile(ctx context.Context, in *uploadRequest) (parley.File, error) {
	upload := &upload{api: a, ctx: ctx}
	parts, err := upload.open(in)
	if err != nil {
		return parley.File{}, err
	}
	if err := upload.read(parts); err != nil {
		upload.discard()
		return parley.File{}, err
	}
	file, err := upload.draft.Attach(ctx, *upload.sessionID)
	if err != nil {
		upload.discard()
	}
	return file, err
}

// upload is what has come of an upload's parts, in either order.
type upload struct {
	api       *API
	ctx       context.Context
	body      *uploadBytes
	sessionID *string
	refusal   error // of the session, kept until it is known that there is a file
	draft     *library.Draft
}

// open opens the multipart body.
func (u *upload) open(in *uploadRequest) (*multipart.Reader, error) {
	mediaType, params, err := mime.ParseMediaType(in.request.Header.Get("Content-Type"))
	boundary := params["boundary"]
	if err != nil || mediaType != "multipart/form-data" || boundary == "" || len(boundary) > maxBoundary {
		return nil, errBadUpload
	}
	bounded := http.MaxBytesReader(in.writer, in.request.Body, u.api.maxUpload+maxOther)
	u.body = &uploadBytes{r: bounded, control: http.NewResponseController(in.writer), other: maxOther, begun: time.Now()}
	return multipart.NewReader(u.body, boundary), nil
}

// uploadBytes reads a body that may neither stand still nor crawl, nor have much beside
// its file: the headers of parts are kept in memory.
type uploadBytes struct {
	r       io.Reader
	control *http.ResponseController
	other   int64 // how much may still be read beside the file
	inFile  bool
	begun   time.Time
	read    int64
}

func (b *uploadBytes) Read(p []byte) (n int, err error) {
	if err := b.control.SetReadDeadline(b.deadline(time.Now())); err != nil {
		return 0, err
	}
	defer func() { b.read += int64(n) }()
	if b.inFile {
		return b.r.Read(p)
	}
	if b.other <= 0 {
		return 0, errTooMuchBeside
	}
	n, err = b.r.Read(p[:min(int64(len(p)), b.other)])
	b.other -= int64(n)
	return n, err
}

// deadline is until when the next bytes have to come.
func (b *uploadBytes) deadline(now time.Time) time.Time {
	still := now.Add(uploadPause)
	slow := b.begun.Add(uploadPause + time.Duration(b.read)*(time.Second/uploadPace))
	if slow.Before(still) {
		return slow
	}
	return still
}

func (u *upload) discard() {
	if u.draft != nil {
		u.draft.Discard(u.ctx)
	}
}

// read takes all parts.
func (u *upload) read(parts *multipart.Reader) error {
	for range maxParts + 1 { // the last look finds the end
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return u.complete()
		}
		if err != nil {
			return errBadUpload.Because(err)
		}
		switch part.FormName() {
		case "session_id":
			err = u.takeSession(part)
		case "file":
			err = u.takeFile(part)
		}
		if err != nil {
			return err
		}
	}
	return errBadUpload
}

func (u *upload) complete() error {
	if u.sessionID == nil {
		return parley.Invalid("session_id is required")
	}
	if u.draft == nil {
		return parley.Invalid("file is required")
	}
	return nil
}

func (u *upload) takeSession(part io.Reader) error {
	const longest = 1024
	value, err := io.ReadAll(io.LimitReader(part, longest))
	if err != nil || u.sessionID != nil {
		return errBadUpload.Because(err)
	}
	sessionID := string(value)
	u.sessionID = &sessionID
	if u.draft != nil { // Attach will look
		return nil
	}
	u.refusal = u.api.library.CheckSession(u.ctx, userID(u.ctx), sessionID)
	return nil
}

func (u *upload) takeFile(part *multipart.Part) (err error) {
	if u.draft != nil || fileName(part) == "" {
		return errBadUpload
	}
	if u.refusal != nil {
		return u.refusal
	}
	u.body.inFile = true
	defer func() { u.body.inFile = false }()
	u.draft, err = u.api.library.Receive(u.ctx, userID(u.ctx), fileName(part), part)
	var known *parley.Error
	if err != nil && !errors.As(err, &known) {
		return errBadUpload.Because(err) // the body ended early or stood still
	}
	return err
}

// fileName is the name as sent; multipart.Part.FileName would cut it at separators
// of this system only.
func fileName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}

func (a *API) listFiles(ctx context.Context, in *SessionPath) (parley.FilesOutput, error) {
	files, err := a.library.Files(ctx, userID(ctx), in.SessionID)
	return parley.FilesOutput{Files: files}, err
}

// filePath names a file in the path.
type filePath struct {
	FileID string `path:"file_id" doc:"The file." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f12"`
}

func (a *API) deleteFile(ctx context.Context, in *filePath) (parley.Done, error) {
	if err := a.library.Delete(ctx, userID(ctx), in.FileID); err != nil {
		return parley.Done{}, err
	}
	a.accounts.AuditDeletion(ctx, account.FileDeleted, identity(ctx), in.FileID, caller(ctx))
	return parley.Done{}, nil
}
