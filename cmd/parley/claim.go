package main

import (
	"context"
	"time"
)

// offerClaim logs how to make the first account an administrator, if there is none yet. This process must hold its
// lease.
func (s *server) offerClaim(ctx context.Context) error {
	offer, err := s.app.Accounts.OfferClaim(ctx, s.app.Turns.Owner())
	switch {
	case err != nil:
		return err
	case !offer.Needed:
	case offer.Code == "":
		s.log.Info("there is no administrator; another process has logged a code for the first one",
			"or", "parley user promote EMAIL")
	default:
		s.log.Info("there is no administrator; register, log in and enter this code to become the first one",
			"code", offer.Code, "until", offer.Expires.UTC().Format(time.RFC3339), "or", "parley user promote EMAIL")
	}
	return nil
}
