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
	// Models returns the models on offer now.
	Models func() ai.Offers
	// WebSearch reports whether there is a search service now. If it is nil, there is none.
	WebSearch func() bool
	// Settings returns the current settings. If it is nil, they are the defaults.
	Settings func() parley.Settings
	Now      func() time.Time
}

// Service manages the conversations of one server.
type Service struct {
	store     *store.Store
	library   *library.Library
	turns     *turn.Engine
	models    func() ai.Offers
	webSearch func() bool
	settings  func() parley.Settings
	now       func() time.Time
}

// New returns a Service.
func New(config Config) *Service {
	if config.Settings == nil {
		config.Settings = parley.DefaultSettings
	}
	if config.WebSearch == nil {
		config.WebSearch = func() bool { return false }
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
	offers, search := s.models(), s.webSearch()
	models := make([]parley.Model, 0, len(offers))
	for i, m := range offers {
		models = append(models, parley.Model{
			Name:          m.Name,
			Default:       i == 0,
			Description:   m.Description,
			DeepThinking:  m.DeepThinking,
			WebSearch:     search,
			Images:        m.Images,
			ContextTokens: m.ContextTokens,
			Available:     m.Available == nil || m.Available(),
			Builtin:       m.Builtin,
		})
	}
	return models
}
