package admin

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/store"
)

const (
	// pollInterval is how often the stored settings are read without a signal. With the time of a read, a change is in
	// force everywhere within 2 s.
	pollInterval = 1500 * time.Millisecond
	// readTimeout bounds one read.
	readTimeout = 5 * time.Second
	// signalTimeout bounds how long a change waits until other replicas are notified.
	signalTimeout = 2 * time.Second
)

// SettingsConfig configures Settings.
type SettingsConfig struct {
	Store *store.Store
	Log   *slog.Logger
	// Given are the values of fixed settings, and the defaults of the others.
	Given parley.Settings
	// Fixed names the settings that can't be changed.
	Fixed []string
	Now   func() time.Time
}

// Settings are the settings of one server that administrators can change while it runs. They are safe for concurrent
// use.
//
// A setting in a flag, the environment or the settings file is fixed. Any other has its value from the database, or
// else its default. Current reads no database: each process keeps the values in memory and reads them again after a
// signal and at short intervals.
type Settings struct {
	store *store.Store
	log   *slog.Logger
	given parley.Settings
	fixed []string
	now   func() time.Time

	current atomic.Pointer[readSettings]
	// reading is held while the stored settings are read. Otherwise an earlier read could replace a later one.
	reading sync.Mutex
}

// readSettings is what was read at one time.
type readSettings struct {
	values  parley.Settings
	stored  map[string]bool   // the settings whose values come from the database
	ignored map[string]string // stored texts that are ignored: the setting is fixed, or the text is not valid
}

// NewSettings returns the settings at the start. Load has to be called before they are used.
func NewSettings(config SettingsConfig) *Settings {
	s := &Settings{store: config.Store, log: config.Log, given: config.Given, fixed: config.Fixed, now: config.Now}
	s.current.Store(&readSettings{values: config.Given})
	return s
}

// Current returns the settings in force.
func (s *Settings) Current() parley.Settings { return s.current.Load().values }

// Load reads the stored settings.
func (s *Settings) Load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	s.reading.Lock()
	defer s.reading.Unlock()
	stored, err := s.store.Settings(ctx)
	if err != nil {
		return err
	}
	loaded := s.merge(stored)
	before := s.current.Swap(loaded)
	for name, text := range loaded.ignored {
		if old, known := before.ignored[name]; !known || old != text { // not again at each interval
			s.log.Warn("a stored setting is ignored: it is fixed, or not valid", "name", name)
		}
	}
	return nil
}

// merge returns the settings in force, with those that are stored.
func (s *Settings) merge(stored []store.Setting) *readSettings {
	merged := &readSettings{values: s.given, stored: map[string]bool{}, ignored: map[string]string{}}
	for _, setting := range stored {
		isFixed := slices.Contains(s.fixed, setting.Name)
		if isFixed || merged.values.Set(setting.Name, setting.Text) != nil { // another release may know more
			merged.ignored[setting.Name] = setting.Text
			continue
		}
		merged.stored[setting.Name] = true
	}
	return merged
}

// From is where the value of a setting comes from.
type From string

// The places that values come from.
const (
	FromConfiguration From = "configuration" // a flag, the environment or the settings file
	FromDatabase      From = "database"
	FromDefault       From = "default"
)

// Setting is a setting for operators.
type Setting struct {
	Name string `json:"name"`
	// Text is its value in the form of the environment.
	Text string `json:"value"`
	From From   `json:"from"`
	// Ignored is set if another value is stored, which is not in force.
	Ignored bool `json:"ignored,omitempty"`
}

// All returns all settings as they were read last.
func (s *Settings) All() []Setting {
	read := s.current.Load()
	var all []Setting
	for _, name := range parley.SettingNames() {
		setting := Setting{Name: name, Text: read.values.Text(name), From: FromDefault}
		switch {
		case slices.Contains(s.fixed, name):
			setting.From = FromConfiguration
		case read.stored[name]:
			setting.From = FromDatabase
		}
		_, setting.Ignored = read.ignored[name]
		all = append(all, setting)
	}
	return all
}

// Run reads the stored settings at short intervals, until ctx ends.
func (s *Settings) Run(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.reload(ctx)
		}
	}
}

// HandleSignal reads the stored settings if they may have changed.
func (s *Settings) HandleSignal(ctx context.Context, signal store.Signal) {
	if signal.Kind == store.SettingsChanged || signal.Kind == store.Missed {
		s.reload(ctx)
	}
}

func (s *Settings) reload(ctx context.Context) {
	if err := s.Load(ctx); err != nil && ctx.Err() == nil {
		s.log.Error("reload the settings", "error", err)
	}
}
