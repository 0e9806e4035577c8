package main

import (
	"context"
	"fmt"
	"log/slog"

	"parley/internal/ai/openai"
	"parley/internal/config"
	"parley/internal/doctor"
)

// checkModels checks every server of every model.
func checkModels(ctx context.Context, settings *config.Settings) []doctor.Check {
	var checks []doctor.Check
	quiet := slog.New(slog.DiscardHandler)
	if settings.AI.Default.BaseURL == "" {
		models, err := chooseModels(ctx, settings.AI, quiet)
		if err != nil {
			return []doctor.Check{doctor.Failed("model", err, "check the PARLEY_AI_ settings")}
		}
		checks = append(checks, doctor.Check{Name: "model", Status: doctor.OK, Detail: models.about})
	}
	names := newModelChooser(settings.AI, quiet)
	for _, server := range allServers(settings.AI) {
		checks = append(checks, checkModel(ctx, settings.AI, server, names.nameOf(server)))
	}
	if len(checks) == 0 {
		checks = append(checks, doctor.Check{Name: "model", Status: doctor.OK, Detail: "built-in"})
	}
	return checks
}

// allServers returns the servers of all models and their fallbacks. It returns servers with the same identity once: a
// check would not see a difference.
func allServers(settings config.AI) []config.Upstream {
	var servers []config.Upstream
	seen := map[serverIdentity]bool{}
	for _, offer := range offered(settings) {
		for _, server := range allServersOf(offer.Upstream) {
			if id := identityOf(server); !seen[id] {
				seen[id] = true
				servers = append(servers, server)
			}
		}
	}
	return servers
}

// serverIdentity is the part of a server's settings that a check depends on.
type serverIdentity struct {
	address config.Address
	key     config.Secret
	model   string
}

func identityOf(server config.Upstream) serverIdentity {
	return serverIdentity{server.BaseURL, server.APIKey, server.Model}
}

// allServersOf returns the servers of a model and its fallbacks. The built-in model has none.
func allServersOf(upstream config.Upstream) []config.Upstream {
	var servers []config.Upstream
	for next := &upstream; next != nil; next = next.Fallback {
		for _, one := range serversOf(*next) {
			if one.BaseURL != "" && !one.Builtin() {
				servers = append(servers, one.Upstream)
			}
		}
	}
	return servers
}

func checkModel(ctx context.Context, settings config.AI, upstream config.Upstream, about string) doctor.Check {
	check := doctor.Check{Name: "model", Status: doctor.OK, Detail: about + " responds"}
	model, err := newOpenAI(settings, upstream, false, nil)
	if err != nil {
		return doctor.Failed(check.Name, err, "check the PARLEY_AI_ settings")
	}
	defer model.Close()
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	listing, err := model.Check(ctx)
	switch {
	case err != nil:
		return doctor.Failed(check.Name, fmt.Errorf("%s: %w", about, err),
			"check that it is running, and PARLEY_AI_BASE_URL and PARLEY_AI_API_KEY, or the models in the settings file")
	case listing == openai.Unlisted:
		check.Status = doctor.Warning
		check.Detail = about + " is not in the server's list of models"
		check.Advice = "check the model's name"
	case listing == openai.NoList:
		check.Detail += "; it does not list its models"
	}
	return check
}
