package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"parley"
)

// env returns a getenv that knows the variables, each of the form "NAME=value".
func env(variables ...string) func(string) string {
	values := map[string]string{}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mustParse returns the settings of a valid command line.
func mustParse(t *testing.T, getenv func(string) string, args ...string) *Settings {
	t.Helper()
	c, err := Parse(args, getenv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != CommandServe || c.Settings == nil {
		t.Fatalf("got %+v", c)
	}
	return c.Settings
}

// refuse checks that Parse fails with one line that contains every text in says.
func refuse(t *testing.T, getenv func(string) string, args []string, says ...string) {
	t.Helper()
	c, err := Parse(args, getenv, io.Discard)
	if err == nil {
		t.Fatalf("got %+v, want an error", c)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
	if strings.Contains(err.Error(), "hush") {
		t.Errorf("contains a secret: %q", err)
	}
}

func TestWithoutSettingsTheDefaultsHold(t *testing.T) {
	upstream := Upstream{Thinking: "auto"}
	want := &Settings{
		HTTP: HTTP{
			Addr:           "127.0.0.1:8080",
			RequestTimeout: 10 * time.Second,
			DrainDelay:     time.Second,
			DrainTimeout:   10 * time.Second,
			CORSOrigins:    []string{"*"},
			RateLimit:      RateLimit{Login: Rate{600, time.Minute}, Register: Rate{600, time.Minute}},
			UserRequests:   512,
		},
		Accounts: Accounts{TokenTTL: 720 * time.Hour},
		Live:     Live{Values: parley.DefaultSettings()},
		Store:    Store{Data: "./data", AuditKeep: 400 * 24 * time.Hour, BackUp: true},
		Files:    Files{MaxUpload: 20 << 20, MaxImport: 2 << 30},
		Search:   Search{Pages: 3},
		OCR:      OCR{Program: "tesseract", Model: true, Pages: 300},
		AI: AI{
			DefaultName: "default",
			ModelTitles: true, InstructCalls: true,
			Default:     upstream,
			Basic:       upstream,
			Enhanced:    upstream,
			IdleTimeout: time.Minute,
			MaxTime:     10 * time.Minute,
			MaxReply:    1 << 20,
		},
		Log: Log{Level: slog.LevelInfo},
	}
	if diff := cmp.Diff(want, mustParse(t, env()), plainly()); diff != "" {
		t.Error(diff)
	}
}

// plainly compares secrets and networks by their values.
func plainly() cmp.Option {
	return cmp.Options{
		cmp.Comparer(func(a, b Secret) bool { return a == b }),
		cmp.Comparer(func(a, b Address) bool { return a == b }),
		cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
	}
}

// everything sets each setting to a value other than its default.
var everything = map[string]string{
	"addr":            "0.0.0.0:9090",
	"tls_cert":        "cert.pem",
	"tls_key":         "key.pem",
	"public_url":      "https://chat.example.com/",
	"request_timeout": "20s",
	"drain_delay":     "5s",
	"drain_timeout":   "0s",
	"cors_origins":    "https://a.example,http://b.example:81",
	"trusted_proxies": "10.0.0.0/8,::1",
	"rate_limit":      "user=60/m,address=5/s,login=10/s,register=off",
	"max_connections": "500",
	"metrics_addr":    "10.0.0.1:9091",
	"user_requests":   "50",
	"pprof_addr":      "127.0.0.1:6060",
	"registration":    "closed",
	"token_ttl":       "30d",
	"sharing":         "off",
	"quota":           "tokens=1M/d,messages=200/d",
	"oidc_issuer":     "https://accounts.example.com/realm",
	"oidc_client_id":  "parley",
	"oidc_name":       "Example Company",
	"oidc_link":       "email",
	"data":            "/var/lib/parley",
	"database_url":    "postgres://u:hush@db/parley",
	"files_url":       "s3://bucket?region=x",
	"max_upload":      "500MB",
	"max_import":      "5GB",
	"user_storage":    "2GiB",
	"retention":       "90d",
	"audit_keep":      "30d",

	"backup_before_migration": "off",
	"secret_key":              "hush-hush-hush-hush",

	"admin_totp":        "required",
	"smtp_url":          "smtps://u:hush@mail.example.com",
	"smtp_from":         "Parley <parley@example.com>",
	"ai_base_url":       "https://models.example/v1",
	"ai_api_key":        "hush-1",
	"ai_model":          "m",
	"ai_model_basic":    "m-basic",
	"ai_model_enhanced": "m-enhanced",
	"ai_thinking":       "qwen",
	"ai_thinking_model": "m-thinking",
	"ai_context_tokens": "8000",
	"ai_images":         "true",
	"ai_idle_timeout":   "5s",
	"ai_max_time":       "1m",
	"ai_max_reply":      "64KiB",
	"default_model":     "Parley",
	"titles":            "text",
	"system_prompt_for": "sessions",
	"system_prompt":     "Be kind.",
	"search_provider":   "brave",
	"search_read":       "2",
	"search_read_allow": "10.1.0.0/16",
	"search_url":        "https://search.example",
	"search_api_key":    "hush-2",
	"embed_base_url":    "https://embed.example/v1",
	"embed_model":       "bge-m3",
	"embed_api_key":     "hush-3",
	"log_level":         "debug",
	"log_format":        "json",
	"ocr":               "/opt/tesseract",
	"ocr_langs":         "deu, chi_tra",
	"ocr_pages":         "50",

	"max_connections_per_address": "50",
	"oidc_client_secret":          "hush-3",
}

func everythingSet() *Settings {
	upstream := func(model string) Upstream {
		return Upstream{
			BaseURL: "https://models.example/v1", APIKey: "hush-1", Model: model,
			Thinking: "qwen", ThinkingModel: "m-thinking", ContextTokens: 8000, Images: true,
		}
	}
	return &Settings{
		HTTP: HTTP{
			PublicURL: "https://chat.example.com",
			Addr:      "0.0.0.0:9090", TLSCert: "cert.pem", TLSKey: "key.pem", PprofAddr: "127.0.0.1:6060",
			MetricsAddr:    "10.0.0.1:9091",
			RequestTimeout: 20 * time.Second, DrainDelay: 5 * time.Second, DrainTimeout: 0,
			CORSOrigins:    []string{"https://a.example", "http://b.example:81"},
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")},
			RateLimit: RateLimit{
				User: Rate{60, time.Minute}, Address: Rate{5, time.Second}, Login: Rate{10, time.Second},
			},
			MaxConnections: 500,
			PerAddress:     50,
			UserRequests:   50,
		},
		Accounts: Accounts{TokenTTL: 720 * time.Hour, AdminTOTP: true},
		Live: Live{
			Values: parley.Settings{
				Quota:     parley.Quota{Tokens: 1_000_000, Messages: 200},
				Retention: 90 * 24 * time.Hour, Instructions: "Be kind.",
			},
			Fixed: parley.SettingNames(),
		},
		Store: Store{
			Data: "/var/lib/parley", DatabaseURL: "postgres://u:hush@db/parley", AuditKeep: 30 * 24 * time.Hour,
			SecretKey: "hush-hush-hush-hush",
		},
		SignOn: SignOn{
			Issuer: "https://accounts.example.com/realm", ClientID: "parley", ClientSecret: "hush-3",
			Name: "Example Company", LinkByEmail: true,
		},
		Mail:  Mail{URL: "smtps://u:hush@mail.example.com", From: "Parley <parley@example.com>"},
		Files: Files{URL: "s3://bucket?region=x", MaxUpload: 500_000_000, MaxImport: 5_000_000_000, UserStorage: 2 << 30},
		OCR:   OCR{Program: "/opt/tesseract", Required: true, Languages: []string{"deu", "chi_tra"}, Pages: 50},
		AI: AI{
			DefaultName: "Parley",
			Default:     upstream("m"), Basic: upstream("m-basic"), Enhanced: upstream("m-enhanced"),
			BasicModel: "m-basic", EnhancedModel: "m-enhanced",
			IdleTimeout: 5 * time.Second, MaxTime: time.Minute, MaxReply: 64 << 10,
		},
		Search: Search{
			Provider: "brave", URL: "https://search.example", APIKey: "hush-2",
			Pages: 2, Allowed: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")},
		},
		Embed: Embed{BaseURL: "https://embed.example/v1", Model: "bge-m3", APIKey: "hush-3"},
		Log:   Log{Level: slog.LevelDebug, JSON: true},
	}
}

func TestFlagsEnvironmentAndFileSayTheSameThings(t *testing.T) {
	var flags, variables []string
	for key, value := range everything {
		flags = append(flags, "--"+strings.ReplaceAll(key, "_", "-")+"="+value)
		variables = append(variables, "PARLEY_"+strings.ToUpper(key)+"="+value)
	}
	file, err := yaml.Marshal(everything)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "parley.yaml", string(file))
	for name, got := range map[string]*Settings{
		"flags":              mustParse(t, env(), flags...),
		"flags behind serve": mustParse(t, env(), append([]string{"serve"}, flags...)...),
		"environment":        mustParse(t, env(variables...)),
		"file":               mustParse(t, env(), "--config", path),
		"file by variable":   mustParse(t, env("PARLEY_CONFIG="+path)),
	} {
		want := everythingSet()
		if len(got.AI.Fixed) != 3 || got.Search.FixedBy == "" || got.Embed.FixedBy == "" {
			t.Errorf("%s: fixed are %v, the search by %q, the embeddings by %q",
				name, got.AI.Fixed, got.Search.FixedBy, got.Embed.FixedBy)
		}
		want.AI.Fixed, want.Search.FixedBy, want.Embed.FixedBy = got.AI.Fixed, got.Search.FixedBy, got.Embed.FixedBy
		if diff := cmp.Diff(want, got, plainly()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestEverySettingIsCoveredHere(t *testing.T) {
	for _, setting := range Table() {
		if _, covered := everything[setting.Key]; !covered {
			t.Errorf("%s is not covered", setting.Key)
		}
	}
	if len(Table()) != len(everything) {
		t.Errorf("there are %d settings, tested are %d", len(Table()), len(everything))
	}
}

// TestTheLiveSettingsAreThoseOfTheProgram compares the table with the settings that can be changed.
func TestTheLiveSettingsAreThoseOfTheProgram(t *testing.T) {
	var names []string
	for _, setting := range Table() {
		if setting.Live == "" {
			continue
		}
		names = append(names, setting.Live)
		if setting.Variable != parley.SettingVariable(setting.Live) {
			t.Errorf("%s has the variable %s", setting.Live, parley.SettingVariable(setting.Live))
		}
		values := parley.DefaultSettings()
		for _, word := range setting.Words {
			if err := values.Set(setting.Live, word); err != nil {
				t.Errorf("%s: %v", setting.Variable, err)
			}
		}
	}
	command, _ := reflect.TypeFor[settingArg]().FieldByName("Name")
	for _, got := range [][]string{names, strings.Split(command.Tag.Get("enum"), ",")} {
		if !slices.Equal(got, parley.SettingNames()) {
			t.Errorf("got %v, want %v", got, parley.SettingNames())
		}
	}
}

func TestFlagsWinOverTheEnvironmentAndThatOverTheFile(t *testing.T) {
	path := write(t, "parley.yaml", "addr: :1\ndata: file\nlog_level: warn\n")
	getenv := env("PARLEY_CONFIG="+path, "PARLEY_ADDR=:2", "PARLEY_DATA=environment")
	s := mustParse(t, getenv, "--addr=:3")
	if s.HTTP.Addr != ":3" || s.Store.Data != "environment" || s.Log.Level != slog.LevelWarn {
		t.Errorf("got %+v", s)
	}
}

func TestTheConfigFlagWinsOverItsVariable(t *testing.T) {
	path := write(t, "parley.yaml", "data: here\n")
	if s := mustParse(t, env("PARLEY_CONFIG=/nowhere.yaml"), "--config="+path); s.Store.Data != "here" {
		t.Errorf("got %+v", s)
	}
}

func TestAnEmptyVariableIsNotSet(t *testing.T) {
	path := write(t, "parley.yaml", "addr: :1\n")
	s := mustParse(t, env("PARLEY_CONFIG="+path, "PARLEY_ADDR=", "PARLEY_LOG_LEVEL="))
	if s.HTTP.Addr != ":1" || s.Log.Level != slog.LevelInfo {
		t.Errorf("got %+v", s)
	}
}

func TestAnEmptyFlagTakesBackTheEnvironment(t *testing.T) {
	if s := mustParse(t, env("PARLEY_DATABASE_URL=postgres://db/x"), "--database-url="); s.Store.DatabaseURL != "" {
		t.Error("the variable still holds")
	}
}

func TestOnlyWhatIsSetIsFixed(t *testing.T) {
	path := write(t, "parley.yaml", "sharing: on\n")
	for name, test := range map[string]struct {
		settings *Settings
		want     []string
	}{
		"nothing": {mustParse(t, env("PARLEY_QUOTA=")), nil},
		"a flag":  {mustParse(t, env(), "--quota=messages=3/d"), []string{parley.SettingQuota}},
		"the environment": {
			mustParse(t, env("PARLEY_SYSTEM_PROMPT=Be kind.", "PARLEY_RETENTION=off")),
			[]string{parley.SettingRetention, parley.SettingInstructions},
		},
		"the file": {mustParse(t, env(), "--config", path), []string{parley.SettingSharing}},
	} {
		if !slices.Equal(test.settings.Live.Fixed, test.want) {
			t.Errorf("%s fixes %v, want %v", name, test.settings.Live.Fixed, test.want)
		}
	}
}

func TestBasicAndEnhancedDefaultToTheFirstModel(t *testing.T) {
	s := mustParse(t, env("PARLEY_AI_BASE_URL=http://127.0.0.1:1/v1", "PARLEY_AI_MODEL=m", "PARLEY_AI_MODEL_ENHANCED=big"))
	if s.AI.Default.Model != "m" || s.AI.Basic.Model != "m" || s.AI.Enhanced.Model != "big" {
		t.Errorf("got %+v", s.AI)
	}
}

func TestSecretsComeFromFiles(t *testing.T) {
	s := mustParse(t, env(
		"PARLEY_AI_BASE_URL=http://127.0.0.1:1/v1", "PARLEY_AI_MODEL=m",
		"PARLEY_AI_API_KEY_FILE="+write(t, "ai", "hush-ai\n"),
		"PARLEY_DATABASE_URL_FILE="+write(t, "db", "postgres://u:hush@db/x\r\n"),
		"PARLEY_FILES_URL_FILE="+write(t, "s3", "s3://bucket"),
		"PARLEY_SEARCH_PROVIDER=tavily",
		"PARLEY_SEARCH_API_KEY_FILE="+write(t, "search", "hush-search\n\n"),
		"PARLEY_EMBED_BASE_URL=http://127.0.0.1:1/v1", "PARLEY_EMBED_MODEL=m",
		"PARLEY_EMBED_API_KEY_FILE="+write(t, "embed", "hush-embed\n"),
		"PARLEY_OIDC_ISSUER=https://accounts.example.com", "PARLEY_OIDC_CLIENT_ID=parley",
		"PARLEY_OIDC_CLIENT_SECRET_FILE="+write(t, "oidc", "hush-oidc\n"),
		"PARLEY_SMTP_URL_FILE="+write(t, "smtp", "smtp://u:hush@mail.example.com\n"),
		"PARLEY_SMTP_FROM=Parley <parley@example.com>", "PARLEY_PUBLIC_URL=https://chat.example.com/",
	))
	if s.HTTP.PublicURL != "https://chat.example.com" || s.Mail.From != "Parley <parley@example.com>" {
		t.Errorf("got %q and %q", s.HTTP.PublicURL, s.Mail.From)
	}
	got := []Secret{
		s.AI.Default.APIKey, s.Store.DatabaseURL, s.Files.URL, s.Search.APIKey, s.SignOn.ClientSecret, s.Mail.URL,
		s.Embed.APIKey,
	}
	want := []Secret{
		"hush-ai", "postgres://u:hush@db/x", "s3://bucket", "hush-search", "hush-oidc", "smtp://u:hush@mail.example.com",
		"hush-embed",
	}
	if diff := cmp.Diff(want, got, plainly()); diff != "" {
		t.Error(diff)
	}
}

func TestASecretCantComeFromTwoPlaces(t *testing.T) {
	path := write(t, "secret", "hush")
	refuse(t, env("PARLEY_DATABASE_URL=postgres://hush@db/x", "PARLEY_DATABASE_URL_FILE="+path), nil,
		"PARLEY_DATABASE_URL: ", "PARLEY_DATABASE_URL_FILE")
	refuse(t, env("PARLEY_AI_API_KEY=hush"), []string{"--ai-api-key-file=" + path}, "PARLEY_AI_API_KEY: ",
		"--ai-api-key-file")
	refuse(t, env("PARLEY_SEARCH_API_KEY=hush", "PARLEY_SEARCH_API_KEY_FILE="+path), nil, "PARLEY_SEARCH_API_KEY_FILE")
	refuse(t, env("PARLEY_FILES_URL=s3://hush", "PARLEY_FILES_URL_FILE="+path), nil, "PARLEY_FILES_URL_FILE")
	refuse(t, env("PARLEY_SMTP_URL=smtp://hush@host", "PARLEY_SMTP_URL_FILE="+path), nil, "PARLEY_SMTP_URL_FILE")
}

func TestMailNeedsASenderAndAnAddressForItsLinks(t *testing.T) {
	const server, from = "PARLEY_SMTP_URL=smtp://u:hush@mail.example.com", "PARLEY_SMTP_FROM=parley@example.com"
	refuse(t, env(server), nil, "PARLEY_SMTP_URL: ", "PARLEY_SMTP_FROM")
	refuse(t, env(server, from), nil, "PARLEY_SMTP_URL: ", "PARLEY_PUBLIC_URL")
	refuse(t, env(from), nil, "PARLEY_SMTP_FROM: ", "PARLEY_SMTP_URL")
	if s := mustParse(t, env()); s.Mail != (Mail{}) || s.HTTP.PublicURL != "" {
		t.Errorf("without settings it is %+v", s.Mail)
	}
}

func TestASettingThatMakesNoSenseIsNamed(t *testing.T) {
	empty, binary := write(t, "empty", "\n"), write(t, "binary", "hush \x00 hush")
	cases := map[string][]string{
		"PARLEY_ADDR=8080":                           {"PARLEY_ADDR: ", "127.0.0.1:8080"},
		"PARLEY_ADDR=localhost:http":                 {"PARLEY_ADDR: ", "port"},
		"PARLEY_ADDR=:70000":                         {"PARLEY_ADDR: ", "65535"},
		"PARLEY_METRICS_ADDR=off":                    {"PARLEY_METRICS_ADDR: ", "127.0.0.1:8080"},
		"PARLEY_PPROF_ADDR=yes":                      {"PARLEY_PPROF_ADDR: "},
		"PARLEY_PPROF_ADDR=:6060":                    {"PARLEY_PPROF_ADDR: ", "loopback"},
		"PARLEY_PPROF_ADDR=192.0.2.1:6060":           {"PARLEY_PPROF_ADDR: ", "loopback"},
		"PARLEY_TLS_CERT=c.pem":                      {"PARLEY_TLS_CERT: ", "PARLEY_TLS_KEY"},
		"PARLEY_TLS_KEY=k.pem":                       {"PARLEY_TLS_KEY: ", "PARLEY_TLS_CERT"},
		"PARLEY_REQUEST_TIMEOUT=10":                  {"PARLEY_REQUEST_TIMEOUT: ", "10s"},
		"PARLEY_REQUEST_TIMEOUT=0s":                  {"PARLEY_REQUEST_TIMEOUT: ", "longer than zero"},
		"PARLEY_DRAIN_TIMEOUT=-1s":                   {"PARLEY_DRAIN_TIMEOUT: "},
		"PARLEY_TOKEN_TTL=forever":                   {"PARLEY_TOKEN_TTL: "},
		"PARLEY_REGISTRATION=yes":                    {"PARLEY_REGISTRATION: ", "open, closed"},
		"PARLEY_QUOTA=200":                           {"PARLEY_QUOTA: ", "tokens=1M/d"},
		"PARLEY_QUOTA=messages=0/d":                  {"PARLEY_QUOTA: ", "whole number"},
		"PARLEY_SHARING=yes":                         {"PARLEY_SHARING: ", "on, off"},
		"PARLEY_PUBLIC_URL=chat.example.com":         {"PARLEY_PUBLIC_URL: ", "https://chat.example.com"},
		"PARLEY_PUBLIC_URL=https://example.com/chat": {"PARLEY_PUBLIC_URL: ", "without a path"},
		"PARLEY_OIDC_ISSUER=http://192.0.2.1":        {"PARLEY_OIDC_ISSUER: ", "https"},
		"PARLEY_OIDC_ISSUER=https://a.example?b=c":   {"PARLEY_OIDC_ISSUER: "},
		"PARLEY_OIDC_ISSUER=https://a.example":       {"PARLEY_OIDC_ISSUER: ", "PARLEY_OIDC_CLIENT_ID"},
		"PARLEY_OIDC_CLIENT_ID=parley":               {"PARLEY_OIDC_CLIENT_ID: ", "PARLEY_OIDC_ISSUER"},
		"PARLEY_OIDC_CLIENT_SECRET=hush":             {"PARLEY_OIDC_CLIENT_SECRET: ", "PARLEY_OIDC_ISSUER"},
		"PARLEY_OIDC_NAME=Example":                   {"PARLEY_OIDC_NAME: ", "PARLEY_OIDC_ISSUER"},
		"PARLEY_OIDC_LINK=email":                     {"PARLEY_OIDC_LINK: ", "PARLEY_OIDC_ISSUER"},
		"PARLEY_OIDC_LINK=yes":                       {"PARLEY_OIDC_LINK: ", "password, email"},
		"PARLEY_MAX_UPLOAD=20XB":                     {"PARLEY_MAX_UPLOAD: ", "20MiB"},
		"PARLEY_USER_STORAGE=0":                      {"PARLEY_USER_STORAGE: "},
		"PARLEY_CORS_ORIGINS=example.com":            {"PARLEY_CORS_ORIGINS: "},
		"PARLEY_TRUSTED_PROXIES=10.0.0.0/8,gateway":  {"PARLEY_TRUSTED_PROXIES: ", "gateway"},
		"PARLEY_AI_BASE_URL=built-in":                {"PARLEY_AI_BASE_URL: ", "builtin"},
		"PARLEY_OCR_PAGES=0":                         {"PARLEY_OCR_PAGES: ", "number of pages"},
		"PARLEY_OCR_LANGS=--psm":                     {"PARLEY_OCR_LANGS: ", "--psm"},
		"PARLEY_MAX_CONNECTIONS=0":                   {"PARLEY_MAX_CONNECTIONS: ", "auto"},
		"PARLEY_USER_REQUESTS=0":                     {"PARLEY_USER_REQUESTS: ", "above zero"},
		"PARLEY_RATE_LIMIT=60":                       {"PARLEY_RATE_LIMIT: ", "60/m"},
		"PARLEY_LOG_LEVEL=loud":                      {"PARLEY_LOG_LEVEL: ", "debug, info, warn, error"},
		"PARLEY_LOG_FORMAT=xml":                      {"PARLEY_LOG_FORMAT: ", "text, json"},
		"PARLEY_DEFAULT_MODEL=增强模型":                  {"PARLEY_DEFAULT_MODEL: "},
		"PARLEY_DEFAULT_MODEL= ":                     {"PARLEY_DEFAULT_MODEL: "},
		"PARLEY_SYSTEM_PROMPT=\xff":                  {"PARLEY_SYSTEM_PROMPT is not valid UTF-8"},
		"PARLEY_DATABASE_URL=mysql://u:hush@db/x":    {"PARLEY_DATABASE_URL: ", "postgres://"},
		"PARLEY_DATABASE_URL=postgres://u:hu%sh@db":  {"PARLEY_DATABASE_URL: "},
		"PARLEY_DATABASE_URL_FILE=/nowhere/db":       {"PARLEY_DATABASE_URL_FILE: ", "/nowhere/db"},
		"PARLEY_DATABASE_URL_FILE=" + empty:          {"PARLEY_DATABASE_URL_FILE: ", "empty"},
		"PARLEY_FILES_URL=/var/hush":                 {"PARLEY_FILES_URL: ", "s3://"},
		"PARLEY_AI_BASE_URL=hush.example/v1":         {"PARLEY_AI_BASE_URL: ", "http or https"},
		"PARLEY_AI_BASE_URL=http://hush@example/v1":  {"PARLEY_AI_BASE_URL: ", "PARLEY_AI_MODEL"},
		"PARLEY_AI_API_KEY=hush hush":                {"PARLEY_AI_API_KEY: ", "white space"},
		"PARLEY_AI_API_KEY=hush":                     {"PARLEY_AI_API_KEY: ", "PARLEY_AI_BASE_URL"},
		"PARLEY_AI_API_KEY_FILE=" + binary:           {"PARLEY_AI_API_KEY_FILE: "},
		"PARLEY_AI_THINKING=hard":                    {"PARLEY_AI_THINKING: ", "deepseek"},
		"PARLEY_AI_CONTEXT_TOKENS=32k":               {"PARLEY_AI_CONTEXT_TOKENS: "},
		"PARLEY_AI_IMAGES=yes":                       {"PARLEY_AI_IMAGES: ", "true"},
		"PARLEY_AI_CONTEXT_TOKENS=100":               {"PARLEY_AI_CONTEXT_TOKENS: ", "256"},
		"PARLEY_AI_IDLE_TIMEOUT=0s":                  {"PARLEY_AI_IDLE_TIMEOUT: "},
		"PARLEY_AI_MAX_TIME=0s":                      {"PARLEY_AI_MAX_TIME: "},
		"PARLEY_AI_MAX_REPLY=0":                      {"PARLEY_AI_MAX_REPLY: "},
		"PARLEY_SEARCH_READ=7":                       {"PARLEY_SEARCH_READ: ", "0 to 6"},
		"PARLEY_SEARCH_READ_ALLOW=lan":               {"PARLEY_SEARCH_READ_ALLOW: ", "network"},
		"PARLEY_SEARCH_PROVIDER=google":              {"PARLEY_SEARCH_PROVIDER: ", "searxng, tavily, brave, bocha"},
		"PARLEY_SEARCH_PROVIDER=searxng":             {"PARLEY_SEARCH_PROVIDER: ", "PARLEY_SEARCH_URL"},
		"PARLEY_SEARCH_PROVIDER=bocha":               {"PARLEY_SEARCH_PROVIDER: ", "PARLEY_SEARCH_API_KEY"},
		"PARLEY_SEARCH_URL=http://127.0.0.1:1":       {"PARLEY_SEARCH_URL: ", "PARLEY_SEARCH_PROVIDER"},
		"PARLEY_SEARCH_URL=ftp://hush":               {"PARLEY_SEARCH_URL: ", "http or https"},
		"PARLEY_SEARCH_API_KEY=hush":                 {"PARLEY_SEARCH_API_KEY: ", "PARLEY_SEARCH_PROVIDER"},
		"PARLEY_CONFIG=/nowhere.yaml":                {"settings file", "/nowhere.yaml"},
		"PARLEY_PUBLIC_URL=https://a.example/hush":   {"PARLEY_PUBLIC_URL: ", "without a path"},
		"PARLEY_SMTP_URL=https://hush":               {"PARLEY_SMTP_URL: ", "smtps://"},
		"PARLEY_SMTP_URL=smtp://u:hush%@host":        {"PARLEY_SMTP_URL: ", "escaped"},
		"PARLEY_SMTP_URL=smtp://host/hush":           {"PARLEY_SMTP_URL: ", "smtp://"},
		"PARLEY_ADMIN_TOTP=yes":                      {"PARLEY_ADMIN_TOTP: ", "optional, required"},
		"PARLEY_SMTP_FROM=hush":                      {"PARLEY_SMTP_FROM: ", "e-mail address"},
		"PARLEY_EMBED_API_KEY=hush":                  {"PARLEY_EMBED_API_KEY: ", "PARLEY_EMBED_BASE_URL"},
		"PARLEY_EMBED_MODEL=bge-m3":                  {"PARLEY_EMBED_MODEL: ", "PARLEY_EMBED_BASE_URL"},
		"PARLEY_EMBED_BASE_URL=http://e.example/v1":  {"PARLEY_EMBED_BASE_URL: ", "PARLEY_EMBED_MODEL"},
	}
	for variable, says := range cases {
		t.Run(variable, func(t *testing.T) { refuse(t, env(variable), nil, says...) })
	}
}

func TestSingleSignOnNeedsASafeAddress(t *testing.T) {
	settings := []string{"PARLEY_OIDC_ISSUER=http://localhost:9000/realm", "PARLEY_OIDC_CLIENT_ID=parley"}
	refuse(t, env(settings...), nil, "PARLEY_OIDC_ISSUER: ", "PARLEY_PUBLIC_URL")
	refuse(t, env(append(settings, "PARLEY_PUBLIC_URL=http://chat.example.com")...), nil, "PARLEY_PUBLIC_URL: ", "https")
	s := mustParse(t, env(append(settings, "PARLEY_PUBLIC_URL=http://127.0.0.1:8080")...))
	if s.SignOn.Name != "localhost" || s.SignOn.LinkByEmail || s.HTTP.PublicURL != "http://127.0.0.1:8080" {
		t.Errorf("got %+v", s)
	}
}

func TestAWrongSettingIsNamedByWhereItWasMade(t *testing.T) {
	path := write(t, "parley.yaml", "addr: :1\n\nmax_upload: much\n")
	refuse(t, env("PARLEY_CONFIG="+path), nil, path+":3: max_upload: ")
	refuse(t, env("PARLEY_CONFIG="+path), []string{"--max-upload=more"}, "--max-upload: ", "more")
}

func TestAWrongCommandLineIsOneLine(t *testing.T) {
	refuse(t, env(), []string{"--adr=:1"}, "unknown flag --adr")
	refuse(t, env(), []string{"launch"}, "unexpected argument launch; see parley --help")
	refuse(t, env(), []string{"backup"}, `expected "<file>"; see parley backup --help`)
	refuse(t, env(), []string{"user", "show"}, `expected "<user>"; see parley user show --help`)
	refuse(t, env(), []string{"doctor", "now"}, "unexpected argument now; see parley doctor --help")
	refuse(t, env(), []string{"--data="}, "--data: ")
	refuse(t, env(), []string{"--data=\xff"}, "not valid UTF-8")
}

func TestVersionAndHelpNeedNoValidSettings(t *testing.T) {
	getenv := env("PARLEY_ADDR=nonsense", "PARLEY_CONFIG=/nowhere.yaml")
	for name, args := range map[string][]string{
		CommandVersion: {"version"},
		CommandHelp:    {"--help"},
	} {
		c, err := Parse(args, getenv, io.Discard)
		if err != nil || c.Name != name || c.Settings != nil {
			t.Errorf("%s: got %+v, %v", name, c, err)
		}
	}
}

func TestHelpNamesEverySettingAndItsVariable(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"serve", "-h"}} {
		var out bytes.Buffer
		if c, err := Parse(args, env(), &out); err != nil || c.Name != CommandHelp {
			t.Fatalf("got %+v, %v", c, err)
		}
		for key := range everything {
			if !strings.Contains(out.String(), "--"+strings.ReplaceAll(key, "_", "-")+"=") {
				t.Errorf("%v: no flag for %s", args, key)
			}
			if !strings.Contains(out.String(), "$PARLEY_"+strings.ToUpper(key)+")") {
				t.Errorf("%v: no variable for %s", args, key)
			}
		}
	}
}

func TestPrintedSettingsShowNoSecret(t *testing.T) {
	s := everythingSet()
	s.AI.Default.BaseURL = "https://user:hush@models.example/v1?key=hush"
	s.Search.URL = "https://user:hush@search.example"
	encoded, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	logger.Info("start", "settings", *s, "key", s.Search.APIKey, "url", s.Search.URL)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "settings", s, "key", s.Search.APIKey)
	prints := []string{string(encoded), log.String(), s.Search.APIKey.String(), s.Search.URL.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		prints = append(prints, fmt.Sprintf(verb, *s), fmt.Sprintf(verb, s.Search.APIKey), fmt.Sprintf(verb, s.AI.Default))
	}
	for _, p := range prints {
		if strings.Contains(p, "hush") || strings.Contains(p, fmt.Sprintf("%x", "hush")) {
			t.Errorf("contains a secret: %s", p)
		}
	}
	got := fmt.Sprintf("%s|%s|%s", s.Search.APIKey, s.AI.Default.BaseURL, Secret(""))
	if got != "[redacted]|https://models.example/v1|" {
		t.Errorf("printed %q", got)
	}
	if s.Search.APIKey.Reveal() != "hush-2" || s.Search.URL.Reveal() != "https://user:hush@search.example" {
		t.Error("the value itself is lost")
	}
}
