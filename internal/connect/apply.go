package connect

import (
	"slices"
	"strings"

	"parley"
	"parley/internal/config"
)

// fixedBy says what in the configuration sets a connection, by the name of its setting. It returns "" if nothing does.
func (c *Connections) fixedBy(name string) string {
	switch name {
	case searchName:
		return c.settings.Search.FixedBy
	case embeddingsName:
		return c.settings.Embed.FixedBy
	}
	return c.settings.AI.Fixed[strings.TrimPrefix(name, modelPrefix)]
}

// applyModel puts a stored model into the settings.
func applyModel(ai *config.AI, setting string, read connected) error {
	upstream, err := read.upstream()
	if err != nil {
		return err
	}
	switch name := strings.TrimPrefix(setting, modelPrefix); name {
	case parley.ModelRoleDefault:
		ai.Default = upstream
	case parley.ModelRoleBasic:
		ai.Basic = upstream
	case parley.ModelRoleEnhanced:
		ai.Enhanced = upstream
	default:
		if err := ai.CheckAddedName(name); err != nil {
			return err
		}
		ai.Added = append(slices.Clip(ai.Added), config.NamedUpstream{Name: name, Upstream: upstream})
	}
	return nil
}

// inherit makes the basic and the enhanced model like a connected default one if neither the configuration nor an
// administrator has set them. A model that the configuration only names is on the server of the default one.
func inherit(ai *config.AI, given config.AI) {
	if given.Default.BaseURL != "" || ai.Default.BaseURL == "" {
		return
	}
	for _, variant := range []struct {
		upstream *config.Upstream
		model    string
	}{{&ai.Basic, ai.BasicModel}, {&ai.Enhanced, ai.EnhancedModel}} {
		if variant.upstream.BaseURL != "" {
			continue
		}
		*variant.upstream = ai.Default
		if variant.model != "" {
			variant.upstream.Model = variant.model
		}
	}
	ai.Added = slices.Clone(ai.Added)
	for i, added := range ai.Added {
		if added.BaseURL == "" {
			added.BaseURL, added.APIKey, added.Thinking = ai.Default.BaseURL, ai.Default.APIKey, ai.Default.Thinking
			ai.Added[i] = added
		}
	}
}
