package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

// The places that connections come from. See parley.Connection.
const (
	fromConfiguration = "configuration"
	fromDatabase      = "database"
	fromDefault       = "default"
)

// put stores a connection, checked with its key. Without a key the stored one stays, if it is for the same host. It
// reports whether anything has changed.
func (c *Connections) put(
	ctx context.Context, setting string, r record, key *string, check func(connected) error,
) (bool, error) {
	if fixed := c.fixedBy(setting); fixed != "" {
		return false, configuredError(fixed)
	}
	if err := c.Load(ctx); err != nil { // another replica may have changed it
		return false, err
	}
	full := connected{record: r}
	var err error
	if full.key, err = c.keyFor(setting, r, key); err != nil {
		return false, err
	}
	if err := check(full); err != nil {
		return false, err
	}
	before, stored := c.current.Load().known[setting]
	same := before
	same.Key, same.keyLost = "", false
	if stored && !before.keyLost && same == full {
		return false, nil // encrypted again, it would differ
	}
	if full.Key, err = c.keys.seal(full.key, r.purpose(setting)); err != nil {
		return false, err
	}
	text, err := json.Marshal(full.record)
	if err != nil {
		return false, err
	}
	return c.save(ctx, store.SettingChange{Name: setting, Text: new(string(text))})
}

// keyFor returns the key of a connection: the given one, or else the stored one. A model without one gets that of
// another model on the same host. A stored key goes to the host that it was stored for only.
func (c *Connections) keyFor(setting string, r record, given *string) (string, error) {
	if given != nil {
		return *given, nil
	}
	all := c.current.Load().known
	known, stored := all[setting]
	switch {
	case !stored || known.key == "" && !known.keyLost:
		return keyOfHost(all, setting, r), nil
	case known.keyLost:
		return "", parley.Invalid("api_key is missing: the stored key can't be read any more")
	case known.purpose(setting) != r.purpose(setting):
		return "", parley.Invalid("api_key is missing: the stored key is for another address")
	}
	return known.key, nil
}

// keyOfHost returns the key of a stored model on the same host, or "".
func keyOfHost(all map[string]connected, setting string, r record) string {
	if !strings.HasPrefix(setting, modelPrefix) {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		other := all[name]
		if strings.HasPrefix(name, modelPrefix) && origin(other.Address) == origin(r.Address) && other.key != "" {
			return other.key
		}
	}
	return ""
}

// remove removes a stored connection. It reports whether there was one.
func (c *Connections) remove(ctx context.Context, setting string) (bool, error) {
	if fixed := c.fixedBy(setting); fixed != "" {
		return false, configuredError(fixed)
	}
	return c.save(ctx, store.SettingChange{Name: setting})
}

// save stores one change, and makes it take effect everywhere. It reports whether anything has changed.
func (c *Connections) save(ctx context.Context, change store.SettingChange) (bool, error) {
	changed, err := c.store.ChangeSettings(ctx, []store.SettingChange{change})
	if err != nil || len(changed) == 0 {
		return false, err
	}
	signaling, cancel := context.WithTimeout(context.WithoutCancel(ctx), signalTimeout)
	defer cancel()
	if err := c.store.Signal(signaling, []store.Signal{{Kind: store.SettingsChanged}}); err != nil {
		c.log.Warn("notify other replicas of a changed connection", "error", err)
	}
	if err := c.Load(ctx); err != nil {
		return true, errors.Join(errors.New("it is stored, but not in force yet"), err)
	}
	return true, nil
}

// configuredError returns the error for a connection that the configuration sets.
func configuredError(by string) error {
	return parley.Invalid(fmt.Sprintf("the server's own configuration sets this: remove %s there to change it here", by))
}
