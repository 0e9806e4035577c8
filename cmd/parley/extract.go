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

// What reading one document may take. The memory is enough to compile the PDF engine
// (about 300 MB); reading a PDF of a hundred pages takes 60 MB.
const (
	readers       = 2
	readerTime    = 20 * time.Second
	readerMemory  = 640 << 20
	textShare     = 4 // the text of a document, in sizes of the largest upload
	unpackedShare = 8
)

// extractOne makes this process a reader of one document: what the server's own
// children do.
func extractOne() error {
	return sandbox.Serve(os.Stdin, os.Stdout, library.Index)
}

// newReaders returns what documents are read with: children of this very program.
func newReaders(settings *config.Settings) (*sandbox.Pool, error) {
	command, err := sandbox.Command(config.CommandExtract)
	if err != nil {
		return nil, err
	}
	return sandbox.New(sandbox.Config{
		Command:     command,
		Cache:       filepath.Join(settings.Store.Data, "cache"),
		Children:    readers,
		Time:        readerTime,
		Memory:      readerMemory,
		MaxText:     textShare * settings.Files.MaxUpload,
		MaxUnpacked: unpackedShare * settings.Files.MaxUpload,
	})
}

// prepareAfter spares servers that only live for a moment: compiling the PDF engine takes
// four seconds of a core, once for a data folder.
const prepareAfter = 10 * time.Second

// prepareReaders gets ready for the first PDF, which would have to wait otherwise.
func prepareReaders(ctx context.Context, pool *sandbox.Pool, log *slog.Logger) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(prepareAfter):
	}
	if err := pool.Prepare(ctx); err != nil && ctx.Err() == nil {
		log.Error("prepare to read PDFs", "error", err)
	}
}
