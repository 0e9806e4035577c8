package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/config"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "hush-hush-hush-hush"

// unset are the settings of a server that names no service. It asks no Ollama of the machine.
func unset(t *testing.T, secret string) *config.Settings {
	return &config.Settings{
		HTTP:  config.HTTP{RequestTimeout: 10 * time.Second},
		Store: config.Store{Data: t.TempDir(), SecretKey: config.Secret(secret), DatabaseURL: "postgres://x"},
		AI:    config.AI{DefaultName: "default", Default: config.Upstream{Model: "of no Ollama"}},
	}
}

// open returns the connections of a server.
func open(t *testing.T, database *store.Store, settings *config.Settings) *Connections {
	t.Helper()
	c := New(t.Context(), settings, database, slog.New(slog.DiscardHandler))
	must(t, c.Load(t.Context()))
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// server serves a list of models and a reply, to those who have the key.
func server(t *testing.T, key string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case key != "" && r.Header.Get("Authorization") != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"no such key"}}`)
		case strings.HasSuffix(r.URL.Path, "/models"):
			fmt.Fprint(w, `{"data":[{"id":"small"},{"id":"large"},{"id":"small"},{"id":""}]}`)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\ndata: [DONE]\n\n")
		case strings.HasSuffix(r.URL.Path, "/embeddings"):
			fmt.Fprint(w, `{"data":[{"embedding":[1,0,0]}]}`)
		case strings.HasSuffix(r.URL.Path, "/search"):
			fmt.Fprint(w, `{"results":[{"title":"T","url":"https://example.com/","content":"Text"}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// find returns a model of the list.
func find(t *testing.T, c *Connections, name string) parley.ModelConnection {
	t.Helper()
	list, err := c.ListModels(t.Context())
	must(t, err)
	for _, m := range list.Models {
		if m.Name == name {
			return m
		}
	}
	return parley.ModelConnection{}
}

func TestAModelIsConnectedEverywhere(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		database := storetest.Open(t, t.TempDir(), url)
		here, there := open(t, database, unset(t, secret)), open(t, database, unset(t, secret))
		if m := find(t, here, "default"); !m.Builtin || m.From != "default" || !here.Models()[0].Builtin {
			t.Fatalf("before, the default is %+v", m)
		}
		address := server(t, "hush") + "/v1"
		changed, err := here.ConnectModel(t.Context(), "default",
			parley.ModelInput{BaseURL: address, APIKey: new("hush"), Model: "large", Images: true, Description: "The one."})
		must(t, err)
		_, err = here.ConnectModel(t.Context(), "Spare", parley.ModelInput{BaseURL: address, Model: "small"})
		must(t, err)
		must(t, there.Load(t.Context()))
		for _, c := range []*Connections{here, there, open(t, database, unset(t, secret))} {
			m, spare := find(t, c, "default"), find(t, c, "Spare")
			if m.From != "database" || !m.HasKey || m.KeyLost || m.BaseURL != address || m.Model != "large" || !m.Images {
				t.Errorf("the default is %+v", m)
			}
			if spare.From != "database" || !spare.HasKey { // that of the default, which is on the same host
				t.Errorf("the spare one is %+v", spare)
			}
			basic := find(t, c, "basic")
			if basic.From != "default" || basic.Model != "large" || basic.Description != "The one." {
				t.Errorf("the basic one does not follow: %+v", basic)
			}
			if models := c.Models(); len(models) != 4 || models[0].Builtin || models[3].Name != "Spare" || !c.SeesPictures() {
				t.Errorf("on offer are %+v", models)
			}
		}
		stored, err := database.Connections(t.Context())
		must(t, err)
		if text := fmt.Sprint(stored); !changed || len(stored) != 2 || strings.Contains(text, "hush") {
			t.Errorf("stored are %s", text)
		}
		again, err := here.ConnectModel(t.Context(), "Spare", parley.ModelInput{BaseURL: address, Model: "small"})
		if err != nil || again {
			t.Errorf("the same again: %t, %v", again, err)
		}
		_, err = here.DisconnectModel(t.Context(), "default")
		must(t, err)
		if m := find(t, there, "default"); !m.Builtin || m.From != "default" || m.HasKey {
			t.Errorf("disconnected, it is %+v", m)
		}
	})
}

func TestAStoredKeyStaysWithItsHost(t *testing.T) {
	database := storetest.Open(t, t.TempDir(), "")
	c := open(t, database, unset(t, ""))
	good, other := server(t, "hush"), server(t, "")
	in := parley.ModelInput{BaseURL: good + "/v1", APIKey: new("hush"), Model: "large"}
	_, err := c.ConnectModel(t.Context(), "default", in)
	must(t, err)
	in.APIKey, in.Model = nil, "small"
	_, err = c.ConnectModel(t.Context(), "default", in)
	must(t, err)
	if m := find(t, c, "default"); !m.HasKey || m.Model != "small" {
		t.Errorf("without a key given, the model is %+v", m)
	}
	tried, err := c.TryModel(t.Context(), parley.ModelTestInput{Name: "default", BaseURL: good + "/v1", Model: "small"})
	if err != nil || !tried.Reachable {
		t.Errorf("with the stored key: %+v, %v", tried, err)
	}
	_, err = c.ConnectModel(t.Context(), "enhanced", parley.ModelInput{BaseURL: good + "/v1", Model: "large"})
	must(t, err)
	if m := find(t, c, "enhanced"); !m.HasKey {
		t.Errorf("another model on the same host has no key: %+v", m)
	}
	_, err = c.DisconnectModel(t.Context(), "enhanced")
	must(t, err)
	in.BaseURL = other + "/v1"
	if _, err := c.ConnectModel(t.Context(), "default", in); !errors.Is(err, parley.ErrInvalid) {
		t.Errorf("the key would go to another host: %v", err)
	}
	_, err = c.TryModel(t.Context(), parley.ModelTestInput{Name: "default", BaseURL: other, Model: "small"})
	if !errors.Is(err, parley.ErrInvalid) {
		t.Errorf("the key would be tried at another host: %v", err)
	}
	// Neither does it go there if somebody changes the row.
	stored, err := database.Connections(t.Context())
	must(t, err)
	moved := strings.ReplaceAll(stored[0].Text, good, other)
	_, err = database.ChangeSettings(t.Context(), []store.SettingChange{{Name: stored[0].Name, Text: &moved}})
	must(t, err)
	if m := find(t, c, "default"); m.HasKey || !m.KeyLost {
		t.Errorf("with another address, the model is %+v", m)
	}
	in.APIKey = new("")
	_, err = c.ConnectModel(t.Context(), "default", in)
	must(t, err)
	if m := find(t, c, "default"); m.HasKey || m.KeyLost {
		t.Errorf("without its key, the model is %+v", m)
	}
}

func TestAKeyOfAnotherSecretIsAskedForAgain(t *testing.T) {
	database := storetest.Open(t, t.TempDir(), "")
	here, there := open(t, database, unset(t, secret)), open(t, database, unset(t, ""))
	in := parley.SearchServiceInput{Provider: "brave", APIKey: new("hush")}
	_, err := here.ConnectSearch(t.Context(), in)
	must(t, err)
	if here.Search() == nil {
		t.Error("there is no search")
	}
	shown, err := there.SearchService(t.Context())
	must(t, err)
	if there.Search() != nil || shown.Provider != "brave" || !shown.KeyLost || shown.HasKey || shown.From != "database" {
		t.Errorf("with another secret, the service is %+v", shown)
	}
	in.APIKey = nil
	if _, err := there.ConnectSearch(t.Context(), in); !errors.Is(err, parley.ErrInvalid) {
		t.Errorf("the lost key is not asked for: %v", err)
	}
	in.APIKey = new("hush")
	_, err = there.ConnectSearch(t.Context(), in)
	must(t, err)
	if shown, err = there.SearchService(t.Context()); err != nil || shown.KeyLost || !shown.HasKey {
		t.Errorf("with the key again, the service is %+v, %v", shown, err)
	}
	list, err := there.ListModels(t.Context())
	if err != nil || list.KeysShared {
		t.Errorf("keys of a file are told to be shared: %v", err)
	}
}

func TestWhatTheConfigurationSetsIsFixed(t *testing.T) {
	database := storetest.Open(t, t.TempDir(), "")
	address := config.Address(server(t, "") + "/v1")
	in := parley.ModelInput{BaseURL: string(address), Model: "large"}
	_, err := open(t, database, unset(t, secret)).ConnectModel(t.Context(), "default", in)
	must(t, err)
	settings := unset(t, secret)
	given := config.Upstream{BaseURL: address, Model: "small", Thinking: "auto", ContextTokens: 1000}
	settings.AI.Default, settings.AI.Basic, settings.AI.Enhanced = given, given, given
	settings.AI.Fixed = map[string]string{"default": "PARLEY_AI_BASE_URL"}
	settings.Search = config.Search{Provider: "searxng", URL: address, FixedBy: "PARLEY_SEARCH_PROVIDER"}
	settings.Embed = config.Embed{BaseURL: address, Model: "vectors", FixedBy: "PARLEY_EMBED_BASE_URL"}
	c := open(t, database, settings)
	if m := find(t, c, "default"); m.From != "configuration" || m.FixedBy != "PARLEY_AI_BASE_URL" || m.Model != "small" {
		t.Errorf("the default is %+v", m)
	}
	_, model := c.ConnectModel(t.Context(), "default", in)
	_, gone := c.DisconnectModel(t.Context(), "default")
	_, search := c.ConnectSearch(t.Context(), parley.SearchServiceInput{Provider: "brave", APIKey: new("hush")})
	_, vectors := c.ConnectEmbeddings(t.Context(), parley.EmbeddingsInput{BaseURL: string(address), Model: "other"})
	for _, err := range []error{model, gone, search, vectors} {
		if !errors.Is(err, parley.ErrInvalid) || !strings.Contains(err.Error(), "PARLEY_") {
			t.Errorf("got %v", err)
		}
	}
	_, err = c.ConnectModel(t.Context(), "basic", in)
	must(t, err)
	if m := c.Models()[1]; find(t, c, "basic").Model != "large" || m.Name != parley.ModelBasic {
		t.Errorf("the basic one is %+v", m)
	}
}

func TestBadConnectionsChangeNothing(t *testing.T) {
	database := storetest.Open(t, t.TempDir(), "")
	c := open(t, database, unset(t, secret))
	good := parley.ModelInput{BaseURL: "http://127.0.0.1:1/v1", Model: "m"}
	for name, change := range map[string]func(in *parley.ModelInput) (model string){
		"no address":    func(in *parley.ModelInput) string { in.BaseURL = "localhost:11434"; return "default" },
		"a file":        func(in *parley.ModelInput) string { in.BaseURL = "file:///etc/passwd"; return "default" },
		"a password":    func(in *parley.ModelInput) string { in.BaseURL = "http://u:hush@host/v1"; return "default" },
		"a query":       func(in *parley.ModelInput) string { in.BaseURL = "http://host/v1?key=hush"; return "default" },
		"built in":      func(in *parley.ModelInput) string { in.BaseURL = "builtin"; return "default" },
		"a broken key":  func(in *parley.ModelInput) string { in.APIKey = new("a\r\nb"); return "default" },
		"no model":      func(in *parley.ModelInput) string { in.Model = " "; return "default" },
		"a line":        func(in *parley.ModelInput) string { in.Description = "a\nb"; return "default" },
		"thinking":      func(in *parley.ModelInput) string { in.Thinking = "hard"; return "default" },
		"little":        func(in *parley.ModelInput) string { in.ContextTokens = 3; return "default" },
		"a taken name":  func(*parley.ModelInput) string { return parley.ModelBasic },
		"the default's": func(*parley.ModelInput) string { return "defaults" },
		"a slash":       func(*parley.ModelInput) string { return "a/b" },
		"a space":       func(*parley.ModelInput) string { return " a" },
	} {
		in := good
		model := change(&in)
		if _, err := c.ConnectModel(t.Context(), model, in); !errors.Is(err, parley.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "a\x00b", strings.Repeat("a", 201)} {
		if _, err := c.DisconnectModel(t.Context(), name); !errors.Is(err, parley.ErrInvalid) {
			t.Errorf("the model %.10q is removed: %v", name, err)
		}
	}
	for name, in := range map[string]parley.SearchServiceInput{
		"no address": {Provider: "searxng"}, "no key": {Provider: "brave"},
		"a bad address": {Provider: "searxng", URL: "ftp://host"},
	} {
		if _, err := c.ConnectSearch(t.Context(), in); !errors.Is(err, parley.ErrInvalid) {
			t.Errorf("search, %s: %v", name, err)
		}
	}
	if stored, err := database.Connections(t.Context()); err != nil || len(stored) > 0 {
		t.Errorf("stored are %v, %v", stored, err)
	}
	for i := range maxAdded {
		_, err := c.ConnectModel(t.Context(), fmt.Sprintf("model %d", i), parley.ModelInput{
			BaseURL: "http://127.0.0.1:1/v1", Model: "m", ContextTokens: 1000,
		})
		must(t, err)
	}
	if _, err := c.ConnectModel(t.Context(), "one more", good); !errors.Is(err, parley.ErrInvalid) {
		t.Errorf("one more: %v", err)
	}
}

func TestATryTellsTheReason(t *testing.T) {
	c := open(t, storetest.Open(t, t.TempDir(), ""), unset(t, secret))
	address := server(t, "hush")
	model := func(base, key, model string) parley.ModelTestOutput {
		out, err := c.TryModel(t.Context(), parley.ModelTestInput{BaseURL: base, APIKey: &key, Model: model})
		must(t, err)
		return out
	}
	if got := model(address+"/v1", "hush", "large"); !got.Reachable || got.FirstWord != "Hello" ||
		fmt.Sprint(got.Models) != "[large small]" {
		t.Errorf("a good one: %+v", got)
	}
	if got := model(address+"/v1", "hush", ""); !got.Reachable || len(got.Models) != 2 || got.FirstWord != "" {
		t.Errorf("the list alone: %+v", got)
	}
	if got := model(address+"/v1", "wrong", "large"); got.Reachable || got.Reason != parley.ReasonKey ||
		!strings.Contains(got.Detail, "check the API key") || strings.Contains(got.Detail, "wrong") {
		t.Errorf("a wrong key: %+v", got)
	}
	if got := model("http://127.0.0.1:1/v1", "", "large"); got.Reachable || got.Reason != parley.ReasonUnreachable {
		t.Errorf("nobody there: %+v", got)
	}
	search, err := c.TrySearch(t.Context(), parley.SearchServiceInput{Provider: "searxng", URL: server(t, "")})
	if err != nil || !search.Reachable || search.Results != 1 {
		t.Errorf("the search: %+v, %v", search, err)
	}
	vectors, err := c.TryEmbeddings(t.Context(),
		parley.EmbeddingsInput{BaseURL: address + "/v1", APIKey: new("hush"), Model: "m"})
	if err != nil || !vectors.Reachable || vectors.Dimension != 3 {
		t.Errorf("the embeddings: %+v, %v", vectors, err)
	}
	for key, want := range map[string]string{"wrong": parley.ReasonKey} {
		in := parley.EmbeddingsInput{BaseURL: address + "/v1", APIKey: &key, Model: "m"}
		if got, err := c.TryEmbeddings(t.Context(), in); err != nil || got.Reason != want {
			t.Errorf("the embeddings with the key %q: %+v, %v", key, got, err)
		}
	}
}

func TestEmbeddingsAreConnected(t *testing.T) {
	database := storetest.Open(t, t.TempDir(), "")
	c := open(t, database, unset(t, secret))
	if c.Embeddings() != nil {
		t.Error("there are embeddings already")
	}
	_, err := c.ConnectEmbeddings(t.Context(), parley.EmbeddingsInput{BaseURL: server(t, ""), Model: "vectors"})
	must(t, err)
	client := c.Embeddings()
	shown, err := c.EmbeddingsServer(t.Context())
	if err != nil || client == nil || client.Model() != "vectors" || shown.Model != "vectors" || shown.From != "database" {
		t.Fatalf("the server is %+v, %v", shown, err)
	}
	_, err = c.ConnectSearch(t.Context(), parley.SearchServiceInput{Provider: "searxng", URL: server(t, "")})
	must(t, err)
	if c.Embeddings() != client {
		t.Error("another change makes another client")
	}
	_, err = c.DisconnectEmbeddings(t.Context())
	must(t, err)
	_, err = c.DisconnectSearch(t.Context())
	if err != nil || c.Embeddings() != nil || c.Search() != nil {
		t.Errorf("something is left: %v", err)
	}
}

// TestAConnectionIsTakenUpWithoutASignal stores a connection without telling the server.
func TestAConnectionIsTakenUpWithoutASignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		database := storetest.Open(t, t.TempDir(), "")
		c := open(t, database, unset(t, secret))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Run(ctx)
		}()
		text, err := json.Marshal(record{Provider: "searxng", Address: "http://127.0.0.1:1"})
		must(t, err)
		_, err = database.ChangeSettings(ctx, []store.SettingChange{
			{Name: searchName, Text: new(string(text))}, {Name: modelPrefix + "of a later release", Text: new("{")},
		})
		must(t, err)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if c.Search() == nil {
			t.Error("it is not taken up within 2 s")
		}
		cancel()
		<-ended
	})
}

func TestTheSecretIsForItsOwnerOnly(t *testing.T) {
	folder := t.TempDir()
	k := newKeyring("", folder)
	if _, err := k.open("AAAA", "purpose"); !errors.Is(err, errKeyLost) {
		t.Errorf("without a file: %v", err)
	}
	sealed, err := k.seal("hush", "purpose")
	must(t, err)
	info, err := os.Stat(filepath.Join(folder, keyFile))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v", info.Mode())
	}
	if got, err := newKeyring("", folder).open(sealed, "purpose"); got != "hush" || err != nil {
		t.Errorf("after a restart: %q, %v", got, err)
	}
	for name, other := range map[string]*keyring{
		"another secret": newKeyring(secret, folder), "another folder": newKeyring("", t.TempDir()),
	} {
		if got, err := other.open(sealed, "purpose"); !errors.Is(err, errKeyLost) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := k.open(sealed, "another purpose"); !errors.Is(err, errKeyLost) {
		t.Errorf("another purpose: %q, %v", got, err)
	}
	again, err := k.seal("hush", "purpose")
	if err != nil || again == sealed {
		t.Errorf("the same key is the same text twice: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(folder, keyFile), nil, 0o600))
	if _, err := newKeyring("", folder).seal("hush", "purpose"); err == nil {
		t.Error("an empty file is taken for a secret")
	}
}
