package openaiapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

var errTooLong = errors.New("the reply is over the limit")

// liveResponses are the stored responses that this process generates.
type liveResponses struct {
	mu  sync.Mutex
	all map[liveKey]*timeline
}

type liveKey struct {
	userID int64
	id     string
}

func newLiveResponses() *liveResponses { return &liveResponses{all: map[liveKey]*timeline{}} }

func (l *liveResponses) add(userID int64, id string, t *timeline) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[liveKey{userID, id}] = t
}

func (l *liveResponses) remove(userID int64, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, liveKey{userID, id})
}

// find returns a response, which the caller has to release, or nil. The generation is a user of the response until it
// has been removed.
func (l *liveResponses) find(userID int64, id string) *timeline {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.all[liveKey{userID, id}]
	if t != nil {
		t.retain()
	}
	return t
}

func isResponseID(text string) bool {
	return strings.HasPrefix(text, responsePrefix) && len(text) <= maxID
}

// startingAfter returns the sequence number of the first event of a resumed stream.
func startingAfter(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	number, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, &Error{
			Status: http.StatusBadRequest, Param: "starting_after",
			Text: "starting_after must be the sequence number of an event",
		}
	}
	return int(number) + 1, nil
}

// began waits until the response has begun. It returns the error of one that failed before.
func (t *timeline) began(ctx context.Context) error {
	if err := t.await(ctx, func() bool { return t.begun || t.ended }); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun {
		return modelError(t.err)
	}
	return nil
}

// wait waits for the end of the response.
func (t *timeline) wait(ctx context.Context) error {
	return t.await(ctx, func() bool { return t.ended })
}

// failure returns why the response failed, or nil.
func (t *timeline) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return modelError(t.err)
}

func (t *timeline) await(ctx context.Context, reached func() bool) error {
	for {
		t.mu.Lock()
		is, changed := reached(), t.changed
		t.mu.Unlock()
		if is {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// replace completes a response that another process has generated.
func (t *timeline) replace(complete *timeline) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.response, t.texts, t.marks, t.bytes = complete.response, complete.texts, complete.marks, complete.bytes
	t.ended = true
	t.notify()
}
