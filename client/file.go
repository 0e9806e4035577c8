package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"

	"parley"
)

// errUploadEnded stops the copying of a document when its upload has ended.
var errUploadEnded = errors.New("the upload has ended")

// Upload adds a document to a session. It streams content, which may be of any size. It waits for
// as long as the server takes to read the document, which may be minutes for a scan: only ctx
// ends it earlier. After Upload has returned, content is no longer read, except that one Read may
// still be running if ctx has ended.
func (c *Client) Upload(
	ctx context.Context, sessionID, filename string, content io.Reader,
) (out parley.File, err error) {
	fields := map[string]string{"session_id": sessionID}
	err = c.uploadForm(ctx, uploadPath, fields, filename, content, func(r *http.Request) error {
		return exchange(c.uploads, r, &out)
	})
	return out, err
}

// UploadWithProgress is Upload for a document that may take minutes to read, such as a scan: it calls progress before
// each such page. If ctx ends, the server stops reading and keeps nothing.
func (c *Client) UploadWithProgress(
	ctx context.Context, sessionID, filename string, content io.Reader, progress func(parley.UploadProgress),
) (out parley.File, err error) {
	fields := map[string]string{"session_id": sessionID}
	err = c.uploadForm(ctx, uploadPath, fields, filename, content, func(r *http.Request) error {
		stream, err := openStream(c.uploads, r, "")
		if err != nil {
			return err
		}
		defer func() { _ = stream.Close() }() // it was read to its end or has failed
		out, err = stream.upload(progress)
		return err
	})
	return out, err
}

const uploadPath = "/api/files/upload"

// upload reads the events of an upload to their end.
func (s *Stream) upload(progress func(parley.UploadProgress)) (file parley.File, err error) {
	for {
		f, err := s.frames.next()
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("the stream was cut off: %w", io.ErrUnexpectedEOF)
		}
		if err != nil {
			return file, err
		}
		switch f.name {
		case "progress":
			var at parley.UploadProgress
			if err := json.Unmarshal(f.data, &at); err != nil {
				return file, fmt.Errorf("decode an event: %w", err)
			}
			progress(at)
		case "done":
			if err := json.Unmarshal(f.data, &file); err != nil {
				return file, fmt.Errorf("decode an event: %w", err)
			}
			return file, nil
		case "error":
			_, err := decodeEvent(f.name, f.data)
			if e, ok := errors.AsType[*Error](err); ok {
				e.Status = s.status
			}
			return file, err
		}
	}
}

// StartImport imports conversations from an export of ChatGPT, Open WebUI, LibreChat or this
// service. It streams content as Upload does. Import tells how far it is.
func (c *Client) StartImport(
	ctx context.Context, filename string, content io.Reader,
) (out parley.StartImportOutput, err error) {
	err = c.uploadForm(ctx, "/api/import", nil, filename, content, func(r *http.Request) error {
		return exchange(c.uploads, r, &out)
	})
	return out, err
}

// Import returns the progress of an import, or its result.
func (c *Client) Import(ctx context.Context, importID string) (out parley.Import, err error) {
	err = c.do(ctx, http.MethodGet, "/api/import/"+url.PathEscape(importID), nil, &out)
	return out, err
}

// uploadForm sends a form with a file. exchange sends the request and reads the response.
func (c *Client) uploadForm(
	ctx context.Context, path string, fields map[string]string, filename string, content io.Reader,
	exchange func(*http.Request) error,
) error {
	body, pipe := io.Pipe()
	r, err := c.newRequest(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	form := multipart.NewWriter(pipe)
	r.Header.Set("Content-Type", form.FormDataContentType())

	copied := make(chan struct{})
	go func() {
		defer close(copied)
		pipe.CloseWithError(writeForm(form, fields, filename, content))
	}()
	// A blocked Read of content must not block the transport when ctx ends.
	stop := context.AfterFunc(ctx, func() { body.CloseWithError(context.Cause(ctx)) })
	defer stop()

	err = exchange(r)
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) { // the transport saw the closed pipe first
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	body.CloseWithError(errUploadEnded)
	select {
	case <-copied:
	case <-ctx.Done():
	}
	return err
}

func writeForm(form *multipart.Writer, fields map[string]string, filename string, content io.Reader) error {
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	file, err := form.CreateFormFile("file", filename)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, content); err != nil {
		return err
	}
	return form.Close()
}

// Files lists a session's files, oldest first.
func (c *Client) Files(ctx context.Context, sessionID string) (out parley.FilesOutput, err error) {
	err = c.do(ctx, http.MethodGet, sessionPath(sessionID)+"/files", nil, &out)
	return out, err
}

// Download is the bytes of a file and its metadata. It must be closed.
type Download struct {
	io.ReadCloser
	Filename string
	FileType string
	FileSize int64 // -1 if unknown
}

// Download opens a file's bytes.
func (c *Client) Download(ctx context.Context, fileID string) (*Download, error) {
	return c.openFile(ctx, filePath(fileID))
}

// Picture opens a picture of a session without its metadata, of at most 2,048 pixels on each side.
func (c *Client) Picture(ctx context.Context, fileID string) (*Download, error) {
	return c.openFile(ctx, filePath(fileID)+"/picture")
}

// Thumbnail opens a picture of a session without its metadata, of at most 480 pixels on each side.
func (c *Client) Thumbnail(ctx context.Context, fileID string) (*Download, error) {
	return c.openFile(ctx, filePath(fileID)+"/picture?size=thumbnail")
}

func (c *Client) openFile(ctx context.Context, path string) (*Download, error) {
	r, err := c.newRequest(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	response, err := open(c.http, r) //nolint:bodyclose // the caller closes the Download
	if err != nil {
		return nil, err
	}
	d := &Download{ReadCloser: response.Body, FileSize: response.ContentLength}
	if _, params, err := mime.ParseMediaType(response.Header.Get("Content-Disposition")); err == nil {
		d.Filename = params["filename"]
	}
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil {
		d.FileType = kind
	}
	return d, nil
}

// FileText returns a page of a file's text, as a model gets it. Zero values of in select the first page.
func (c *Client) FileText(
	ctx context.Context, fileID string, in parley.FileTextInput,
) (out parley.FileText, err error) {
	query := url.Values{}
	if in.Page != 0 {
		query.Set("page", strconv.FormatInt(in.Page, 10))
	}
	if in.At != 0 {
		query.Set("at", strconv.FormatInt(in.At, 10))
	}
	if in.Find != "" {
		query.Set("find", in.Find)
	}
	err = c.do(ctx, http.MethodGet, withPage(filePath(fileID)+"/text", parley.Page{}, query), nil, &out)
	return out, err
}

// DeleteFileOf removes a file from a session, and deletes it if no other session has it.
func (c *Client) DeleteFileOf(ctx context.Context, sessionID, fileID string) error {
	query := url.Values{"session_id": {sessionID}}
	return c.do(ctx, http.MethodDelete, filePath(fileID)+"?"+query.Encode(), nil, nil)
}

// DeleteFile deletes a file. It goes from all sessions that have it.
func (c *Client) DeleteFile(ctx context.Context, fileID string) error {
	return c.do(ctx, http.MethodDelete, filePath(fileID), nil, nil)
}

func filePath(fileID string) string {
	return "/api/files/" + url.PathEscape(fileID)
}
