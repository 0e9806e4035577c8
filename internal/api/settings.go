package api

import (
	"context"

	"parley"
)

func (a *API) getSettings(ctx context.Context, _ *none) (parley.SettingsOutput, error) {
	return a.settings.Show(ctx)
}

func (a *API) updateSettings(ctx context.Context, in *body[parley.SettingsInput]) (parley.SettingsOutput, error) {
	changed, err := a.settings.Change(ctx, in.Body.Texts(), in.Body.Confirm)
	if err != nil {
		return parley.SettingsOutput{}, err
	}
	for _, name := range changed {
		a.accounts.AuditSetting(ctx, operator(ctx), name)
	}
	return a.settings.Output(), nil
}
