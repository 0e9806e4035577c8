package connect

import (
	"context"
	"strings"

	"parley"
	"parley/internal/config"
)

// maxAdded is how many models administrators can add to those of the contract.
const maxAdded = 100

// ListModels reads the stored connections and returns all models on offer.
func (c *Connections) ListModels(ctx context.Context) (parley.ModelConnections, error) {
	if err := c.Load(ctx); err != nil {
		return parley.ModelConnections{}, err
	}
	now := c.current.Load()
	shared := c.settings.Store.SecretKey != "" || c.settings.Store.DatabaseURL == ""
	out := parley.ModelConnections{Models: []parley.ModelConnection{}, KeysShared: shared}
	for i, m := range now.models.upstreams {
		name := m.Name
		if i < len(roles) {
			name = roles[i]
		}
		out.Models = append(out.Models, c.describe(now, name, m))
	}
	return out, nil
}

// roles are the names of the first models on offer.
var roles = [...]string{parley.ModelRoleDefault, parley.ModelRoleBasic, parley.ModelRoleEnhanced}

// describe returns what administrators see of a model.
func (c *Connections) describe(now *connections, name string, m config.NamedUpstream) parley.ModelConnection {
	shown := parley.ModelConnection{
		Name: name, ShownAs: m.Name,
		Connection: c.connection(now, modelPrefix+name, m.APIKey != ""),
		Builtin:    m.BaseURL == "" || m.Builtin(),
		Model:      m.Model, Thinking: m.Thinking, ContextTokens: m.ContextTokens, Images: m.Images,
		Description: m.Description,
	}
	if !shown.Builtin {
		shown.BaseURL = m.BaseURL.String()
	}
	return shown
}

// connection says where a connection comes from.
func (c *Connections) connection(now *connections, setting string, hasKey bool) parley.Connection {
	if fixed := c.fixedBy(setting); fixed != "" {
		return parley.Connection{From: fromConfiguration, FixedBy: fixed, HasKey: hasKey}
	}
	if known, stored := now.known[setting]; stored {
		return parley.Connection{From: fromDatabase, HasKey: known.key != "", KeyLost: known.keyLost}
	}
	return parley.Connection{From: fromDefault, HasKey: hasKey}
}

// ConnectModel stores a model, and offers it from now on. It reports whether anything has changed.
func (c *Connections) ConnectModel(ctx context.Context, name string, in parley.ModelInput) (bool, error) {
	if err := c.checkName(name); err != nil {
		return false, err
	}
	r := record{
		Address: in.BaseURL, Model: in.Model, Thinking: in.Thinking, ContextTokens: in.ContextTokens, Images: in.Images,
		Description: in.Description,
	}
	return c.put(ctx, modelPrefix+name, r, in.APIKey, func(read connected) error {
		_, err := read.upstream()
		return err
	})
}

// checkName checks the name of a model to connect.
func (c *Connections) checkName(name string) error {
	if isRole(name) || c.settings.AI.Fixed[name] != "" {
		return nil // put refuses what is fixed
	}
	if err := c.settings.AI.CheckAddedName(name); err != nil {
		return err
	}
	added := 0
	for setting := range c.current.Load().known {
		switch other, isModel := strings.CutPrefix(setting, modelPrefix); {
		case other == name:
			return nil
		case isModel && !isRole(other):
			added++
		}
	}
	if added >= maxAdded {
		return parley.Invalid("there are 100 added models already: remove one first")
	}
	return nil
}

// isRole reports whether a name is that of a model of the contract.
func isRole(name string) bool {
	for _, role := range roles {
		if name == role {
			return true
		}
	}
	return false
}

// DisconnectModel removes a stored model. It reports whether there was one.
func (c *Connections) DisconnectModel(ctx context.Context, name string) (bool, error) {
	if err := config.CheckModelName(name); err != nil {
		return false, err
	}
	return c.remove(ctx, modelPrefix+name)
}
