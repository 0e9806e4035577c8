package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/library"
)

const (
	uploadPath = "/api/files/upload"
	// maxParts limits the parts of an upload. Unknown parts are skipped.
	maxParts = 16
	// maxBoundary is the longest boundary that RFC 2046 allows.
	maxBoundary = 70
	// maxOther limits the bytes of an upload in addition to its file.
	maxOther = 1 << 20
	// maxUploads limits how many uploads run at once: their bytes go to the disk before they are checked.
	maxUploads = 256
	// maxUserUploads limits how many uploads of one user run at once.
	maxUserUploads = 8
	// uploadPause is how long an upload may stall, and uploadRate is its minimum average rate in bytes per second.
	// Otherwise a few users could block all others.
	uploadPause = 30 * time.Second
	uploadRate  = 4 << 10
)

// pace limits how slowly the body of an upload may arrive.
type pace struct {
	rate  int64         // minimum average, in bytes per second
	total time.Duration // for the whole body; 0 means no limit
}

var errBadUpload = parley.Invalid(
	"the body must be multipart/form-data with the parts file and session_id, each once")

var errTooMuchOther = errors.New("there is too much in addition to the file")

func isMultipart(r *http.Request) bool {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && strings.HasPrefix(mediaType, "multipart/")
}

// uploadRequest holds the raw request. uploadFile streams its body.
type uploadRequest struct {
	request *http.Request
	writer  http.ResponseWriter
}

// Resolve implements huma.Resolver.
func (u *uploadRequest) Resolve(ctx huma.Context) []error {
	u.request, u.writer = humachi.Unwrap(ctx)
	return nil
}

func (a *API) uploadFile(ctx context.Context, in *uploadRequest) (pieces, error) {
	upload := a.newUpload(ctx)
	parts, err := upload.open(in)
	if err != nil {
		return pieces{}, err
	}
	if err := upload.read(parts); err != nil {
		upload.discard()
		return pieces{}, upload.cause(err)
	}
	if wantsEvents(in.request) {
		return pieces{}, a.attachWithEvents(ctx, in, upload)
	}
	file, err := upload.attach(ctx)
	return onePiece(newEnvelope(file)), err
}

// attach reads the document and adds it to its session. If this fails, it keeps nothing.
func (u *upload) attach(ctx context.Context) (parley.File, error) {
	file, err := u.draft.Attach(ctx, *u.sessionID)
	if err != nil {
		u.discard()
		return file, err
	}
	return inLanguage(ctx, file), nil
}

// newUpload returns an upload of a document.
func (a *API) newUpload(ctx context.Context) *upload {
	return &upload{
		api: a, ctx: ctx, limit: a.maxUpload, receive: a.library.Receive, toSession: true, bad: errBadUpload,
		pace: pace{rate: uploadRate}, slow: errBrokenBody,
	}
}

// cause returns err, or the error of the body if that came first. After an error of the body, net/http cancels the
// context and everything else fails too.
func (u *upload) cause(err error) error {
	switch {
	case u.body.broken == nil:
		return err
	case errors.Is(u.body.broken, os.ErrDeadlineExceeded):
		return u.slow.WithCause(u.body.broken)
	}
	return errBrokenBody.WithCause(u.body.broken)
}

// upload collects the parts of an upload. They may come in any order.
type upload struct {
	api     *API
	ctx     context.Context
	limit   int64 // of the file
	receive func(ctx context.Context, userID int64, name string, r io.Reader) (*library.Draft, error)
	// toSession is set if a session_id is required.
	toSession bool
	bad       *parley.Error // if the body has another form
	pace      pace
	slow      *parley.Error // if the body comes too slowly
	body      *uploadReader
	sessionID *string
	refusal   error // of the session; returned when the file part comes
	draft     *library.Draft
}

// open opens the multipart body.
func (u *upload) open(in *uploadRequest) (*multipart.Reader, error) {
	mediaType, params, err := mime.ParseMediaType(in.request.Header.Get("Content-Type"))
	boundary := params["boundary"]
	if err != nil || mediaType != "multipart/form-data" || boundary == "" || len(boundary) > maxBoundary {
		return nil, u.bad
	}
	bounded := http.MaxBytesReader(in.writer, in.request.Body, u.limit+maxOther)
	u.body = &uploadReader{
		r:       bounded,
		control: http.NewResponseController(in.writer),
		other:   maxOther,
		pace:    u.pace,
		begun:   time.Now(),
	}
	return multipart.NewReader(u.body, boundary), nil
}

// uploadReader reads a body. It limits the pauses, the rate and the bytes outside of the file: the headers of parts
// are kept in memory.
type uploadReader struct {
	r       io.Reader
	control *http.ResponseController
	other   int64 // bytes left outside of the file
	inFile  bool
	pace    pace
	begun   time.Time
	read    int64
	ended   bool
	broken  error // of the connection
}

func (b *uploadReader) Read(p []byte) (n int, err error) {
	if b.ended { // a new deadline would end the request later
		return 0, io.EOF
	}
	if err := b.control.SetReadDeadline(b.deadline(time.Now())); err != nil {
		return 0, err
	}
	if !b.inFile {
		if b.other <= 0 {
			return 0, errTooMuchOther
		}
		p = p[:min(int64(len(p)), b.other)]
	}
	n, err = b.r.Read(p)
	b.read += int64(n)
	if !b.inFile {
		b.other -= int64(n)
	}
	b.ended = errors.Is(err, io.EOF)
	var tooLarge *http.MaxBytesError
	if err != nil && !b.ended && !errors.As(err, &tooLarge) {
		b.broken = err
	}
	return n, err
}

// deadline returns when the next bytes must arrive.
func (b *uploadReader) deadline(now time.Time) time.Time {
	due := now.Add(uploadPause)
	atRate := b.begun.Add(uploadPause + time.Duration(b.read)*(time.Second/time.Duration(b.pace.rate)))
	if atRate.Before(due) {
		due = atRate
	}
	if end := b.begun.Add(b.pace.total); b.pace.total > 0 && end.Before(due) {
		due = end
	}
	return due
}

func (u *upload) discard() {
	if u.draft != nil {
		u.draft.Discard(u.ctx)
	}
}

// read reads all parts.
func (u *upload) read(parts *multipart.Reader) error {
	for range maxParts + 1 { // the last iteration finds the end
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return u.complete()
		}
		if err != nil {
			return u.bad.WithCause(err)
		}
		switch name := part.FormName(); {
		case name == "session_id" && u.toSession:
			err = u.takeSession(part)
		case name == "file":
			err = u.takeFile(part)
		}
		if err != nil {
			return err
		}
	}
	return u.bad
}

// complete checks that no part is missing. It reads the body to its end: only then does net/http notice if the client
// disconnects.
func (u *upload) complete() error {
	if _, err := io.Copy(io.Discard, u.body); err != nil {
		return u.bad.WithCause(err)
	}
	if u.toSession && u.sessionID == nil {
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
		return u.bad.WithCause(err)
	}
	sessionID := string(value)
	if sessionID == "" {
		return parley.Invalid("session_id is required")
	}
	u.sessionID = &sessionID
	if u.draft != nil { // Attach checks the session
		return nil
	}
	u.refusal = u.api.library.CheckSession(u.ctx, userID(u.ctx), sessionID)
	return nil
}

func (u *upload) takeFile(part *multipart.Part) (err error) {
	if u.draft != nil || fileName(part) == "" {
		return u.bad
	}
	if u.refusal != nil {
		return u.refusal
	}
	u.body.inFile = true
	defer func() { u.body.inFile = false }()
	u.draft, err = u.receive(u.ctx, userID(u.ctx), fileName(part), part)
	var known *parley.Error
	if err != nil && !errors.As(err, &known) {
		return u.bad.WithCause(err) // the body ended early or stalled
	}
	return err
}

// fileName returns the name as sent. multipart.Part.FileName would cut it, but only at the separators of this system.
func fileName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}
