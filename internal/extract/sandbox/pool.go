// Package sandbox reads documents in child processes. A hostile document can only harm the process that reads it.
//
// A child is this program, started with another argument. It has an empty environment,
// reads one document within limits on time, memory and sizes, and exits. While it reads,
// the kernel denies it files, the network and other processes, if the kernel can: see Walls.
package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"parley"
	"parley/internal/extract"
	"parley/internal/extract/picture"
	"parley/internal/extract/prose"
)

// The reasons for refusing a document that only the parent can detect.
var (
	errSlow = parley.ErrFileUnreadable.Case("the file can't be read: it takes too long")
	errDied = parley.ErrFileUnreadable.Case("the file can't be read: it is broken or needs too much memory")
)

// Config configures a Pool.
type Config struct {
	// Command starts a child, which must call Serve.
	Command []string
	// Cache is a folder for the compiled PDF engine. It is created if it does not exist.
	Cache string
	// Children is the number of children that may run at once.
	Children int
	// CPU limits the CPU time of reading one document, on Linux, rounded up to seconds; 0 means
	// no limit. A busy machine does not make a document exceed it.
	CPU time.Duration
	// Time limits the reading of one document by the clock, in case a child sleeps. Compiling
	// the PDF engine has its own limit.
	Time time.Duration
	// Memory limits one child, in bytes; 0 means no limit.
	Memory int64
	// MaxText and MaxUnpacked limit a document's text and its unpacked size, in bytes. A text
	// is further limited by extract.TextLimit, and an index by its text.
	MaxText, MaxUnpacked int64
	// Pictures reports whether a model sees pictures now. If it is nil, none does.
	Pictures func() bool
	// ScansOff reports that the operator does not want scans to be read.
	ScansOff bool
	// PictureMemory is Memory for a picture. Pictures are read one after another.
	PictureMemory int64
}

// maxPageText is the largest text of a web page. It is kept in memory.
const maxPageText = 4 << 20

// Pool runs a limited number of children.
type Pool struct {
	config Config
	slots  chan struct{}
	large  chan struct{} // held while a picture is read, which takes much memory
	checks chan struct{} // held while an export is checked

	engine   chan struct{} // held while the PDF engine is being compiled
	prepared bool          // the PDF engine is compiled; guarded by engine

	mu     sync.Mutex
	spare  *process // started ahead for the next document
	closed bool
}

// New returns a pool. The first document starts the first child; after it the pool
// keeps a spare one.
func New(config Config) (*Pool, error) {
	cache, err := filepath.Abs(config.Cache)
	if err != nil {
		return nil, fmt.Errorf("find the cache of the PDF engine: %w", err)
	}
	config.Cache = cache
	return &Pool{
		config: config,
		slots:  make(chan struct{}, max(1, config.Children)),
		large:  make(chan struct{}, 1),
		checks: make(chan struct{}, historyChecks),
		engine: make(chan struct{}, 1),
	}, nil
}

// Close ends the spare child. It does not interrupt calls of Read.
func (p *Pool) Close() {
	p.mu.Lock()
	spare := p.spare
	p.spare, p.closed = nil, true
	p.mu.Unlock()
	if spare != nil {
		_ = spare.end() // it was idle
	}
}

// File is a document to read.
type File struct {
	Name  string
	Size  int64
	Bytes io.Reader
	// ContentType is the header of a web page, which is read without an index. Other documents have none.
	ContentType string
	// Recognition reads pictures. If it is nil, they are not read.
	Recognition *Recognition
}

// Summary describes a document that was read.
type Summary struct {
	// Type is a media type without parameters, detected from the bytes.
	Type    string        `json:"type"`
	Anchors prose.Anchors `json:"anchors"`
	// Notes say what of the file is not in the text.
	Notes []string `json:"notes"`
	// Picture is set if the document is a picture. It comes in frames of its own.
	Picture *picture.Cleaned `json:"-"`
}

// Read reads a document. It writes the document's text to text and the output of the
// child's Indexer to index; after an error both are incomplete. If the document can't be
// read, the error is parley.ErrFormatUnsupported or parley.ErrFileUnreadable with a
// message that gives the reason. Errors of file, text, index and ctx are wrapped.
func (p *Pool) Read(ctx context.Context, file File, text, index io.Writer) (Summary, error) {
	head := make([]byte, min(file.Size, extract.HeadSize))
	if _, err := io.ReadFull(file.Bytes, head); err != nil {
		return Summary{}, fmt.Errorf("read the document: %w", err)
	}
	file.Bytes = io.MultiReader(bytes.NewReader(head), file.Bytes)
	if extract.MayNeedEngine(head, file.Name) {
		if err := p.Prepare(ctx); err != nil {
			return Summary{}, err
		}
	}
	req := p.newRequest(p.config.Time)
	req.Name, req.Size, req.Limits.CPU = file.Name, file.Size, p.config.CPU
	if picture.Type(head) != "" {
		select {
		case p.large <- struct{}{}:
			defer func() { <-p.large }()
		case <-ctx.Done():
			return Summary{}, fmt.Errorf("wait for a reader: %w", ctx.Err())
		}
		req.Limits.Memory = p.config.PictureMemory
	}
	req.MaxText = extract.TextLimit(req.MaxText, file.Size)
	if file.ContentType != "" {
		req.ContentType, req.MaxText = file.ContentType, min(req.MaxText, maxPageText)
	}
	if file.Recognition != nil {
		req.MaxScans, req.ScanPixels = file.Recognition.Pages, file.Recognition.Pixels
		req.Limits.MaxCPU = req.Limits.CPU + time.Duration(req.MaxScans)*scanCPU
	}
	summary, err := p.run(ctx, &exchange{request: req, file: file, text: text, index: index})
	p.keepSpare()
	return summary, err
}

// Check starts a child and returns the walls that it has.
func (p *Pool) Check(ctx context.Context) (Walls, error) {
	req := p.newRequest(p.config.Time)
	req.Check = true
	var walls Walls
	var report bytes.Buffer
	if _, err := p.run(ctx, &exchange{request: req, text: io.Discard, index: &report}); err != nil {
		return walls, fmt.Errorf("check the walls of a reader: %w", err)
	}
	if err := json.Unmarshal(report.Bytes(), &walls); err != nil {
		return walls, fmt.Errorf("check the walls of a reader: %w", err)
	}
	return walls, nil
}

func (p *Pool) newRequest(limit time.Duration) request {
	return request{
		MaxText:     p.config.MaxText,
		MaxUnpacked: p.config.MaxUnpacked,
		Cache:       p.config.Cache,
		Pictures:    p.config.Pictures != nil && p.config.Pictures(),
		ScansOff:    p.config.ScansOff,
		Limits:      processLimits{Memory: p.config.Memory, Time: limit},
	}
}

// run waits for a free slot and executes a request in a child.
func (p *Pool) run(ctx context.Context, x *exchange) (Summary, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return Summary{}, fmt.Errorf("wait for a reader: %w", ctx.Err())
	}
	child, err := p.child(x.request)
	if err != nil {
		return Summary{}, err
	}
	x.child, x.time = child, newAllowance(x.request.Limits.Time, child.kill)
	defer context.AfterFunc(ctx, child.kill)()
	summary, err := x.run(ctx)
	late := x.time.stop()
	exit := child.end()
	var refused *parley.Error
	switch {
	case err == nil, errors.As(err, &refused), errors.Is(err, errInternal):
		return summary, err
	case ctx.Err() != nil:
		return Summary{}, fmt.Errorf("read the document: %w", ctx.Err())
	case late, x.request.Limits.exceeded(child.cpuTime()):
		return Summary{}, errSlow.WithCause(err)
	}
	return Summary{}, errDied.WithCause(errors.Join(err, exit))
}

// child sends a request to the spare child, or to a new one if there is no spare or it
// has died.
func (p *Pool) child(req request) (*process, error) {
	p.mu.Lock()
	spare := p.spare
	p.spare = nil
	p.mu.Unlock()
	if spare != nil {
		if err := writeJSON(spare.in, frameRequest, req); err == nil {
			return spare, nil
		}
		_ = spare.end() // no document was involved
	}
	child, err := start(p.config.Command)
	if err != nil {
		return nil, err
	}
	if err := writeJSON(child.in, frameRequest, req); err != nil {
		return nil, errors.Join(fmt.Errorf("send a reader its request: %w", err), child.end())
	}
	return child, nil
}

// keepSpare starts a child ahead. It ignores an error: the next Read will return it.
func (p *Pool) keepSpare() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.spare != nil {
		return
	}
	if spare, err := start(p.config.Command); err == nil {
		p.spare = spare
	}
}
