package main

import (
	"context"
	"log/slog"
	"time"

	"parley/internal/config"
	"parley/internal/doctor"
	"parley/internal/oidc"
)

// newSignOn returns the provider of single sign-on, or nil if single sign-on is off. It makes no calls.
func newSignOn(settings *config.Settings) *oidc.Provider {
	if settings.SignOn.Issuer == "" {
		return nil
	}
	return oidc.New(oidc.Config{
		Issuer:       settings.SignOn.Issuer,
		ClientID:     settings.SignOn.ClientID,
		ClientSecret: settings.SignOn.ClientSecret.Reveal(),
		RedirectURL:  settings.HTTP.PublicURL + "/api/auth/oidc/callback",
		Now:          time.Now,
	})
}

// warnOfSignOn logs if the provider can't be reached when the server starts. The next sign-in tries again.
func warnOfSignOn(ctx context.Context, provider *oidc.Provider, log *slog.Logger) {
	if provider == nil {
		return
	}
	if err := provider.Check(ctx); err != nil && ctx.Err() == nil {
		log.Warn("nobody can sign in at the provider until it can be reached", "error", err)
	}
}

// checkSignOn reads what the provider publishes about itself.
func checkSignOn(ctx context.Context, settings *config.Settings) doctor.Check {
	const name = "sign-on"
	provider := newSignOn(settings)
	if provider == nil {
		return doctor.Check{Name: name, Status: doctor.OK, Detail: "not set up"}
	}
	defer provider.Close()
	if err := provider.Check(ctx); err != nil {
		return doctor.Failed(name, err, "check PARLEY_OIDC_ISSUER, and that this machine can reach the provider")
	}
	return doctor.Check{
		Name: name, Status: doctor.OK,
		Detail: settings.SignOn.Issuer + " responds; browsers come back to " + settings.HTTP.PublicURL,
	}
}
