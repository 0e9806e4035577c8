package api_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/account"
	"parley/internal/admin"
	"parley/internal/ai/aitest"
	"parley/internal/api"
	"parley/internal/app"
	"parley/internal/blob"
	"parley/internal/chat/turn"
	"parley/internal/config"
	"parley/internal/connect"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/library"
	"parley/internal/mail"
	"parley/internal/mail/mailtest"
	"parley/internal/oidc/oidctest"
	"parley/internal/openaiapi"
	"parley/internal/responses"
	"parley/internal/store"
	"parley/internal/store/storetest"
	"parley/internal/websearch"
)

// world is a whole server on a real database and a scripted model, with helpers for tests. A test must change
// settings before start.
type world struct {
	*testing.T
	DatabaseURL    string
	FilesURL       string // empty means a folder
	Dir            string
	RequestTimeout time.Duration
	TokenTTL       time.Duration
	Settings       parley.Settings    // the changeable ones, at the start
	Fixed          []string           // the ones of Settings that can't change
	SignOn         *oidctest.Provider // nil means none
	SignOnTimeout  time.Duration      // zero means the default
	LinkByEmail    bool
	PublicURL      string
	Price          parley.Price // of all models
	MaxUpload      int64
	MaxImport      int64
	UserStorage    int64
	ContextTokens  int
	CORSOrigins    []string
	Proxies        []netip.Prefix
	RateLimit      config.RateLimit
	Limits         app.Limits
	AdminTOTP      bool
	UserRequests   int
	Search         websearch.Engine
	Builtin        bool
	Pictures       bool          // all models but the basic one see pictures
	Titles         bool          // the model makes titles
	Lease          time.Duration // zero means the default
	Drain          time.Duration // how long replies may continue when the server stops
	Heartbeat      time.Duration
	KeyLease       time.Duration // of OpenAI's API; zero means the default
	// BeginCall begins calls of OpenAI's API. If it is nil, the usage service does.
	BeginCall openaiapi.Begin
	counted   *usageLog // by countCalls
	// Connect lets administrators connect models: those of the world are not offered then.
	Connect    bool
	SendBuffer int // of each connection, in bytes; 0 means the system's
	// Mails receives the mails of the server. If it is nil, the server sends none.
	Mails *mailtest.Server
	// Recognize reads scans. If it is nil, scans are not read.
	Recognize func(ctx context.Context, userID int64, picture []byte) (string, error)

	// Claim is the code for the first administrator.
	Claim string

	Model *aitest.Server
	Log   *logBook
	clock *clock

	app    *app.App
	data   *store.Store
	config api.Config // of its handler
	URL    string
	http   *http.Client // checks every response against the document
	// domain is the domain of the users' addresses.
	domain string
	stop   func()
	// pause stops the HTTP server and the renewal of its lease, but not its turns, as if the process were paused or
	// gone.
	pause func()
}

// newWorld returns a world with default settings; start starts its server.
func newWorld(t *testing.T, databaseURL string) *world {
	w := &world{
		T: t, DatabaseURL: databaseURL, Dir: t.TempDir(),
		Settings:       parley.DefaultSettings(),
		RequestTimeout: time.Minute, TokenTTL: 720 * time.Hour, MaxUpload: 1 << 20, MaxImport: 1 << 20,
		ContextTokens: 32000, CORSOrigins: []string{"*"},
		Model: aitest.New(t), Log: &logBook{}, clock: &clock{}, domain: "example.com",
	}
	// The testing package keeps what cleanups refer to until the last parallel test has ended. That would be all
	// servers at once.
	t.Cleanup(func() { *w = world{T: t} })
	w.http = newCheckedClient(w)
	return w
}

// each runs a test in a started world on each database.
func each(t *testing.T, test func(w *world)) {
	t.Helper()
	eachWith(t, func(*world) {}, test)
}

// eachWith is each for a world that prepare has changed.
func eachWith(t *testing.T, prepare, test func(w *world)) {
	t.Helper()
	t.Parallel()
	storetest.EachParallel(t, func(t *testing.T, databaseURL string) {
		w := newWorld(t, databaseURL)
		prepare(w)
		w.start()
		test(w)
	})
}

// part is a test that can share its world with others.
type part struct {
	name string
	test func(w *world)
}

// shared runs parts in one world on each database, one after the other: starting a server costs more than most of
// them. Each part has its own users.
func shared(t *testing.T, parts []part) {
	t.Helper()
	each(t, func(w *world) {
		for i, p := range parts {
			w.domain = fmt.Sprintf("part%d.example.com", i)
			w.sub(p.name, p.test)
		}
	})
}

// inline reads documents in this process. The sandbox has its own tests.
func (w *world) inline() sandbox.Inline {
	return sandbox.Inline{
		Reader: extract.Reader{
			MaxText: 4 * w.MaxUpload, MaxUnpacked: 8 * w.MaxUpload, Pictures: w.Pictures,
			Cache: "../../.cache/pdf", // compiling the PDF engine takes seconds, with the race detector a minute
		},
		Index: library.Index,
	}
}

// sees reports whether a model sees pictures.
func (w *world) sees(name string) bool { return w.Pictures && name != parley.ModelBasic }

func (w *world) start() {
	w.Helper()
	log := slog.New(slog.NewTextHandler(w.Log, nil))
	storetest.Prepare(w.T, w.Dir, w.DatabaseURL)
	database, err := store.Open(w.Context(), w.Dir, w.DatabaseURL)
	w.must(err)
	w.data = database
	blobs, err := blob.Open(w.Context(), filepath.Join(w.Dir, "files"), w.FilesURL)
	w.must(err)
	config := app.Config{
		Settings: w.settings(), Version: "test", Database: database, Blobs: blobs, Models: w.models().Fixed,
		CheckedModels: checkedModels, Search: w.search(), Readers: w.inline(),
		Recognition: app.Recognition{Program: w.Recognize, State: parley.OCRState{Languages: []string{}}},
		SignOn:      w.signOn(), Mail: w.mailQueue(log), Log: log, Audit: log, Limits: w.Limits, Now: w.clock.now,
		Change: w.change(),
	}
	if w.Connect {
		w.must(connected(w.Context(), &config))
	}
	w.app, err = app.New(w.Context(), config)
	w.must(err)
	w.must(w.app.Turns.AcquireLease(w.Context()))
	offer, err := w.app.Accounts.OfferClaim(w.Context(), w.app.Turns.Owner())
	w.must(err)
	w.Claim = offer.Code
	server := w.serve(w.app.Handler)
	w.URL = server.URL

	running := w.app // restart replaces it
	ctx, rest := context.WithCancel(context.Background())
	var background sync.WaitGroup
	background.Go(func() { running.Run(ctx) })
	w.pause = sync.OnceFunc(func() {
		running.Stop()
		rest()
		server.Close()
		background.Wait()
	})
	w.stop = sync.OnceFunc(func() {
		drain, cancel := context.WithTimeout(context.Background(), w.Drain)
		defer cancel()
		running.Drain(drain)
		w.pause()
		running.Wait()
		if err := errors.Join(database.Close(), blobs.Close()); err != nil {
			w.Errorf("stop: %v", err)
		}
	})
	w.Cleanup(func() {
		w.stop()
		if w.Failed() {
			w.Logf("the server's log:\n%s", w.Log)
		}
	})
}

// settings returns the settings of the server.
func (w *world) settings() *config.Settings {
	settings := &config.Settings{
		HTTP: config.HTTP{
			RequestTimeout: w.RequestTimeout, CORSOrigins: w.CORSOrigins, TrustedProxies: w.Proxies,
			PublicURL: w.PublicURL, UserRequests: w.UserRequests, RateLimit: w.RateLimit,
		},
		Accounts: config.Accounts{TokenTTL: w.TokenTTL, AdminTOTP: w.AdminTOTP},
		SignOn:   config.SignOn{LinkByEmail: w.LinkByEmail},
		Store:    config.Store{Data: w.Dir},
		Files: config.Files{
			URL: config.Secret(w.FilesURL), MaxUpload: w.MaxUpload, MaxImport: w.MaxImport, UserStorage: w.UserStorage,
		},
		OCR:  config.OCR{Pages: 10},
		AI:   config.AI{ModelTitles: w.Titles, InstructCalls: true},
		Live: config.Live{Values: w.Settings, Fixed: w.Fixed},
	}
	if w.SignOn != nil {
		settings.SignOn.Name = "Example Company"
	}
	return settings
}

// change returns what differs from the parts of a server, apart from its settings.
func (w *world) change() app.Change {
	return app.Change{
		Accounts:  func(c *account.Config) { c.HashMemory = 64 }, // most tests register users
		Turns:     func(c *turn.Config) { c.Lease, c.QuotesTimeout = w.Lease, time.Minute },
		Responses: func(c *responses.Config) { c.KeyLease = w.KeyLease },
		OpenAI: func(c *openaiapi.Config) {
			c.Heartbeat = w.Heartbeat
			if w.BeginCall != nil {
				c.Begin = w.BeginCall
			}
		},
		Overview: func(c *admin.OverviewConfig) { c.Free = func() (int64, error) { return 1 << 30, nil } },
		API: func(c *api.Config) {
			c.Heartbeat = w.Heartbeat
			if c.Connections == nil {
				c.Connections = connect.New(w.Context(), w.settings(), w.data, slog.New(slog.DiscardHandler))
			}
			w.config = *c
		},
	}
}

// mailQueue returns the queue that sends mail, or nil.
func (w *world) mailQueue(log *slog.Logger) *mail.Queue {
	if w.Mails == nil {
		return nil
	}
	server, err := mail.NewServer(mail.Config{URL: w.Mails.URL(""), From: "parley@example.com"})
	w.must(err)
	return mail.NewQueue(mail.QueueConfig{Send: server.Send, Log: log, Now: w.clock.now})
}

// serve starts an HTTP server.
func (w *world) serve(handler http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateNew && w.SendBuffer > 0 {
			_ = conn.(*net.TCPConn).SetWriteBuffer(w.SendBuffer)
		}
	}
	server.Start()
	return server
}

// restart stops the server and starts it again on the same data.
func (w *world) restart() {
	w.stop()
	w.start()
}

// sub runs a subtest.
func (w *world) sub(name string, test func(w *world)) {
	w.Helper()
	w.Run(name, func(t *testing.T) {
		inner := *w
		inner.T = t
		test(&inner)
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// wants checks that err is the API's error of the given code and HTTP status.
func (w *world) wants(err error, code parley.Code, status int) {
	w.Helper()
	var e *client.Error
	if !errors.As(err, &e) {
		w.Fatalf("got %v, want error %d with HTTP %d", err, code, status)
	}
	if e.Code != code || e.Status != status {
		w.Fatalf("got error %d with HTTP %d (%s), want %d with %d", e.Code, e.Status, e.Message, code, status)
	}
	if e.Message == "" {
		w.Fatalf("error %d has no message", e.Code)
	}
}
