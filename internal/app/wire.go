package app

import (
	"context"

	"parley"
	"parley/internal/account"
	"parley/internal/admin"
	"parley/internal/ai"
	"parley/internal/api"
	"parley/internal/chat"
	"parley/internal/chat/export"
	"parley/internal/chat/importer"
	"parley/internal/chat/prompt"
	"parley/internal/chat/turn"
	"parley/internal/fsutil"
	"parley/internal/library"
	"parley/internal/openaiapi"
	"parley/internal/responses"
	"parley/internal/usage"
	"parley/internal/webpage"
)

// changed returns the configuration of a part after its change, if there is one.
func changed[C any](config C, change func(*C)) C {
	if change != nil {
		change(&config)
	}
	return config
}

func (a *App) wireAccounts() {
	c, settings := a.config, a.config.Settings
	a.Accounts = account.New(changed(account.Config{
		Store:     c.Database,
		Log:       c.Log,
		Audit:     c.Audit,
		AuditKeep: settings.Store.AuditKeep,
		TokenTTL:  settings.Accounts.TokenTTL,
		Settings:  a.Live.Current,
		SignOn:    c.SignOn,
		Now:       c.Now,

		LinkByEmail: settings.SignOn.LinkByEmail,
		Mail:        c.Mail,
		PublicURL:   settings.HTTP.PublicURL,
	}, c.Change.Accounts))
}

// wireUsage creates what counts calls of models.
func (a *App) wireUsage() {
	a.usage = usage.New(usage.Config{
		Store: a.config.Database, Model: a.countedModel, Settings: a.Live.Current, Now: a.config.Now,
	})
}

// countedModel returns what a model costs and may take. A model that is no longer on offer counts as the default.
func (a *App) countedModel(name string) usage.Model {
	models := a.config.Models()
	m, found := models.Find(name)
	if !found {
		m = models[0]
	}
	return usage.Model{Name: m.Name, Price: m.Price, Tokens: m.ReplyLimit()}
}

func (a *App) wireLibrary() {
	c, settings := a.config, a.config.Settings
	recognize, by := a.recognition()
	a.library = library.New(library.Config{
		Store:       c.Database,
		Blobs:       c.Blobs,
		Log:         c.Log,
		Reader:      c.Readers,
		MaxUpload:   settings.Files.MaxUpload,
		UserStorage: settings.Files.UserStorage,
		Now:         c.Now,

		Readers:      c.Limits.Readers,
		SmallReaders: c.Limits.SmallReaders,
		Recognize:    recognize,
		RecognizedBy: by,
		ScanPixels:   c.Recognition.Pixels,
		Scanners:     c.Limits.Scanners,
		ScanPages:    settings.OCR.Pages,
		Embeddings:   c.Embeddings,
		Usage:        a.usage,
		Metrics:      a.Metrics,
	})
}

// recognition returns what reads a picture for a user, or nil if nothing can, and the name of the model that does.
func (a *App) recognition() (read func(ctx context.Context, userID int64, picture []byte) (string, error), by string) {
	c := a.config
	model, found := c.Models().Seeing()
	if !found || !c.Recognition.Model {
		return c.Recognition.Program, ""
	}
	return prompt.NewTranscriber(prompt.TranscriberConfig{
		Model: model, Begin: a.usage.BeginTokens, Log: c.Log, Metrics: a.Metrics, Now: c.Now,
	}).Transcribe, model.Name
}

// wireTurns creates the reply engine and what names sessions after their first reply.
func (a *App) wireTurns() {
	c := a.config
	prompts := prompt.New(prompt.Config{
		Store:          c.Database,
		Library:        a.library,
		Metrics:        a.Metrics,
		Models:         c.Models,
		Search:         c.Search,
		Pages:          a.pages(),
		Tracer:         c.Tracer,
		Settings:       a.Live.Current,
		FenceKey:       c.FenceKey,
		RequestTimeout: c.Settings.HTTP.RequestTimeout,
		Now:            c.Now,
	})
	a.titler = a.newTitler()
	a.Turns = turn.New(changed(turn.Config{
		Store:    c.Database,
		Log:      c.Log,
		Prepare:  prompts.Prepare,
		Finished: a.titler.Finished,
		Limiter:  c.Limits.Requests,
		Metrics:  a.Metrics,
		Tracer:   c.Tracer,
		Now:      c.Now,
	}, c.Change.Turns))
}

// pages returns what reads the pages behind search results, or nil if none are read.
func (a *App) pages() *webpage.Reader {
	c, settings := a.config, a.config.Settings.Search
	if settings.Pages == 0 {
		return nil
	}
	return webpage.New(webpage.Config{
		Documents: c.Readers,
		Metrics:   a.Metrics,
		UserAgent: "Parley/" + c.Version,
		Pages:     settings.Pages,
		Allowed:   settings.Allowed,
		Searches:  c.Limits.PageSearches,
		Readers:   c.Limits.PageReaders,
	})
}

// newTitler returns what names sessions, or nil if no model does.
func (a *App) newTitler() *chat.Titler {
	c := a.config
	if !c.Settings.AI.ModelTitles {
		return nil
	}
	return chat.NewTitler(chat.TitlerConfig{
		Store: c.Database, Log: c.Log, Model: func() (ai.Offer, bool) { return c.Models().ForTitles() },
		HasTokens: a.usage.HasTokens, Metrics: a.Metrics, Now: c.Now,
	})
}

func (a *App) wireChat() {
	c := a.config
	a.chat = chat.New(chat.Config{
		Store:     c.Database,
		Library:   a.library,
		Turns:     a.Turns,
		Models:    c.Models,
		WebSearch: func() bool { return c.Search() != nil },
		Settings:  a.Live.Current,
		Now:       c.Now,
	})
	a.exports = export.New(export.Config{
		Chat: a.chat, Store: c.Database, Library: a.library, TempDir: c.Settings.Store.Data, Now: c.Now,
	})
	a.Sweeper = chat.NewSweeper(chat.SweeperConfig{
		Store:    c.Database,
		Library:  a.library,
		Turns:    a.Turns,
		Log:      c.Log,
		Settings: a.Live.Current,
		Now:      c.Now,
	})
}

func (a *App) wireImports() {
	c := a.config
	a.imports = importer.New(importer.Config{
		Store:   c.Database,
		Blobs:   c.Blobs,
		Library: a.library,
		Log:     c.Log,
		Reader:  c.Readers,
		Owner:   a.Turns.Owner(),
		KnowsModel: func(name string) bool {
			_, found := c.Models().Find(name)
			return found
		},
		MaxSize: c.Settings.Files.MaxImport,
		Now:     c.Now,
	})
}

func (a *App) wireOpenAI() {
	c := a.config
	a.stored = responses.New(changed(responses.Config{
		Store: c.Database, Log: c.Log, Now: c.Now,
	}, c.Change.Responses))
	a.OpenAI = openaiapi.New(changed(openaiapi.Config{
		Chat:      a.chat,
		Models:    c.Models,
		Responses: a.stored,
		Metrics:   a.Metrics,
		Tracer:    c.Tracer,
		Log:       c.Log,
		Now:       c.Now,
		MaxTime:   c.Settings.AI.MaxTime,
		MaxReply:  c.Settings.AI.MaxReply,
		Memory:    c.Limits.Generations,
		Begin:     a.usage.Begin,

		Instructions: a.instructions,
	}, c.Change.OpenAI))
}

// instructions returns those for calls of /v1 that are no turns of a session.
func (a *App) instructions() string {
	if !a.config.Settings.AI.InstructCalls {
		return ""
	}
	return a.Live.Current().Instructions
}

// wireOverview creates what tells administrators the state of this server.
func (a *App) wireOverview() {
	c, settings := a.config, a.config.Settings
	files := parley.FilesFolder
	if settings.Files.URL != "" {
		files = parley.FilesS3
	}
	a.overview = admin.NewOverview(changed(admin.OverviewConfig{
		Store:        c.Database,
		Log:          c.Log,
		Version:      c.Version,
		Owner:        a.Turns.Owner(),
		Registration: func() bool { return a.Live.Current().Registration },
		Sharing:      func() bool { return a.Live.Current().Sharing },
		PublicURL:    settings.HTTP.PublicURL,
		SMTP:         settings.Mail.URL != "",
		OIDC:         settings.SignOn.Name,
		FilesKind:    files,
		Free:         func() (int64, error) { return fsutil.Free(settings.Store.Data) },
		Models:       c.CheckedModels,
		Search:       c.CheckedSearch,
		OCR:          c.Recognition.State,
		Errors:       func() []parley.ErrorCount { return a.Metrics.RecentErrors(c.Now()) },
		Now:          c.Now,
	}, c.Change.Overview))
}

func (a *App) wireHandler() {
	c, settings := a.config, a.config.Settings.HTTP
	a.Handler = api.New(changed(api.Config{
		Accounts:       a.Accounts,
		Chat:           a.chat,
		Export:         a.exports,
		Turns:          a.Turns,
		Library:        a.library,
		Imports:        a.imports,
		OpenAI:         a.OpenAI,
		Usage:          a.usage,
		Overview:       a.overview,
		Settings:       a.Live,
		Connections:    c.Connections,
		Metrics:        a.Metrics,
		Tracer:         c.Tracer,
		Log:            c.Log,
		RequestTimeout: settings.RequestTimeout,
		MaxUpload:      c.Settings.Files.MaxUpload,
		CORSOrigins:    settings.CORSOrigins,
		SignOnName:     c.Settings.SignOn.Name,
		PublicURL:      settings.PublicURL,
		HideMetrics:    settings.MetricsAddr != "",
		TrustedProxies: settings.TrustedProxies,
		UserRate:       api.Rate(settings.RateLimit.User),
		AddressRate:    api.Rate(settings.RateLimit.Address),
		LoginRate:      api.Rate(settings.RateLimit.Login),
		RegisterRate:   api.Rate(settings.RateLimit.Register),
		AdminTOTP:      c.Settings.Accounts.AdminTOTP,
		ResetRate:      c.Limits.Resets,
		Now:            c.Now,
		Limiter:        c.Limits.Requests,
		Bodies:         c.Limits.Bodies,
		UserRequests:   settings.UserRequests,
		Responses:      c.Limits.Responses,
		Ready:          a.ready,
		MaxWrite:       c.Limits.MaxWrite,
		Stopping:       a.stopping,
	}, c.Change.API))
}
