package responses

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

// onceRetry is how often a call looks for the end of another one with its key.
const onceRetry = 200 * time.Millisecond

// ErrOtherCall is returned if a key was used for another call.
var ErrOtherCall = errors.New("the idempotency key was used for another call")

// Key is an idempotency key of a user.
type Key struct {
	UserID int64
	ID     string // no response has it
	Digest string // of the call
}

// Once makes a call with a key, unless one was made with it within a day. It returns the response of that one, if need
// be after waiting for it, or nil if it has made the call. hold is called with the size of that response before it is
// loaded, and reports whether there is enough memory. The response that call returns is kept for those who repeat it.
// If it fails or returns nil, its key is free again.
func (s *Service) Once(
	ctx context.Context, key Key, hold func(bytes int64) bool, call func() (response []byte, err error),
) (earlier []byte, err error) {
	if earlier, err = s.take(ctx, key, hold); earlier != nil || err != nil {
		return earlier, err
	}
	response, err := s.leased(ctx, key, call)
	if err != nil {
		response = nil
	}
	s.settle(ctx, key, response)
	return nil, err
}

// take binds a key to a call and returns nil, or returns the response of an earlier one.
func (s *Service) take(ctx context.Context, key Key, hold func(bytes int64) bool) ([]byte, error) {
	retry := time.NewTicker(onceRetry)
	defer retry.Stop()
	for {
		now := s.now()
		err := s.store.AddResponse(ctx, key.UserID, store.Response{
			ID: key.ID, Open: true, Digest: key.Digest, Room: MaxSize, Created: now, Expires: now.Add(s.keyLease),
		})
		if !errors.Is(err, store.ErrResponseTaken) {
			return nil, err
		}
		stats, err := s.store.StatResponses(ctx, key.UserID, []string{key.ID}, now)
		earlier, found := stats[key.ID]
		switch {
		case err != nil:
			return nil, err
		case found && earlier.Digest != key.Digest:
			return nil, ErrOtherCall
		case found && !earlier.Open && !hold(earlier.Data):
			return nil, parley.ErrOverloaded
		case found && !earlier.Open:
			if data, found, err := s.store.ResponseData(ctx, key.UserID, key.ID, false); found || err != nil {
				return data, err
			}
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// leased makes a call, and renews the lease of its key meanwhile. If the process dies, another one can take the key
// soon.
func (s *Service) leased(ctx context.Context, key Key, call func() ([]byte, error)) ([]byte, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the call may go on without its client
	var renewing sync.WaitGroup
	defer renewing.Wait()
	defer cancel()
	renewing.Go(func() { s.renew(ctx, key) })
	return call()
}

// renew renews the lease of a key until ctx ends.
func (s *Service) renew(ctx context.Context, key Key) {
	ticker := time.NewTicker(s.keyLease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := s.store.ExtendResponse(ctx, key.UserID, key.ID, s.now().Add(s.keyLease))
		if err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "renew the lease of an idempotency key", "error", err)
		}
	}
}

// settle stores the response of a call, or frees its key if there is none.
func (s *Service) settle(ctx context.Context, key Key, response []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	var err error
	if len(response) > 0 {
		err = s.store.FinishResponse(ctx, key.UserID, key.ID, response, s.now().Add(keptFor))
	} else {
		err = s.store.DeleteResponse(ctx, key.UserID, key.ID)
	}
	if err != nil {
		s.log.ErrorContext(ctx, "store the response of an idempotency key", "error", err)
	}
}
