// Package chat manages conversations: sessions, their history, favorites, and the questions that are sent to them.
package chat

import (
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/turn"
	"parley/internal/library"
	"parley/internal/store"
)

// Config configures a Service.
type Config struct {
	Store   *store.Store
	Library *library.Library
	Turns   *turn.Engine
	Models  ai.Offers
	// WebSearch reports whether a search service is configured.
	WebSearch bool
	// Settings returns the current settings. If it is nil, they are the defaults.
	Settings func() parley.Settings
	Now      func() time.Time
}

// Service manages the conversations of one server.
type Service struct {
	store     *store.Store
	library   *library.Library
	turns     *turn.Engine
	models    ai.Offers
	webSearch bool
	settings  func() parley.Settings
	now       func() time.Time
}

// New returns a Service.
func New(config Config) *Service {
	if config.Settings == nil {
		config.Settings = parley.DefaultSettings
	}
	return &Service{
		store:     config.Store,
		library:   config.Library,
		turns:     config.Turns,
		models:    config.Models,
		webSearch: config.WebSearch,
		settings:  config.Settings,
		now:       config.Now,
	}
}

// Models lists the models on offer.
func (s *Service) Models() []parley.Model {
	models := make([]parley.Model, 0, len(s.models))
	for i, m := range s.models {
		models = append(models, parley.Model{
			Name:          m.Name,
			Default:       i == 0,
			Description:   m.Description,
			DeepThinking:  m.DeepThinking,
			WebSearch:     s.webSearch,
			Images:        m.Images,
			ContextTokens: m.ContextTokens,
			Available:     m.Available == nil || m.Available(),
			Builtin:       m.Builtin,
		})
	}
	return models
}
