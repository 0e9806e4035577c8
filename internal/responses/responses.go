// Package responses keeps responses of models for a day: those that the clients of OpenAI's API want stored, and those
// of calls with an idempotency key. What is in them only the caller knows.
package responses

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	// MaxSize limits a response with its conversation, in bytes.
	MaxSize = 4 << 20

	// keptFor is how long a response is kept.
	keptFor = 24 * time.Hour
	// openSlack is how much longer than its model a response may be open.
	openSlack = time.Minute
	// storeTimeout limits how long a response may take to be stored.
	storeTimeout = 30 * time.Second
	// pollInterval is how often a response that another process generates is looked up.
	pollInterval = time.Second

	defaultKeyLease = time.Minute
)

// ErrNotFound is returned if a user has no such response, or no longer.
var ErrNotFound = errors.New("there is no such response")

// Config configures a Service.
type Config struct {
	Store *store.Store
	Log   *slog.Logger
	Now   func() time.Time
	// KeyLease is how long an idempotency key stays taken after its process has died. The default is 1 min.
	KeyLease time.Duration
}

// Service keeps responses. It is safe for concurrent use.
type Service struct {
	store    *store.Store
	log      *slog.Logger
	now      func() time.Time
	keyLease time.Duration
}

// New returns a Service.
func New(c Config) *Service {
	return &Service{store: c.Store, log: c.Log, now: c.Now, keyLease: cmp.Or(c.KeyLease, defaultKeyLease)}
}

// Response is a response of a user.
type Response struct {
	UserID int64
	ID     string
	// Conversation is what leads up to the response, and Data is the response.
	Conversation, Data []byte
	Created            time.Time
}

// HasRoom reports whether a response can be stored that begins with so many bytes, conversation included: there has to
// be room for the reply.
func HasRoom(bytes int) bool { return bytes <= MaxSize/2 }

// Begin stores an open response, even if ctx has ended. It stays open for as long as its model may take. maxReply is
// how many bytes the reply may have. They count as stored until the response is finished. The error is
// parley.ErrTooManyResponses, or parley.ErrTooManyOpen if there is room once others are finished.
func (s *Service) Begin(ctx context.Context, r Response, maxReply int64, maxTime time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return s.store.AddResponse(ctx, r.UserID, store.Response{
		ID: r.ID, Open: true, Context: r.Conversation, Data: r.Data,
		Room:    int(max(0, min(maxReply, int64(MaxSize-len(r.Conversation)-len(r.Data))))),
		Created: r.Created, Expires: s.now().Add(maxTime + openSlack),
	})
}

// Finish stores the data of a complete response, even if ctx has ended.
func (s *Service) Finish(ctx context.Context, r Response) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return s.store.FinishResponse(ctx, r.UserID, r.ID, r.Data, r.Created.Add(keptFor))
}

// Drop deletes a response that its model did not begin, even if ctx has ended.
func (s *Service) Drop(ctx context.Context, userID int64, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return s.store.DeleteResponse(ctx, userID, id)
}

// Stat is what is known about a response without its contents.
type Stat = store.ResponseStat

// Find returns those of the given responses that a user has, by their ids.
func (s *Service) Find(ctx context.Context, userID int64, ids ...string) (map[string]Stat, error) {
	return s.store.StatResponses(ctx, userID, ids, s.now())
}

// Conversation returns what leads up to a complete response.
func (s *Service) Conversation(ctx context.Context, userID int64, id string) ([]byte, error) {
	return orNotFound(s.store.ResponseContext(ctx, userID, id))
}

// Data returns a complete response.
func (s *Service) Data(ctx context.Context, userID int64, id string) ([]byte, error) {
	return orNotFound(s.store.ResponseData(ctx, userID, id, false))
}

func orNotFound(data []byte, found bool, err error) ([]byte, error) {
	if err == nil && !found {
		return nil, ErrNotFound
	}
	return data, err
}

// Read returns a response, and whether it is still open. hold is called with its size before it is loaded, and reports
// whether there is enough memory.
func (s *Service) Read(
	ctx context.Context, userID int64, id string, hold func(bytes int64) bool,
) (data []byte, open bool, err error) {
	for {
		stats, err := s.Find(ctx, userID, id)
		if err != nil {
			return nil, false, err
		}
		stat, found := stats[id]
		if !found {
			return nil, false, ErrNotFound
		}
		if !hold(stat.Data) {
			return nil, false, parley.ErrOverloaded
		}
		data, found, err := s.store.ResponseData(ctx, userID, id, stat.Open)
		if found || err != nil { // otherwise it was completed or deleted just now
			return data, stat.Open, err
		}
	}
}

// Await waits until another process has completed a response.
func (s *Service) Await(ctx context.Context, userID int64, id string) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		stats, err := s.Find(ctx, userID, id)
		stat, found := stats[id]
		switch {
		case err != nil: // the database may respond the next time
		case !found:
			return ErrNotFound
		case !stat.Open:
			return nil
		}
	}
}
