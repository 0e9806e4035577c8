package account

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	// claimTTL is how long the code lasts that makes a user the first administrator.
	claimTTL = time.Hour
	// adminsTimeout bounds the check whether there is an administrator.
	adminsTimeout = 10 * time.Second
)

// Offer is how a server without an administrator gets the first one.
type Offer struct {
	// Needed is set if there is no administrator.
	Needed bool
	// Code makes a user the first administrator, until Expires. It is empty if another process has written one to its
	// log.
	Code    string
	Expires time.Time
}

// OfferClaim makes a code for the first administrator if there is none. The owner is this process, which must have a
// lease. It must be called before the first request.
func (s *Service) OfferClaim(ctx context.Context, owner string) (Offer, error) {
	if err := s.checkAdmins(ctx); err != nil || !s.claimable.Load() {
		return Offer{}, err
	}
	code, now := NewPassword(), s.now()
	expires := now.Add(claimTTL)
	claim := store.NewClaim{Hash: hashSecret(code), Owner: owner, Now: now, Expires: expires}
	offered, err := s.store.OfferClaim(ctx, claim)
	if err != nil || !offered {
		return Offer{Needed: true}, err
	}
	return Offer{Needed: true, Code: code, Expires: expires}, nil
}

// Claim makes the user of a login the first administrator. It returns parley.ErrWrongClaim if the code is wrong, used
// or expired, or if there is an administrator.
func (s *Service) Claim(
	ctx context.Context, who *Identity, in parley.ClaimInput, from Caller,
) (parley.UserInfo, error) {
	hash := hashSecret(strings.ToLower(strings.TrimSpace(in.Code)))
	entry := s.newEntry(eventClaim, who.User.ID, from.attrs()...)
	err := s.guess(ctx, guessKey(who.User.ID, from), func() error {
		return s.store.Claim(ctx, who.User.ID, hash, s.now(), entry)
	})
	if err != nil {
		s.auditRefusal(ctx, eventClaimFailed, who.User.ID, from, err)
		return parley.UserInfo{}, err
	}
	s.logEntry(ctx, eventClaim, who.User.ID, from.attrs()...)
	s.adminsChanged(ctx)
	user := who.User
	user.Admin = true
	return s.Info(user), nil
}

// Info returns an account in the form of GET /api/user/info.
func (s *Service) Info(user parley.User) parley.UserInfo {
	info := user.Info()
	info.Claimable = s.claimable.Load()
	return info
}

// adminsChanged checks whether there is an administrator, on this and on other replicas.
func (s *Service) adminsChanged(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), signalTimeout)
	defer cancel()
	s.logFailure(ctx, "check whether there is an administrator", s.checkAdmins(ctx))
	s.logFailure(ctx, "notify other replicas of administrators",
		s.store.Signal(ctx, []store.Signal{{Kind: store.AdminsChanged}}))
}

// checkAdmins remembers whether there is an administrator. Then requests need not ask the database. Checks run one
// after another, so the latest result stays.
func (s *Service) checkAdmins(ctx context.Context) error {
	s.adminsMu.Lock()
	defer s.adminsMu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, adminsTimeout)
	defer cancel()
	found, err := s.store.HasAdmin(ctx)
	if err != nil {
		return err
	}
	s.claimable.Store(!found)
	return nil
}
