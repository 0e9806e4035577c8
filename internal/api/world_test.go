package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/account"
	"parley/internal/admin"
	"parley/internal/ai"
	"parley/internal/ai/aitest"
	"parley/internal/ai/builtin"
	"parley/internal/ai/openai"
	"parley/internal/api"
	"parley/internal/blob"
	"parley/internal/chat"
	"parley/internal/chat/export"
	"parley/internal/chat/importer"
	"parley/internal/chat/prompt"
	"parley/internal/chat/turn"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/library"
	"parley/internal/limit"
	"parley/internal/mail"
	"parley/internal/mail/mailtest"
	"parley/internal/metrics"
	"parley/internal/oidc/oidctest"
	"parley/internal/openaiapi"
	"parley/internal/responses"
	"parley/internal/store"
	"parley/internal/store/storetest"
	"parley/internal/usage"
	"parley/internal/websearch"
)

// world is a whole server on a real database and a scripted model, with helpers for tests. Settings must be changed
// before start.
type world struct {
	*testing.T
	DatabaseURL    string
	FilesURL       string // empty is a folder
	Dir            string
	RequestTimeout time.Duration
	TokenTTL       time.Duration
	Settings       parley.Settings    // those that can be changed, at the start
	Fixed          []string           // those of Settings that can't
	SignOn         *oidctest.Provider // nil is none
	SignOnTimeout  time.Duration      // zero is the default
	LinkByEmail    bool
	PublicURL      string
	Price          parley.Price // of all models
	MaxUpload      int64
	MaxImport      int64
	UserStorage    int64
	ContextTokens  int
	CORSOrigins    []string
	Proxies        []netip.Prefix
	UserRate       api.Rate
	AddressRate    api.Rate
	Limiter        *limit.Fair[int64]
	LoginRate      api.Rate
	RegisterRate   api.Rate
	ResetRate      api.Rate
	AdminTOTP      bool
	Bodies         *limit.ByteShares[int64]
	Responses      *limit.ByteShares[int64]
	Generations    *limit.ByteShares[int64]
	UserRequests   int
	Search         websearch.Engine
	Builtin        bool
	Pictures       bool          // all models but the basic one see pictures
	Titles         bool          // the model makes titles
	Lease          time.Duration // zero is the default
	Drain          time.Duration // how long replies may continue when the server stops
	Heartbeat      time.Duration
	KeyLease       time.Duration // of OpenAI's API; zero is the default
	MaxWrite       time.Duration
	// BeginCall begins calls of OpenAI's API. If it is nil, the usage does.
	BeginCall  openaiapi.Begin
	counted    *usageLog // by countCalls
	SendBuffer int       // of each connection, in bytes; 0 is the system's
	// Mails receives the mails of the server; nil sends none.
	Mails *mailtest.Server
	// Recognize reads scans; nil reads none.
	Recognize func(ctx context.Context, userID int64, picture []byte) (string, error)

	// Claim is the code for the first administrator.
	Claim string

	Model *aitest.Server
	Log   *logBook
	clock *clock

	config  api.Config
	handler *api.API
	URL     string
	http    *http.Client // checks every response against the document
	// domain is the domain of the users' addresses.
	domain string
	stop   func()
	// sweep deletes the sessions whose time has come.
	sweep func(context.Context) error
	// pause stops the HTTP server and the renewal of its lease, but not its turns, as if its process were paused
	// or gone.
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
	// The testing package keeps what cleanups refer to until the last parallel test has ended: all servers at once.
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

// shared runs parts in one world on each database, one after the other: starting a
// server costs more than most of them. Each has its own users.
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
			Cache: "../../.cache/pdf", // to compile the PDF engine takes seconds, with the race detector a minute
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
	blobs, err := blob.Open(w.Context(), filepath.Join(w.Dir, "files"), w.FilesURL)
	w.must(err)
	books := library.New(library.Config{
		Store: database, Blobs: blobs, Log: log, Reader: w.inline(),
		MaxUpload: w.MaxUpload, UserStorage: w.UserStorage, Now: w.clock.now,
		Recognize: w.Recognize, ScanPages: 10,
	})
	live := admin.NewSettings(admin.SettingsConfig{
		Store: database, Log: log, Given: w.Settings, Fixed: w.Fixed, Now: w.clock.now,
	})
	w.must(live.Load(w.Context()))
	counters := metrics.New()
	database.Measure(counters)
	models := w.models()
	prompts := prompt.New(prompt.Config{
		Store: database, Library: books, Metrics: counters, Models: models, Search: w.Search,
		Settings: live.Current, RequestTimeout: w.RequestTimeout, Now: w.clock.now,
	})
	counted := w.usage(database, models, live.Current)
	titler := w.titler(chat.TitlerConfig{
		Store: database, Log: log, HasTokens: counted.HasTokens, Metrics: counters, Now: w.clock.now,
	}, models)
	turns := turn.New(turn.Config{
		Store: database, Log: log, Prepare: prompts.Prepare, Limiter: w.Limiter, Metrics: counters, Lease: w.Lease,
		QuotesTimeout: time.Minute, Finished: titler.Finished, Now: w.clock.now,
	})
	talk := chat.New(chat.Config{
		Store: database, Library: books, Turns: turns, Models: models, WebSearch: w.Search != nil,
		Settings: live.Current, Now: w.clock.now,
	})
	exports := export.New(export.Config{Chat: talk, Store: database, Library: books, Now: w.clock.now})
	imports := importer.New(importer.Config{
		Store: database, Blobs: blobs, Library: books, Log: log, Reader: w.inline(), Owner: turns.Owner(),
		Models: modelNames, MaxSize: w.MaxImport, Now: w.clock.now,
	})
	sweeper := chat.NewSweeper(chat.SweeperConfig{
		Store: database, Library: books, Turns: turns, Log: log, Settings: live.Current, Now: w.clock.now,
	})
	w.sweep = sweeper.Sweep
	ctx, cancel := context.WithCancel(context.Background())
	mails := w.mailQueue(log)
	people := account.New(account.Config{
		Store: database, Log: log, Audit: log, TokenTTL: w.TokenTTL, Settings: live.Current,
		SignOn: w.signOn(), LinkByEmail: w.LinkByEmail,
		HashMemory: 64, Now: w.clock.now, // most tests register users
		Mail: mails, PublicURL: "https://chat.example.com",
	})
	openAI := openaiapi.Config{
		Chat: talk, Models: models, Metrics: counters, Log: log, Now: w.clock.now,
		Responses: responses.New(responses.Config{Store: database, Log: log, Now: w.clock.now, KeyLease: w.KeyLease}),
		Heartbeat: w.Heartbeat, Memory: w.Generations, Begin: counted.Begin,
		Instructions: func() string { return live.Current().Instructions },
	}
	if w.BeginCall != nil {
		openAI.Begin = w.BeginCall
	}
	calls := openaiapi.New(openAI)
	w.config = api.Config{
		OpenAI: calls, Accounts: people, Chat: talk, Export: exports, Turns: turns, Library: books, Imports: imports,
		Usage: counted, Settings: live, Metrics: counters, Log: log,
		Overview:       w.overview(database, turns.Owner(), live, counters),
		RequestTimeout: w.RequestTimeout, MaxUpload: w.MaxUpload,
		CORSOrigins: w.CORSOrigins, TrustedProxies: w.Proxies, PublicURL: w.PublicURL,
		UserRate: w.UserRate, AddressRate: w.AddressRate, LoginRate: w.LoginRate, RegisterRate: w.RegisterRate,
		ResetRate: w.ResetRate, AdminTOTP: w.AdminTOTP, Now: w.clock.now,
		Limiter: w.Limiter, Bodies: w.Bodies, Responses: w.Responses, UserRequests: w.UserRequests,
		Ready: database.Ping, Stopping: ctx, Heartbeat: w.Heartbeat, MaxWrite: w.MaxWrite,
	}
	if w.SignOn != nil {
		w.config.SignOnName = "Example Company"
	}
	handler := api.New(w.config)
	w.handler = handler
	w.must(turns.AcquireLease(w.Context()))
	offer, err := people.OfferClaim(w.Context(), turns.Owner())
	w.must(err)
	w.Claim = offer.Code
	server := w.serve(handler)
	w.URL = server.URL

	var background sync.WaitGroup
	background.Go(func() { turns.Run(ctx) })
	background.Go(func() { books.Run(ctx) })
	background.Go(func() { imports.Run(ctx) })
	background.Go(func() { titler.Run(ctx) })
	background.Go(func() { mails.Run(ctx) })
	background.Go(func() { database.Indexer(books.Documents(), log).Run(ctx) })
	listener := database.Listener(log, func(signal store.Signal) {
		turns.HandleSignal(signal)
		people.HandleSignal(ctx, signal)
		live.HandleSignal(ctx, signal)
	})
	background.Go(func() { listener.Run(ctx) })
	w.pause = sync.OnceFunc(func() {
		cancel()
		server.Close()
		background.Wait()
	})
	w.stop = sync.OnceFunc(func() {
		var ending sync.WaitGroup
		ending.Go(func() { w.drain(calls.Drain) }) // a call with a key goes on without its client, and holds the server
		w.pause()
		w.drain(turns.Drain)
		ending.Wait()
		calls.Wait()
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

// drain calls what waits for open work, for as long as the world allows.
func (w *world) drain(wait func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), w.Drain)
	defer cancel()
	wait(ctx)
}

// mailQueue returns what sends mail, or nil.
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

// modelNames are the names of a world's models.
var modelNames = []string{"default", parley.ModelBasic, parley.ModelEnhanced}

func (w *world) models() ai.Offers {
	var models ai.Offers
	for _, name := range modelNames {
		models = append(models, ai.Offer{
			Name: name, Model: w.model(name), ContextTokens: w.ContextTokens,
			DeepThinking: name == parley.ModelEnhanced, Price: w.Price, Images: w.sees(name),
		})
	}
	return models
}

// usage returns what counts calls of models.
func (w *world) usage(
	database *store.Store, models ai.Offers, current func() parley.Settings,
) *usage.Service {
	var counted []usage.Model
	for _, m := range models {
		counted = append(counted, usage.Model{Name: m.Name, Price: m.Price, Tokens: m.ReplyLimit()})
	}
	return usage.New(usage.Config{Store: database, Models: counted, Settings: current, Now: w.clock.now})
}

// titler returns what makes titles, or nil if no model does.
func (w *world) titler(config chat.TitlerConfig, models ai.Offers) *chat.Titler {
	if !w.Titles {
		return nil
	}
	config.Model, _ = models.ForTitles()
	return chat.NewTitler(config)
}

// model returns the model of a name.
func (w *world) model(name string) ai.Model {
	if w.Builtin {
		return builtin.New()
	}
	model, err := openai.New(openai.Config{
		BaseURL: w.Model.URL, Model: "upstream " + name,
		RetryDelay: 10 * time.Millisecond, Images: w.sees(name),
		IdleTimeout: time.Hour, // a busy machine may take its time between two steps of a test
	})
	w.must(err)
	return model
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

// guest returns a client that is not logged in.
func (w *world) guest() *client.Client { return client.New(w.URL, client.WithHTTPClient(w.http)) }

// address returns the e-mail address of a user.
func (w *world) address(name string) string { return name + "@" + w.domain }

// overview returns what tells the state of the server. One of its two models can't be reached.
func (w *world) overview(
	database *store.Store, owner string, live *admin.Settings, counters *metrics.Metrics,
) *admin.Overview {
	down := &admin.Server{Check: func(context.Context) string { return parley.ReasonKey }}
	return admin.NewOverview(admin.OverviewConfig{
		Store: database, Log: slog.New(slog.NewTextHandler(w.Log, nil)), Version: "test", Owner: owner,
		Registration: func() bool { return live.Current().Registration },
		Sharing:      func() bool { return live.Current().Sharing },
		FilesKind:    parley.FilesFolder, Free: func() (int64, error) { return 1 << 30, nil },
		Models: []admin.Model{
			{Name: "default", Model: "built-in"},
			{Name: parley.ModelBasic, Model: "small", Servers: []*admin.Server{down}},
		},
		OCR:    parley.OCRState{Languages: []string{}},
		Errors: func() []parley.ErrorCount { return counters.RecentErrors(time.Now()) },
		Now:    time.Now,
	})
}

// user registers the address of a name and returns a client with its token.
func (w *world) user(name string) *client.Client {
	w.Helper()
	c := w.guest()
	_, err := c.Register(w.Context(), parley.RegisterInput{Email: w.address(name), Password: "password of " + name})
	w.must(err)
	return c
}

// admin registers an administrator.
func (w *world) admin(name string) *client.Client {
	w.Helper()
	c := w.user(name)
	w.must(w.config.Accounts.Promote(w.Context(), account.Shell(), w.id(c)))
	return c
}

// id returns the id of a user.
func (w *world) id(c *client.Client) int64 {
	w.Helper()
	info, err := c.User(w.Context())
	w.must(err)
	return info.UserID
}

// session creates a session and returns its id.
func (w *world) session(c *client.Client, title string) string {
	w.Helper()
	out, err := c.CreateSession(w.Context(), parley.CreateSessionInput{Title: title})
	w.must(err)
	return out.SessionID
}

// say sends a message and returns the reply.
func (w *world) say(c *client.Client, sessionID, content string) parley.SendOutput {
	w.Helper()
	out, err := c.Send(w.Context(), parley.SendInput{SessionID: sessionID, Content: content})
	w.must(err)
	return out
}

// messages reads the first 200 messages of a session.
func (w *world) messages(c *client.Client, sessionID string) []parley.Message {
	w.Helper()
	out, err := c.Messages(w.Context(), sessionID, parley.Page{Number: 1, Size: 200})
	w.must(err)
	return out.Messages
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

// clock is the server's clock. A test can move it forward and freeze it.
type clock struct {
	mu     sync.Mutex
	ahead  time.Duration
	frozen time.Time // zero if it runs
}

// freeze stops the clock, so that only forward moves it.
func (c *clock) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = time.Now()
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.frozen.IsZero() {
		return c.frozen.Add(c.ahead)
	}
	return time.Now().Add(c.ahead)
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// logBook keeps what the server logs.
type logBook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var _ io.Writer = (*logBook)(nil)
