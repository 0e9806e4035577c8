package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
)

// Show reads the stored settings and returns those in force.
func (s *Settings) Show(ctx context.Context) (parley.SettingsOutput, error) {
	if err := s.Load(ctx); err != nil {
		return parley.SettingsOutput{}, err
	}
	return s.Output(), nil
}

// Output returns the settings in force.
func (s *Settings) Output() parley.SettingsOutput { return s.Current().Output(s.fixed) }

// Change makes all changes or none. Each is the text of a setting, or nil for its default, by the name of the setting.
// It returns the names of the settings that are stored differently now. If a text is not valid or a setting is fixed,
// it returns an error that says so. A retention that deletes sessions has to be confirmed: without it the error is
// parley.ErrRetentionUnconfirmed, with their number.
func (s *Settings) Change(ctx context.Context, texts map[string]*string, confirmed bool) ([]string, error) {
	changes, err := s.check(texts)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	if !confirmed {
		if err := s.checkRetention(ctx, texts); err != nil {
			return nil, err
		}
	}
	changed, err := s.store.ChangeSettings(ctx, changes)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	s.notify(ctx)
	s.reload(ctx)
	return changed, nil
}

// check returns the changes in the order of their names.
func (s *Settings) check(texts map[string]*string) ([]store.SettingChange, error) {
	var changes []store.SettingChange
	parsed := parley.DefaultSettings()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if slices.Contains(s.fixed, name) {
			return nil, fixedError(name)
		}
		change := store.SettingChange{Name: name}
		if text := texts[name]; text != nil {
			if err := parsed.Set(name, *text); err != nil {
				return nil, err
			}
			change.Text = new(parsed.Text(name))
		}
		changes = append(changes, change)
	}
	if utf8.RuneCountInString(parsed.Instructions) > parley.MaxServerInstructions {
		return nil, parley.Invalid("instructions must be at most 16000 characters long")
	}
	return changes, nil
}

// checkRetention returns parley.ErrRetentionUnconfirmed if checked changes shorten the retention, and there are
// sessions that the new one would delete.
func (s *Settings) checkRetention(ctx context.Context, texts map[string]*string) error {
	text, changed := texts[parley.SettingRetention]
	if !changed {
		return nil
	}
	after := s.given
	if text != nil {
		if err := after.Set(parley.SettingRetention, *text); err != nil {
			return err
		}
	}
	if err := s.Load(ctx); err != nil { // another replica may have changed it
		return err
	}
	before := s.Current().Retention
	if after.Retention == 0 || before != 0 && after.Retention >= before {
		return nil
	}
	aged, err := s.store.CountAged(ctx, s.now().Add(parley.RetentionDelay-after.Retention))
	if err != nil || aged.Sessions == 0 {
		return err
	}
	return parley.UnconfirmedRetention(aged)
}

// fixedError returns the error for a setting that can't be changed.
func fixedError(name string) error {
	return parley.Invalid(fmt.Sprintf("%s is fixed by the server's own configuration: remove %s there to change it here",
		name, parley.SettingVariable(name)))
}

// notify tells other replicas that settings have changed. They would notice it by themselves, but later.
func (s *Settings) notify(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), signalTimeout)
	defer cancel()
	if err := s.store.Signal(ctx, []store.Signal{{Kind: store.SettingsChanged}}); err != nil {
		s.log.Warn("notify other replicas of changed settings", "error", err)
	}
}
