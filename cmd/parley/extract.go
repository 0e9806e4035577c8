package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"parley/internal/config"
	"parley/internal/extract/sandbox"
	"parley/internal/library"
)

// Limits of reading a document. The memory suffices to compile the PDF engine (about 300 MB); a PDF of a hundred
// pages takes 60 MB. The CPU time is the real limit for documents. The timeout is for a child that hangs, or for a
// very busy machine.
const (
	readerCPU      = 20 * time.Second
	readerTimeout  = 10 * readerCPU
	readerMemory   = 640 << 20
	pictureMemory  = 1280 << 20 // a progressive JPEG of 50 megapixels takes 850 MB
	textFactor     = 4          // text of a document, relative to the largest upload
	unpackedFactor = 8
)

// extractOne reads one document, in a child process of the server.
func extractOne() error {
	return sandbox.Serve(os.Stdin, os.Stdout, library.Index)
}

// newReaders returns a pool of child processes that read documents. They run this same program. children is the limit
// on their number. pictures reports whether a model sees pictures, if it is not nil.
func newReaders(settings *config.Settings, children int, pictures func() bool) (*sandbox.Pool, error) {
	command, err := sandbox.Command(config.CommandExtract)
	if err != nil {
		return nil, err
	}
	return sandbox.New(sandbox.Config{
		Command:     command,
		Cache:       filepath.Join(settings.Store.Data, "cache"),
		Children:    children,
		CPU:         readerCPU,
		Time:        readerTimeout,
		Memory:      readerMemory,
		MaxText:     textFactor * settings.Files.MaxUpload,
		MaxUnpacked: unpackedFactor * settings.Files.MaxUpload,

		Pictures:      pictures,
		PictureMemory: pictureMemory,
		ScansOff:      settings.OCR.Off(),
	})
}

// checkWalls warns if the kernel does not confine the processes that read documents.
func checkWalls(ctx context.Context, pool *sandbox.Pool, log *slog.Logger) {
	walls, err := pool.Check(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.Error("start a reader of documents", "error", err)
	case len(walls.Missing()) > 0:
		log.Warn("the processes that read documents are not fully confined", "missing", walls.Missing())
	}
}

// warmupDelay spares servers that live for only a short time: compiling the PDF engine takes four seconds of CPU
// time, once per data folder.
const warmupDelay = 10 * time.Second

// readerWarmup compiles the PDF engine early. Otherwise the first PDF would have to wait for it.
type readerWarmup struct {
	pool *sandbox.Pool
	log  *slog.Logger
}

// Run waits for warmupDelay, then compiles. It returns early if ctx ends.
func (w *readerWarmup) Run(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(warmupDelay):
	}
	if err := w.pool.PrepareAhead(ctx); err != nil && ctx.Err() == nil {
		w.log.Error("compile the PDF engine ahead", "error", err)
	}
}
