// Package sandbox reads documents in child processes, so that a hostile one harms only
// its own.
//
// A child is our own program with another argument. It has an empty environment, reads
// one document within limits on time, memory and sizes, and ends.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"parley"
	"parley/internal/extract"
)

// The reasons for which a document is not read that only the parent can see.
var (
	errSlow = &parley.Error{Code: parley.CodeUploadFailed, Kind: parley.Unread, Message: "the file can't be read: it takes too long"}
	errDied = &parley.Error{Code: parley.CodeUploadFailed, Kind: parley.Unread, Message: "the file can't be read: it is broken or needs too much memory"}
)

// Config says how children are started and what they may use.
type Config struct {
	// Command starts a child, which has to call Serve.
	Command []string
	// Cache is a folder for the compiled PDF engine. It is made where it is missing.
	Cache string
	// Children is how many may run at once.
	Children int
	// Time is what one document may take; compiling the PDF engine has prepareTime.
	Time time.Duration
	// Memory is what one child may use, in bytes; 0 is no limit.
	Memory int64
	// MaxText and MaxUnpacked bound a document's text and what it unpacks to, in bytes.
	MaxText, MaxUnpacked int64
}

// prepareTime is what compiling the PDF engine may take: seconds, on a machine that has
// nothing else to do.
const prepareTime = 2 * time.Minute

// Pool starts children and bounds how many run at once.
type Pool struct {
	config Config
	slots  chan struct{}

	engine   chan struct{} // held while the PDF engine is being compiled
	prepared bool          // it was; guarded by engine

	mu     sync.Mutex
	spare  *process // started ahead for the next document
	closed bool
}

// New returns a pool without children: the first one is started for the first document,
// and from then on a spare one is kept.
func New(config Config) (*Pool, error) {
	cache, err := filepath.Abs(config.Cache)
	if err != nil {
		return nil, fmt.Errorf("find the cache of the PDF engine: %w", err)
	}
	config.Cache = cache
	return &Pool{config: config, slots: make(chan struct{}, max(1, config.Children)), engine: make(chan struct{}, 1)}, nil
}

// Close ends the spare child. Documents that are being read are finished.
func (p *Pool) Close() {
	p.mu.Lock()
	spare := p.spare
	p.spare, p.closed = nil, true
	p.mu.Unlock()
	if spare != nil {
		_ = spare.end() // it had nothing to do
	}
}

// File is a document to be read.
type File struct {
	Name  string
	Size  int64
	Bytes io.Reader
}

// Summary is what is known of a document beside its text and its index.
type Summary struct {
	// Type is a media type without parameters, found from the bytes.
	Type    string
	Anchors extract.Anchors
}

// Read reads a document: its text goes to text, what the child's indexer makes of it to
// index, as they come; after an error both are to be thrown away. What can't be read is
// parley.ErrFormatUnsupported or parley.ErrFileUnreadable, with a message that says why;
// an error of file, text, index or ctx is returned as it is, wrapped.
func (p *Pool) Read(ctx context.Context, file File, text, index io.Writer) (Summary, error) {
	head := make([]byte, min(file.Size, 1024))
	if _, err := io.ReadFull(file.Bytes, head); err != nil {
		return Summary{}, fmt.Errorf("read the document: %w", err)
	}
	file.Bytes = io.MultiReader(bytes.NewReader(head), file.Bytes)
	if bytes.Contains(head, []byte("%PDF-")) {
		if err := p.Prepare(ctx); err != nil {
			return Summary{}, err
		}
	}
	order := p.order(p.config.Time)
	order.Name, order.Size = file.Name, file.Size
	found, err := p.run(ctx, order, file.Bytes, text, index)
	p.keepSpare()
	return Summary(found), err
}

// Prepare compiles the PDF engine into the cache, unless that is done already or under
// way, which it waits for. Without it the first PDF does.
func (p *Pool) Prepare(ctx context.Context) error {
	select {
	case p.engine <- struct{}{}:
		defer func() { <-p.engine }()
	case <-ctx.Done():
		return fmt.Errorf("wait for the PDF engine: %w", ctx.Err())
	}
	if p.prepared {
		return nil
	}
	order := p.order(prepareTime)
	order.Prepare = true
	if _, err := p.run(ctx, order, nil, io.Discard, io.Discard); err != nil {
		return fmt.Errorf("compile the PDF engine: %w", err)
	}
	p.prepared = true
	return nil
}

func (p *Pool) order(limit time.Duration) order {
	return order{
		MaxText: p.config.MaxText, MaxUnpacked: p.config.MaxUnpacked, Cache: p.config.Cache,
		Limits: processLimits{Memory: p.config.Memory, Time: limit},
	}
}

// run has a child carry out an order, when there is room for one.
func (p *Pool) run(ctx context.Context, todo order, file io.Reader, text, index io.Writer) (summary, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return summary{}, fmt.Errorf("wait for a reader: %w", ctx.Err())
	}
	child, err := p.child(todo)
	if err != nil {
		return summary{}, err
	}
	working, cancel := context.WithTimeout(ctx, todo.Limits.Time)
	defer cancel()
	defer context.AfterFunc(working, child.kill)()
	found, err := child.converse(todo, file, text, index)
	ending := child.end()
	var known *parley.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, errOurs):
		return found, err
	case ctx.Err() != nil:
		return summary{}, fmt.Errorf("read the document: %w", ctx.Err())
	case working.Err() != nil:
		return summary{}, errSlow.Because(err)
	}
	return summary{}, errDied.Because(errors.Join(err, ending))
}

// child is the spare one, else a new one, with the order given to it. A spare one may
// have died meanwhile.
func (p *Pool) child(todo order) (*process, error) {
	p.mu.Lock()
	spare := p.spare
	p.spare = nil
	p.mu.Unlock()
	if spare != nil {
		if err := writeJSON(spare.in, frameOrder, todo); err == nil {
			return spare, nil
		}
		_ = spare.end() // whatever it died of, no document was involved
	}
	fresh, err := start(p.config.Command)
	if err != nil {
		return nil, err
	}
	if err := writeJSON(fresh.in, frameOrder, todo); err != nil {
		return nil, errors.Join(fmt.Errorf("give a reader its order: %w", err), fresh.end())
	}
	return fresh, nil
}

// keepSpare starts a child ahead. Where that fails the next document will tell.
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
