// Package webpage reads the text of the pages behind search results.
//
// Only public addresses are called, and the networks that the operator allows. What comes back is read like an upload,
// in a confined process.
package webpage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"sync"
	"unicode"

	"parley"
	"parley/internal/extract/sandbox"
	"parley/internal/limit"
	"parley/internal/metrics"
)

// minText is how many visible characters a page has at least. Pages with fewer have a notice or a loading mark.
const minText = 40

var errEmpty = errors.New("the page has no text")

// Documents reads documents, as sandbox.Pool does.
type Documents interface {
	Read(ctx context.Context, file sandbox.File, text, index io.Writer) (sandbox.Summary, error)
}

// Config configures a Reader.
type Config struct {
	Documents Documents
	Metrics   *metrics.Metrics
	// UserAgent is sent with every request.
	UserAgent string
	// Pages is how many pages of one search are read.
	Pages int
	// Allowed are networks that may be called on any port, though they are not public.
	Allowed []netip.Prefix
	// Searches is how many searches may have their pages read at once. One user may have a third of them.
	Searches int
	// Readers is how many pages are turned into text at once.
	Readers int
}

// Reader reads pages. It is safe for concurrent use.
type Reader struct {
	fetcher   *fetcher
	documents Documents
	metrics   *metrics.Metrics
	pages     int
	searches  *limit.Fair[int64] // by user
	readers   *limit.Fair[int64]
}

// New returns a Reader. It calls nobody.
func New(config Config) *Reader {
	return &Reader{
		fetcher:   newFetcher(config.UserAgent, policy{config.Allowed}, nil),
		documents: config.Documents,
		metrics:   config.Metrics,
		pages:     config.Pages,
		searches: limit.NewFair[int64](limit.FairConfig{
			Slots:       config.Searches,
			SlotsPerKey: max(1, config.Searches/3),
		}),
		readers: limit.NewFair[int64](limit.FairConfig{
			Slots:       config.Readers,
			SlotsPerKey: max(1, config.Readers-1),
			Queue:       config.Pages * config.Searches,
		}),
	}
}

// Read reads the first pages of a search for a user, at the same time, until ctx ends. It returns the text of each
// address, or "" if the page was not read. If too many searches are under way, no page is read.
func (r *Reader) Read(ctx context.Context, userID int64, addresses []string) []string {
	texts := make([]string, len(addresses))
	addresses = addresses[:min(len(addresses), r.pages)]
	if err := r.searches.Acquire(ctx, userID); err != nil {
		for range addresses {
			r.count(ctx, err)
		}
		return texts
	}
	defer r.searches.Release(userID)
	var reading sync.WaitGroup
	for i, address := range addresses {
		reading.Go(func() {
			text, err := r.read(ctx, userID, address)
			r.count(ctx, err)
			if err == nil {
				texts[i] = text
			}
		})
	}
	reading.Wait()
	return texts
}

func (r *Reader) read(ctx context.Context, userID int64, address string) (string, error) {
	page, err := r.fetcher.fetch(ctx, address)
	if err != nil {
		return "", err
	}
	if err := r.readers.Acquire(ctx, userID); err != nil {
		return "", err
	}
	defer r.readers.Release(userID)
	var text strings.Builder
	_, err = r.documents.Read(ctx, sandbox.File{
		Size: int64(len(page.body)), Bytes: bytes.NewReader(page.body), ContentType: page.contentType,
	}, &text, io.Discard)
	if err != nil {
		return "", err
	}
	if visible(text.String()) < minText {
		return "", errEmpty
	}
	return text.String(), nil
}

// visible counts the characters of a text that are not spaces, up to minText.
func visible(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n++
		}
		if n == minText {
			break
		}
	}
	return n
}

// count counts the outcome of a page, unless the reply was stopped.
func (r *Reader) count(ctx context.Context, err error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	r.metrics.Page(outcome(ctx, err))
}

func outcome(ctx context.Context, err error) string {
	var refused *parley.Error
	switch {
	case err == nil:
		return "read"
	case errors.Is(err, errForbidden), errors.Is(err, errRedirect):
		return "forbidden"
	case errors.Is(err, parley.ErrOverloaded):
		return "busy"
	case ctx.Err() != nil:
		return "slow"
	case errors.Is(err, errStatus):
		return "refused"
	case errors.Is(err, errType), errors.Is(err, errTooLarge), errors.Is(err, errEmpty), errors.As(err, &refused):
		return "unreadable"
	}
	return "unreachable"
}
