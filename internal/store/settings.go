package store

import (
	"context"
	"database/sql"
	"fmt"

	"parley/internal/db"
)

// Setting is the text of a setting that was changed while the server ran.
type Setting struct{ Name, Text string }

// ConnectionPrefix begins the names of settings that are connections to other services.
const ConnectionPrefix = "connection/"

// Connections returns the connections that are stored, by name.
func (s *Store) Connections(ctx context.Context) ([]Setting, error) {
	return s.settings(ctx, `SELECT name, value FROM settings WHERE name LIKE 'connection/%' ORDER BY name`)
}

// Settings returns the settings that are stored, without the connections.
func (s *Store) Settings(ctx context.Context) ([]Setting, error) {
	return s.settings(ctx, `SELECT name, value FROM settings WHERE name NOT LIKE 'connection/%'`)
}

func (s *Store) settings(ctx context.Context, query string) ([]Setting, error) {
	stored, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (set Setting, err error) {
		err = rows.Scan(&set.Name, &set.Text)
		return set, err
	}, query)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	return stored, nil
}

// SettingChange stores the text of a setting, or removes the setting if the text is nil.
type SettingChange struct {
	Name string
	Text *string
}

// ChangeSettings makes all changes or none, and returns the names of those that made a difference. Concurrent callers
// must give the names in the same order.
func (s *Store) ChangeSettings(ctx context.Context, changes []SettingChange) ([]string, error) {
	made, steps := make([]string, len(changes)), make([]db.Step, len(changes))
	for i, change := range changes {
		if change.Text == nil {
			steps[i] = db.Do(`DELETE FROM settings WHERE name = $1 RETURNING name`, change.Name).Into(&made[i])
			continue
		}
		steps[i] = db.Do(`
			INSERT INTO settings (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE settings.value <> excluded.value
			RETURNING name`, change.Name, *change.Text).Into(&made[i])
	}
	if err := s.db.Change(ctx, steps...); err != nil {
		return nil, fmt.Errorf("change the settings: %w", err)
	}
	var changed []string
	for _, name := range made {
		if name != "" {
			changed = append(changed, name)
		}
	}
	return changed, nil
}
