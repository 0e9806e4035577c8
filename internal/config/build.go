package config

import (
	"fmt"
	"log/slog"

	"parley"
)

// builder parses the texts of settings and keeps the first error.
type builder struct {
	line    *commandLine
	sources *sources
	err     error
}

func build(line *commandLine, sources *sources) (*Settings, error) {
	b := &builder{line: line, sources: sources}
	settings := &Settings{
		HTTP:     b.http(),
		Accounts: b.accounts(),
		Live:     b.live(),
		SignOn:   b.signOn(),
		Mail:     b.mail(),
		Store:    b.store(),
		Files:    b.files(),
		OCR:      b.ocr(),
		AI:       b.ai(),
		Search:   b.search(),
		Embed:    b.embed(),
		Log:      b.log(),
	}
	if b.err != nil {
		return nil, b.err
	}
	return settings, nil
}

// read parses the value of a flag.
func read[T any](b *builder, flag, text string, parse func(string) (T, error)) T {
	v, err := parse(text)
	if err != nil {
		b.fail(flag, err)
	}
	return v
}

// secret reads a secret from its flag, or from the file named by the flag with the suffix -file.
func (b *builder) secret(flag, text, path string, parse func(string) (Secret, error)) Secret {
	switch {
	case text != "" && path != "":
		b.fail(flag, fmt.Errorf("is given, and %s too: keep one", b.sources.origin(flag+"-file")))
	case text != "":
		return read(b, flag, text, parse)
	case path != "":
		fromFile, err := readSecret(path)
		if err != nil {
			b.fail(flag+"-file", err)
			return ""
		}
		return read(b, flag+"-file", fromFile.Reveal(), parse)
	}
	return ""
}

func (b *builder) fail(flag string, err error) {
	if b.err == nil {
		b.err = fmt.Errorf("%s: %w", b.sources.origin(flag), err)
	}
}

func (b *builder) http() HTTP {
	c := b.line
	if (c.TLSCert == "") != (c.TLSKey == "") {
		given, missing := "tls-cert", "tls-key"
		if c.TLSCert == "" {
			given, missing = missing, given
		}
		b.fail(given, fmt.Errorf("needs %s (--%s) too", variable(missing), missing))
	}
	return HTTP{
		Addr:           read(b, "addr", c.Addr, parseAddr),
		TLSCert:        c.TLSCert,
		TLSKey:         c.TLSKey,
		PublicURL:      read(b, "public-url", c.PublicURL, optional(parsePublicURL)),
		MetricsAddr:    read(b, "metrics-addr", c.MetricsAddr, parseMetricsAddr),
		PprofAddr:      read(b, "pprof-addr", c.PprofAddr, parseProfileAddr),
		RequestTimeout: read(b, "request-timeout", c.RequestTimeout, parsePositiveDuration),
		DrainDelay:     read(b, "drain-delay", c.DrainDelay, parley.ParseDuration),
		DrainTimeout:   read(b, "drain-timeout", c.DrainTimeout, parley.ParseDuration),
		CORSOrigins:    read(b, "cors-origins", c.CORSOrigins, parseOrigins),
		TrustedProxies: read(b, "trusted-proxies", c.TrustedProxies, parseNetworks),
		MaxConnections: read(b, "max-connections", c.MaxConnections, parseConnections),
		PerAddress:     read(b, "max-connections-per-address", c.PerAddress, parseConnectionsPerAddress),
		UserRequests:   read(b, "user-requests", c.UserRequests, parseRequests),
		RateLimit:      read(b, "rate-limit", c.RateLimit, parseRateLimit),
	}
}

func (b *builder) accounts() Accounts {
	return Accounts{
		TokenTTL:  read(b, "token-ttl", b.line.TokenTTL, parsePositiveDuration),
		AdminTOTP: read(b, "admin-totp", b.line.AdminTOTP, oneOf("optional", "required")) == "required",
	}
}

// live reads the settings that can be changed while the server runs, and which of them were set.
func (b *builder) live() Live {
	live := Live{}
	for _, setting := range []struct{ name, flag, text string }{
		{parley.SettingRegistration, "registration", b.line.Registration},
		{parley.SettingSharing, "sharing", b.line.Sharing},
		{parley.SettingQuota, "quota", b.line.Quota},
		{parley.SettingRetention, "retention", b.line.Retention},
		{parley.SettingInstructions, "system-prompt", b.line.SystemPrompt},
	} {
		if err := live.Values.Set(setting.name, setting.text); err != nil {
			b.fail(setting.flag, err)
		}
		if b.sources.isSet(setting.flag) {
			live.Fixed = append(live.Fixed, setting.name)
		}
	}
	return live
}

func (b *builder) mail() Mail {
	c := b.line
	mail := Mail{
		URL:  b.secret("smtp-url", c.SMTPURL, c.SMTPURLFile, parseMailServer),
		From: read(b, "smtp-from", c.SMTPFrom, optional(parseSender)),
	}
	needs := func(flag, missing string) {
		b.fail(flag, fmt.Errorf("needs %s (--%s) too", variable(missing), missing))
	}
	switch {
	case mail.URL != "" && mail.From == "":
		needs(secretFlag("smtp-url", c.SMTPURL), "smtp-from")
	case mail.URL != "" && c.PublicURL == "":
		needs(secretFlag("smtp-url", c.SMTPURL), "public-url")
	case mail.URL == "" && mail.From != "":
		needs("smtp-from", "smtp-url")
	}
	return mail
}

func (b *builder) store() Store {
	return Store{
		Data:        read(b, "data", b.line.Data, parsePath),
		DatabaseURL: b.secret("database-url", b.line.DatabaseURL, b.line.DatabaseURLFile, parseDatabaseURL),
		AuditKeep:   read(b, "audit-keep", b.line.AuditKeep, parseAuditKeep),
		BackUp:      read(b, "backup-before-migration", b.line.BackupBefore, oneOf("on", "off")) == "on",
	}
}

func (b *builder) files() Files {
	return Files{
		URL:         b.secret("files-url", b.line.FilesURL, b.line.FilesURLFile, parseFilesURL),
		MaxUpload:   read(b, "max-upload", b.line.MaxUpload, parseSize),
		MaxImport:   read(b, "max-import", b.line.MaxImport, parseSize),
		UserStorage: read(b, "user-storage", b.line.UserStorage, parseOptionalSize),
	}
}

func (b *builder) ocr() OCR {
	settings := OCR{
		Languages: read(b, "ocr-langs", b.line.OCRLangs, parseLanguages),
		Pages:     read(b, "ocr-pages", b.line.OCRPages, parseScannedPages),
	}
	switch program := read(b, "ocr", b.line.OCR, parsePath); program {
	case "off":
	case "model":
		settings.Model = true
	case "auto":
		settings.Program, settings.Model = "tesseract", true
	default:
		settings.Program, settings.Required = program, true
	}
	return settings
}

func (b *builder) search() Search {
	c := b.line
	s := Search{
		Provider: read(b, "search-provider", c.SearchProvider, optional(oneOf(SearchProviders()...))),
		URL:      read(b, "search-url", c.SearchURL, optional(parseAddress)),
		APIKey:   b.secret("search-api-key", c.SearchAPIKey, c.SearchAPIKeyFile, parseKey),
		Pages:    read(b, "search-read", c.SearchRead, parsePages),
		Allowed:  read(b, "search-read-allow", c.SearchReadAllow, parseNetworks),
	}
	needsProvider := fmt.Errorf("needs %s (--search-provider) too", variable("search-provider"))
	switch {
	case s.Provider == "" && s.URL != "":
		b.fail("search-url", needsProvider)
	case s.Provider == "" && s.APIKey != "":
		b.fail(secretFlag("search-api-key", c.SearchAPIKey), needsProvider)
	case s.Provider == "searxng" && s.URL == "":
		b.fail("search-provider", fmt.Errorf("searxng needs %s (--search-url) too", variable("search-url")))
	case s.Provider != "" && s.Provider != "searxng" && s.APIKey == "":
		b.fail("search-provider",
			fmt.Errorf("%s needs %s (--search-api-key) too", s.Provider, variable("search-api-key")))
	}
	return s
}

func (b *builder) embed() Embed {
	c := b.line
	e := Embed{
		BaseURL: read(b, "embed-base-url", c.EmbedBaseURL, optional(parseAddress)),
		APIKey:  b.secret("embed-api-key", c.EmbedAPIKey, c.EmbedAPIKeyFile, parseKey),
		Model:   read(b, "embed-model", c.EmbedModel, optional(parseName)),
	}
	needsServer := fmt.Errorf("needs %s (--embed-base-url) too", variable("embed-base-url"))
	switch {
	case e.BaseURL != "" && e.Model == "":
		b.fail("embed-base-url", fmt.Errorf("needs %s (--embed-model) too: the server's name of the model",
			variable("embed-model")))
	case e.BaseURL == "" && e.Model != "":
		b.fail("embed-model", needsServer)
	case e.BaseURL == "" && e.APIKey != "":
		b.fail(secretFlag("embed-api-key", c.EmbedAPIKey), needsServer)
	}
	return e
}

func (b *builder) log() Log {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug,
		"info":  slog.LevelInfo,
		"warn":  slog.LevelWarn,
		"error": slog.LevelError,
	}
	return Log{
		Level: levels[read(b, "log-level", b.line.LogLevel, oneOf("debug", "info", "warn", "error"))],
		JSON:  read(b, "log-format", b.line.LogFormat, oneOf("text", "json")) == "json",
	}
}
