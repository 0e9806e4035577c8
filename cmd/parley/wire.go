package main

import (
	"crypto/rand"
	"log/slog"
	"time"

	"parley/internal/account"
	"parley/internal/admin"
	"parley/internal/ai"
	"parley/internal/api"
	"parley/internal/blob"
	"parley/internal/chat"
	"parley/internal/chat/export"
	"parley/internal/chat/importer"
	"parley/internal/chat/prompt"
	"parley/internal/chat/turn"
	"parley/internal/config"
	"parley/internal/library"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/openaiapi"
	"parley/internal/responses"
	"parley/internal/store"
	"parley/internal/usage"
	"parley/internal/webpage"
	"parley/internal/websearch"
)

// wire creates the services and the handler that uses them.
func (s *server) wire(blobs blob.Store, models ai.Offers, search websearch.Engine) {
	s.metrics, s.limiter = metrics.New(), newLimiter()
	s.database.Measure(s.metrics)
	s.metrics.ModelServers(s.models.states)
	s.signOn = newSignOn(s.settings)
	s.wireAccounts()
	counted := s.newUsage(models)
	s.wireLibrary(blobs, models, counted)
	s.wireTurns(models, counted, search)
	s.wireChat(models, search)
	s.wireImports(blobs, models)
	s.wireOpenAI(models, counted)
	s.wireHandler(counted, s.newOverview(search))
}

// newLive returns the settings that can be changed while the server runs.
func newLive(given config.Live, database *store.Store, log *slog.Logger) *admin.Settings {
	return admin.NewSettings(admin.SettingsConfig{
		Store: database, Log: log, Given: given.Values, Fixed: given.Fixed, Now: time.Now,
	})
}

func (s *server) wireAccounts() {
	s.accounts = account.New(account.Config{
		Store:     s.database,
		Log:       s.log,
		Audit:     newAuditLog(s.settings.Log),
		AuditKeep: s.settings.Store.AuditKeep,
		TokenTTL:  s.settings.Accounts.TokenTTL,
		Settings:  s.live.Current,
		SignOn:    s.signOn,
		Now:       time.Now,

		LinkByEmail: s.settings.SignOn.LinkByEmail,
		Mail:        s.mail,
		PublicURL:   s.settings.HTTP.PublicURL,
	})
}

func (s *server) wireLibrary(blobs blob.Store, models ai.Offers, counted *usage.Service) {
	s.library = library.New(library.Config{
		Store:       s.database,
		Blobs:       blobs,
		Log:         s.log,
		Reader:      s.readers,
		MaxUpload:   s.settings.Files.MaxUpload,
		UserStorage: s.settings.Files.UserStorage,
		Now:         time.Now,

		Readers:      maxReaders,
		SmallReaders: maxSmallReaders,
		Recognize:    s.recognize(models, counted),
		RecognizedBy: s.scanner.model,
		ScanPixels:   s.scanner.pixels(),
		Scanners:     maxScanners,
		ScanPages:    s.settings.OCR.Pages,
		Embeddings:   s.vectors,
		Usage:        counted,
		Metrics:      s.metrics,
	})
}

// wireTurns creates the reply engine and what names sessions after their first reply.
func (s *server) wireTurns(models ai.Offers, counted *usage.Service, search websearch.Engine) {
	var fenceKey ai.FenceKey
	_, _ = rand.Read(fenceKey[:]) // never fails
	prompts := prompt.New(prompt.Config{
		Store:          s.database,
		Library:        s.library,
		Metrics:        s.metrics,
		Models:         models,
		Search:         search,
		Pages:          s.newPages(),
		Tracer:         s.tracer,
		Settings:       s.live.Current,
		FenceKey:       fenceKey,
		RequestTimeout: s.settings.HTTP.RequestTimeout,
		Now:            time.Now,
	})
	s.titler = s.newTitler(models, counted)
	s.turns = turn.New(turn.Config{
		Store:    s.database,
		Log:      s.log,
		Prepare:  prompts.Prepare,
		Finished: s.titler.Finished,
		Limiter:  s.limiter,
		Metrics:  s.metrics,
		Tracer:   s.tracer,
		Now:      time.Now,
	})
}

func (s *server) wireChat(models ai.Offers, search websearch.Engine) {
	s.chat = chat.New(chat.Config{
		Store:     s.database,
		Library:   s.library,
		Turns:     s.turns,
		Models:    models,
		WebSearch: search != nil,
		Settings:  s.live.Current,
		Now:       time.Now,
	})
	s.exports = export.New(export.Config{
		Chat: s.chat, Store: s.database, Library: s.library, TempDir: s.settings.Store.Data, Now: time.Now,
	})
	s.sweeper = chat.NewSweeper(chat.SweeperConfig{
		Store:    s.database,
		Library:  s.library,
		Turns:    s.turns,
		Log:      s.log,
		Settings: s.live.Current,
		Now:      time.Now,
	})
}

func (s *server) wireImports(blobs blob.Store, models ai.Offers) {
	s.imports = importer.New(importer.Config{
		Store:   s.database,
		Blobs:   blobs,
		Library: s.library,
		Log:     s.log,
		Reader:  s.readers,
		Owner:   s.turns.Owner(),
		Models:  modelNames(models),
		MaxSize: s.settings.Files.MaxImport,
		Now:     time.Now,
	})
}

func (s *server) wireOpenAI(models ai.Offers, counted *usage.Service) {
	s.stored = responses.New(responses.Config{Store: s.database, Log: s.log, Now: time.Now})
	s.openAI = openaiapi.New(openaiapi.Config{
		Chat:      s.chat,
		Models:    models,
		Responses: s.stored,
		Metrics:   s.metrics,
		Tracer:    s.tracer,
		Log:       s.log,
		Now:       time.Now,
		MaxTime:   s.settings.AI.MaxTime,
		MaxReply:  s.settings.AI.MaxReply,
		Memory:    limit.NewByteShares[int64](maxGenerations, api.FreeResponse),
		Begin:     counted.Begin,

		Instructions: s.instructions,
	})
}

// instructions returns those for calls of /v1 that are no turns of a session.
func (s *server) instructions() string {
	if !s.settings.AI.InstructCalls {
		return ""
	}
	return s.live.Current().Instructions
}

// newUsage returns what counts calls of models.
func (s *server) newUsage(models ai.Offers) *usage.Service {
	var counted []usage.Model
	for _, m := range models {
		counted = append(counted, usage.Model{Name: m.Name, Price: m.Price, Tokens: m.ReplyLimit()})
	}
	return usage.New(usage.Config{
		Store: s.database, Models: counted, Settings: s.live.Current, Now: time.Now,
	})
}

func (s *server) wireHandler(counted *usage.Service, state *admin.Overview) {
	settings := s.settings.HTTP
	s.handler = api.New(api.Config{
		Accounts:       s.accounts,
		Chat:           s.chat,
		Export:         s.exports,
		Turns:          s.turns,
		Library:        s.library,
		Imports:        s.imports,
		OpenAI:         s.openAI,
		Usage:          counted,
		Overview:       state,
		Settings:       s.live,
		Metrics:        s.metrics,
		Tracer:         s.tracer,
		Log:            s.log,
		RequestTimeout: settings.RequestTimeout,
		MaxUpload:      s.settings.Files.MaxUpload,
		CORSOrigins:    settings.CORSOrigins,
		SignOnName:     s.settings.SignOn.Name,
		PublicURL:      settings.PublicURL,
		HideMetrics:    settings.MetricsAddr != "",
		TrustedProxies: settings.TrustedProxies,
		UserRate:       api.Rate(settings.RateLimit.User),
		AddressRate:    api.Rate(settings.RateLimit.Address),
		LoginRate:      api.Rate(settings.RateLimit.Login),
		RegisterRate:   api.Rate(settings.RateLimit.Register),
		AdminTOTP:      s.settings.Accounts.AdminTOTP,
		ResetRate:      api.Rate{Requests: maxResets, Per: time.Hour},
		Now:            time.Now,
		Limiter:        s.limiter,
		Bodies:         limit.NewByteShares[int64](maxBodies, freeBody),
		UserRequests:   settings.UserRequests,
		Responses:      limit.NewByteShares[int64](maxResponses, api.FreeResponse),
		Ready:          s.ready,
		MaxWrite:       maxWrite,
		Stopping:       s.stopping,
	})
}

// newTitler returns what names sessions, or nil if no model does.
func (s *server) newTitler(models ai.Offers, counted *usage.Service) *chat.Titler {
	model, found := models.ForTitles()
	if !found || !s.settings.AI.ModelTitles {
		return nil
	}
	return chat.NewTitler(chat.TitlerConfig{
		Store: s.database, Log: s.log, Model: model, HasTokens: counted.HasTokens, Metrics: s.metrics, Now: time.Now,
	})
}

// newPages returns what reads the pages behind search results, or nil if none are read.
func (s *server) newPages() *webpage.Reader {
	if s.settings.Search.Pages == 0 {
		return nil
	}
	return webpage.New(webpage.Config{
		Documents: s.readers,
		Metrics:   s.metrics,
		UserAgent: "Parley/" + version,
		Pages:     s.settings.Search.Pages,
		Allowed:   s.settings.Search.Allowed,
		Searches:  maxPageSearches,
		Readers:   maxPageReaders,
	})
}

func newSearch(settings *config.Settings) (websearch.Engine, error) {
	if settings.Search.Provider == "" {
		return nil, nil
	}
	return websearch.New(websearch.Config{
		Provider: settings.Search.Provider,
		URL:      settings.Search.URL.Reveal(),
		APIKey:   settings.Search.APIKey.Reveal(),
		Timeout:  settings.HTTP.RequestTimeout / 3,
	})
}

func searchName(settings *config.Settings) string {
	if settings.Search.Provider == "" {
		return "none"
	}
	return settings.Search.Provider
}
