package main

import (
	"context"
	"fmt"
	"log/slog"

	"parley/internal/ai/openai"
	"parley/internal/config"
	"parley/internal/connect"
	"parley/internal/doctor"
)

// checkModels checks every server of every model.
func checkModels(ctx context.Context, settings *config.Settings) []doctor.Check {
	var checks []doctor.Check
	quiet := slog.New(slog.DiscardHandler)
	if settings.AI.Default.BaseURL == "" {
		models, err := connect.NewModels(ctx, settings.AI, quiet)
		if err != nil {
			return []doctor.Check{doctor.Failed("model", err, "check the PARLEY_AI_ settings")}
		}
		checks = append(checks, doctor.Check{Name: "model", Status: doctor.OK, Detail: models.About})
	}
	for _, server := range connect.Servers(settings.AI) {
		checks = append(checks, checkModel(ctx, settings.AI, server))
	}
	if len(checks) == 0 {
		checks = append(checks, doctor.Check{Name: "model", Status: doctor.OK, Detail: "built-in"})
	}
	return checks
}

func checkModel(ctx context.Context, settings config.AI, server config.NamedUpstream) doctor.Check {
	about := server.Name
	check := doctor.Check{Name: "model", Status: doctor.OK, Detail: about + " responds"}
	model, err := connect.NewClient(settings, server.Upstream, false, nil)
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
