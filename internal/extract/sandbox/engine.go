package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/internal/extract/pdf"
	"parley/internal/fsutil"
)

// prepareTime limits the compilation of the PDF engine, which takes seconds on an idle
// machine.
const prepareTime = 10 * time.Minute

// Prepare compiles the PDF engine into the cache, unless the cache has it. If another call is compiling it, Prepare
// waits. Read calls it for the first PDF.
func (p *Pool) Prepare(ctx context.Context) error { return p.prepare(ctx, false) }

// PrepareAhead is Prepare with a low priority: nobody waits for the engine yet.
func (p *Pool) PrepareAhead(ctx context.Context) error { return p.prepare(ctx, true) }

func (p *Pool) prepare(ctx context.Context, low bool) error {
	select {
	case p.engine <- struct{}{}:
		defer func() { <-p.engine }()
	case <-ctx.Done():
		return fmt.Errorf("wait for the PDF engine: %w", ctx.Err())
	}
	if p.prepared {
		return nil
	}
	req := p.newRequest(prepareTime)
	req.Prepare, req.Limits.LowPriority = true, low
	if _, err := p.run(ctx, &exchange{request: req, text: io.Discard, index: io.Discard}); err != nil {
		return fmt.Errorf("compile the PDF engine: %w", err)
	}
	p.prepared = true
	return nil
}

// compileEngine compiles the PDF engine into a cache, unless it is there. If several servers share
// the folder, one compiles and the others wait.
func compileEngine(cache string) error {
	lock, err := lockCache(cache)
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // nothing is written to it
	engine, err := pdf.OpenEngine(cache)
	if err != nil {
		return err
	}
	return engine.Close()
}

// lockFile is a file in the cache. It is locked while the engine is compiled.
const lockFile = "lock"

// lockCache waits until no other process compiles into a cache. The lock ends when the file is
// closed. On a file system without locks nobody waits: writing to the cache is atomic.
func lockCache(cache string) (*os.File, error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("make the cache of the PDF engine: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(cache, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the PDF engine: %w", err)
	}
	_ = fsutil.Lock(file)
	return file, nil
}
