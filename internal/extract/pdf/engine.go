package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// enginePages limits the memory of the PDF engine, in pages of 64 KiB.
const enginePages = 4096 // 256 MiB

// Engine is the PDF engine with its compiled code.
type Engine struct {
	pool pdfium.Pool
	code wazero.CompilationCache
}

// OpenEngine loads the compiled PDF engine from a cache folder, or compiles it and adds it to the
// folder. If cache is empty, there is no folder. An open engine opens no files.
func OpenEngine(cache string) (*Engine, error) {
	code := wazero.NewCompilationCache()
	if cache != "" {
		var err error
		if code, err = wazero.NewCompilationCacheWithDir(cache); err != nil {
			return nil, fmt.Errorf("open the cache of the PDF engine: %w", err)
		}
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal:      1,
		MaxIdle:       1,
		FSConfig:      wazero.NewFSConfig(),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().WithMemoryLimitPages(enginePages).WithCompilationCache(code),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the PDF engine: %w", err), code.Close(context.Background()))
	}
	return &Engine{pool, code}, nil
}

// Close frees the memory of the engine and of its code.
func (e *Engine) Close() error {
	return errors.Join(e.pool.Close(), e.code.Close(context.Background()))
}
