package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"parley"
	"parley/internal/extract"
	"parley/internal/extract/pdf"
	"parley/internal/extract/prose"
)

// Indexer makes the passage index of a document, which is stored beside its text.
type Indexer func(prose.Document) ([]byte, error)

// Serve runs a child: it reads one request from in, executes it within the limits that the request sets for the
// process, and writes the response to out. If in ends before a request, Serve returns nil. This happens to a spare
// child when its parent exits.
func Serve(in io.Reader, out io.Writer, index Indexer) error {
	req, err := readRequest(in)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	exit, err := req.Limits.apply()
	if err != nil {
		return fmt.Errorf("limit the process: %w", err)
	}
	if req.History {
		return serveHistory(in, out, req)
	}
	file := make([]byte, req.Size)
	if _, err := io.ReadFull(in, file); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	response := bufio.NewWriterSize(out, frameSize)
	pictures := &pictures{out: response, frames: make(chan frame), exit: exit, time: 2 * req.Limits.Time}
	go pictures.listen(in)
	if err := respond(response, req, file, index, pictures); err != nil {
		return fmt.Errorf("write the response: %w", err)
	}
	return response.Flush()
}

func readRequest(in io.Reader) (request, error) {
	var req request
	kind, content, err := readFrame(in, nil)
	if err != nil {
		return req, err
	}
	if kind != frameRequest {
		return req, errBadFrame
	}
	return req, json.Unmarshal(content, &req)
}

// respond executes a request and writes the response. It returns only write errors.
func respond(w io.Writer, req request, file []byte, index Indexer, pictures *pictures) error {
	if req.Prepare { // there is no document yet, so no walls are needed
		if err := compileEngine(req.Cache); err != nil {
			return writeFrame(w, frameFailed, []byte(err.Error()))
		}
		return writeJSON(w, frameDone, Summary{})
	}
	reader := extract.Reader{
		MaxText: req.MaxText, MaxUnpacked: req.MaxUnpacked, Pictures: req.Pictures, ScansOff: req.ScansOff,
	}
	if req.MaxScans > 0 {
		reader.Recognize, reader.MaxScans, reader.Progress = pictures.recognize, req.MaxScans, pictures.begin
		reader.ScanPixels = req.ScanPixels
	}
	if extract.MayHoldPDF(file) {
		engine, err := pdf.OpenEngine(req.Cache)
		if err != nil {
			return writeFrame(w, frameFailed, []byte(err.Error()))
		}
		reader.Engine = engine
	}
	walls := raiseWalls() // from here on no file can be opened
	if req.Check {
		if err := writeJSON(w, frameIndex, walls); err != nil {
			return err
		}
		return writeJSON(w, frameDone, Summary{})
	}
	var document prose.Document
	var err error
	if req.ContentType != "" {
		index = nil
		document, err = reader.ReadPage(context.Background(), file, req.ContentType)
	} else {
		document, err = reader.Read(context.Background(), file, req.Name)
	}
	var refusal *parley.Error
	switch {
	case errors.As(err, &refusal):
		return writeFrame(w, frameRefused, []byte(refusal.Message))
	case err != nil:
		return writeFrame(w, frameFailed, []byte(err.Error()))
	}
	return respondWith(w, document, index)
}

func respondWith(w io.Writer, document prose.Document, index Indexer) error {
	if err := writePieces(w, frameText, document.Text); err != nil {
		return err
	}
	if index != nil {
		made, err := index(document)
		if err != nil {
			return writeFrame(w, frameFailed, []byte(err.Error()))
		}
		if err := writePieces(w, frameIndex, string(made)); err != nil {
			return err
		}
	}
	if p := document.Picture; p != nil {
		if err := errors.Join(writeFrame(w, framePicture, p.Full), writeFrame(w, frameThumbnail, p.Thumbnail)); err != nil {
			return err
		}
	}
	return writeJSON(w, frameDone, Summary{
		Type: document.Type, Anchors: document.Anchors, Notes: document.Notes,
	})
}

// writePieces writes content in frames. A text frame ends between characters.
func writePieces(w io.Writer, kind byte, content string) error {
	for len(content) > 0 {
		size := min(len(content), frameSize)
		for cut := size; kind == frameText && cut < len(content) && cut > size-utf8.UTFMax; cut-- {
			if utf8.RuneStart(content[cut]) {
				size = cut
				break
			}
		}
		if err := writeFrame(w, kind, []byte(content[:size])); err != nil {
			return err
		}
		content = content[size:]
	}
	return nil
}
