// Package usage counts tokens and their cost, and enforces quotas on calls of models.
//
// The turns of sessions are counted and checked in their own transactions, by the store. Calls of models that are not
// turns begin with Begin.
package usage

import (
	"context"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// callTime is how long a call counts as in progress if it never ends.
const callTime = 15 * time.Minute

// maxDays is how many days a range may have.
const maxDays = 366

// Model is what a call of a model costs and may take.
type Model struct {
	Name  string
	Price parley.Price
	// Tokens is how many tokens a prompt and its reply can take together.
	Tokens int64
}

// Config configures a Service.
type Config struct {
	Store *store.Store
	// Model returns what a model costs and may take, by its name. It returns the default for a name that is empty, or of a
	// model that is no longer on offer.
	Model func(name string) Model
	// Settings returns the current settings. If it is nil, they are the defaults.
	Settings func() parley.Settings
	Now      func() time.Time
}

// Service counts usage. It is safe for concurrent use.
type Service struct {
	store    *store.Store
	model    func(name string) Model
	settings func() parley.Settings
	now      func() time.Time
}

// New returns a Service.
func New(config Config) *Service {
	if config.Settings == nil {
		config.Settings = parley.DefaultSettings
	}
	return &Service{store: config.Store, model: config.Model, settings: config.Settings, now: config.Now}
}

// Begin checks the quota of a user before a call of a model, which is named as users name it; empty is the default. It
// returns parley.ErrQuotaUsed or parley.ErrQuotaReserved if the user may not call a model now. Otherwise the call
// counts as in progress on all replicas until count is called, which has to be once.
//
// count ends the call, and counts each of its replies as a message, with the given tokens for all. A call that has
// failed has a zero usage, and is not counted. The context of count may have ended.
func (s *Service) Begin(
	ctx context.Context, userID int64, model string, replies int,
) (count func(context.Context, parley.Usage) error, err error) {
	return s.begin(ctx, userID, model, replies, int64(replies))
}

// BeginTokens is Begin for a call that does not count as a message, but is needed for something else.
func (s *Service) BeginTokens(
	ctx context.Context, userID int64, model string,
) (count func(context.Context, parley.Usage) error, err error) {
	return s.begin(ctx, userID, model, 1, 0)
}

func (s *Service) begin(
	ctx context.Context, userID int64, model string, replies int, messages int64,
) (count func(context.Context, parley.Usage) error, err error) {
	m := s.model(model)
	callID, err := s.reserve(ctx, userID, store.Reservation{Tokens: m.Tokens, Replies: replies})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, used parley.Usage) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		spent := store.Spent{}
		if used.InputTokens > 0 || used.OutputTokens > 0 {
			spent = store.Spent{
				Model: m.Name, Usage: used, Messages: messages, Cost: m.Price.Cost(used), Currency: m.Price.Currency, At: s.now(),
			}
		}
		return s.store.EndCall(ctx, userID, callID, spent)
	}, nil
}

// reserve reserves a part of a user's quota for a call, and returns the id of the reservation. It is empty if the user
// has no quota.
func (s *Service) reserve(ctx context.Context, userID int64, r store.Reservation) (callID string, err error) {
	now := s.now()
	use, err := s.store.QuotaUse(ctx, userID, now)
	if err != nil {
		return "", err
	}
	if r.Quota = s.settings().Quota.For(use.Own); r.Quota.IsZero() {
		return "", nil
	}
	callID = id.New()
	return callID, s.store.BeginCall(ctx, userID, callID, r, now, now.Add(callTime))
}

// HasTokens reports whether a user's quota of tokens is not used up. It is for calls that can be done without.
func (s *Service) HasTokens(ctx context.Context, userID int64) (bool, error) {
	use, err := s.store.QuotaUse(ctx, userID, s.now())
	if err != nil {
		return false, err
	}
	limit := s.settings().Quota.For(use.Own).Tokens
	return limit == 0 || use.Tokens < limit, nil
}

// AddTokens counts tokens of a model that users don't choose, which has no price. It is not a message.
func (s *Service) AddTokens(ctx context.Context, userID int64, model string, used parley.Usage) error {
	return s.store.AddUsage(ctx, userID, store.Spent{Model: model, Usage: used, At: s.now()})
}

// List returns a user's usage and quota.
func (s *Service) List(ctx context.Context, userID int64, in parley.UsageInput) (parley.UsageOutput, error) {
	now := s.now()
	from, to, err := days(in, now)
	if err != nil {
		return parley.UsageOutput{}, err
	}
	sums, err := s.store.Usage(ctx, userID, from, to, in.By == parley.ByModel)
	if err != nil {
		return parley.UsageOutput{}, err
	}
	out := parley.UsageOutput{Usage: make([]parley.UsageSum, len(sums))}
	for i, sum := range sums {
		out.Usage[i] = sum.Public()
	}
	out.Quota, err = s.status(ctx, userID, now)
	return out, err
}

// Total returns the usage of all users.
func (s *Service) Total(ctx context.Context, in parley.TotalUsageInput) (parley.TotalUsageOutput, error) {
	from, to, err := days(parley.UsageInput{From: in.From, To: in.To}, s.now())
	if err != nil {
		return parley.TotalUsageOutput{}, err
	}
	limit := maxDays + 1 // days, or models, which are fewer
	if in.By == parley.ByUser {
		limit = parley.MaxUsers
	}
	sums, err := s.store.TotalUsage(ctx, from, to, in.By, limit)
	if err != nil {
		return parley.TotalUsageOutput{}, err
	}
	out := parley.TotalUsageOutput{Usage: make([]parley.TotalUsageSum, len(sums))}
	for i, sum := range sums {
		out.Usage[i] = parley.TotalUsageSum{UserID: sum.UserID, Email: sum.Email, UsageSum: sum.Public()}
		if in.By == parley.ByModel {
			out.Usage[i].RatedUp, out.Usage[i].RatedDown = sum.RatedUp, sum.RatedDown
		}
	}
	return out, nil
}

// days returns the first and the last day of a range.
func days(in parley.UsageInput, now time.Time) (from, to time.Time, err error) {
	to, from = now, time.Unix(in.From, 0)
	if in.To != 0 {
		to = time.Unix(in.To, 0)
	}
	if in.From == 0 {
		from = to.AddDate(0, 0, -30)
	}
	switch {
	case from.After(to):
		return from, to, parley.Invalid("from must not be after to")
	case to.Sub(from) > maxDays*24*time.Hour:
		return from, to, parley.Invalid("from and to must be at most 366 days apart")
	}
	return from, to, nil
}

// status returns how much of a user's quota is left, or nil if the user has no quota.
func (s *Service) status(ctx context.Context, userID int64, now time.Time) (*parley.QuotaStatus, error) {
	use, err := s.store.QuotaUse(ctx, userID, now)
	if err != nil {
		return nil, err
	}
	quota := s.settings().Quota.For(use.Own)
	if quota.IsZero() {
		return nil, nil
	}
	return &parley.QuotaStatus{
		Messages: part(quota.Messages, use.Messages),
		Tokens:   part(quota.Tokens, use.Tokens),
		ResetsAt: parley.QuotaReset(now).Unix(),
	}, nil
}

// part returns one limit of a quota, or nil if it does not apply.
func part(limit, used int64) *parley.QuotaPart {
	if limit == 0 {
		return nil
	}
	return &parley.QuotaPart{Limit: limit, Used: used, Left: max(0, limit-used)}
}
