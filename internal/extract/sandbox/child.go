package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"parley"
	"parley/internal/extract"
)

// Indexer makes the passage index of a document, which is stored beside its text.
type Indexer func(extract.Document) ([]byte, error)

// Serve runs a child: it reads one request from in, executes it within the limits that
// the request sets for the process, and writes the response to out. If in ends before a
// request, which happens to a spare child whose parent exits, Serve returns nil.
func Serve(in io.Reader, out io.Writer, index Indexer) error {
	req, err := readRequest(in)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if err := req.Limits.apply(); err != nil {
		return fmt.Errorf("limit the process: %w", err)
	}
	if req.History {
		return serveHistory(in, out, req)
	}
	file := make([]byte, req.Size)
	if _, err := io.ReadFull(in, file); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	go exitWithParent(in)
	response := bufio.NewWriterSize(out, frameSize)
	if err := respond(response, req, file, index); err != nil {
		return fmt.Errorf("write the response: %w", err)
	}
	return response.Flush()
}

// exitWithParent exits this process when in is closed. The parent keeps it open while it
// waits for the response, and sends nothing more.
func exitWithParent(in io.Reader) {
	_, _ = in.Read(make([]byte, 1))
	os.Exit(1)
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
func respond(w io.Writer, req request, file []byte, index Indexer) error {
	if req.Prepare { // there is no document yet, so no walls are needed
		if err := prepare(req.Cache); err != nil {
			return writeFrame(w, frameFailed, []byte(err.Error()))
		}
		return writeJSON(w, frameDone, Summary{})
	}
	reader := extract.Reader{MaxText: req.MaxText, MaxUnpacked: req.MaxUnpacked, Pictures: req.Pictures}
	if extract.IsPDF(file) {
		engine, err := extract.OpenEngine(req.Cache)
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
	document, err := reader.Read(context.Background(), file, req.Name)
	var refusal *parley.Error
	switch {
	case errors.As(err, &refusal):
		return writeFrame(w, frameRefused, []byte(refusal.Message))
	case err != nil:
		return writeFrame(w, frameFailed, []byte(err.Error()))
	}
	return respondWith(w, document, index)
}

// prepare compiles the PDF engine into a cache, unless it is there.
func prepare(cache string) error {
	engine, err := extract.OpenEngine(cache)
	if err != nil {
		return err
	}
	return engine.Close()
}

func respondWith(w io.Writer, document extract.Document, index Indexer) error {
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
