package account

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/casefold"
	"parley/internal/store"
)

const (
	// usersTimeout bounds a list of accounts: a search reads all of them.
	usersTimeout = 5 * time.Second
	// usageTime is how long the usage in a list of accounts goes back.
	usageTime = 30 * 24 * time.Hour
)

// Users returns a page of all accounts, newest first, or of those with a keyword in their address or nickname. It
// returns parley.ErrTimeout if there are too many to search.
func (s *Service) Users(ctx context.Context, keyword string, page parley.Page) (parley.UsersOutput, error) {
	limited, cancel := context.WithTimeout(ctx, usersTimeout)
	defer cancel()
	out, err := s.users(limited, casefold.Key(strings.TrimSpace(keyword)), page.Clamp())
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return parley.UsersOutput{}, parley.ErrTimeout.WithCause(err)
	}
	return out, err
}

// users returns a page of accounts. key is the form of the keyword for comparisons.
func (s *Service) users(ctx context.Context, key string, page parley.Page) (out parley.UsersOutput, err error) {
	var ids []int64
	if key == "" {
		ids, out.Total, err = s.store.NewestUsers(ctx, page)
	} else {
		ids, out.Total, err = s.store.FindUsers(ctx, func(email, nickname string) bool {
			return casefold.Contains(email, key) || casefold.Contains(nickname, key)
		}, page)
	}
	if err != nil {
		return parley.UsersOutput{}, err
	}
	since := s.now().Add(-usageTime)
	out.Users = make([]parley.Account, 0, len(ids))
	for _, userID := range ids {
		account, err := s.store.Account(ctx, userID, since)
		if errors.Is(err, parley.ErrNoSuchUser) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return parley.UsersOutput{}, err
		}
		out.Users = append(out.Users, s.publicAccount(account))
	}
	return out, nil
}

// publicAccount returns an account as administrators see it.
func (s *Service) publicAccount(a store.Account) parley.Account {
	return parley.Account{
		UserID:     a.ID,
		Email:      a.Email,
		Nickname:   a.Nickname,
		Admin:      a.Admin,
		Disabled:   a.DisabledAt != 0,
		Invited:    a.Invited(),
		CreatedAt:  a.CreatedAt,
		LastSeenAt: max(a.SeenAt, s.sightings.last(a.ID)),
		TOTP:       a.TOTP,
		Sessions:   a.Sessions,
		Storage:    a.Storage,
		Quota:      a.Quota,
		Usage: parley.AccountUsage{
			Messages:     a.Usage.Messages,
			InputTokens:  a.Usage.Usage.InputTokens,
			OutputTokens: a.Usage.Usage.OutputTokens,
			Cost:         float64(a.Usage.Cost) / parley.MicrosPerUnit,
			Currency:     a.Usage.Currency,
		},
	}
}
