package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/ai/aitest"
)

// typescript is an empty folder with the packed TypeScript client installed in it.
type typescript struct {
	dir    string
	source string // the folder client-ts
}

// installTypeScript packs the client and installs the package, if the client is built.
func installTypeScript(t *testing.T) typescript {
	t.Helper()
	source, err := filepath.Abs("../../client-ts")
	must(t, err)
	_, err = os.Stat(filepath.Join(source, "dist/index.js"))
	if err == nil {
		_, err = exec.LookPath("npm")
	}
	if err != nil {
		skipUnlessRequired(t, err)
	}
	ts := typescript{dir: t.TempDir(), source: source}
	packed := struct {
		Filename string
		Files    []struct{ Path string }
	}{}
	out := ts.run(t, source, nil, "npm", "pack", "--ignore-scripts", "--json", "--pack-destination", ts.dir)
	must(t, json.Unmarshal([]byte(strings.Trim(strings.TrimSpace(out), "[]")), &packed))
	for _, file := range packed.Files {
		ordinary := strings.HasPrefix(file.Path, "dist/") && !strings.Contains(file.Path, "test")
		if !ordinary && !slices.Contains([]string{"LICENSE", "README.md", "package.json"}, file.Path) {
			t.Errorf("the package has %s", file.Path)
		}
	}
	ts.write(t, "package.json", `{"private": true, "type": "module"}`)
	ts.run(t, ts.dir, nil, "npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund",
		"./"+packed.Filename)
	installed, err := os.ReadDir(filepath.Join(ts.dir, "node_modules"))
	must(t, err)
	for _, entry := range installed {
		if entry.Name() != "@parley" && !strings.HasPrefix(entry.Name(), ".") {
			t.Errorf("the package brings %s along", entry.Name())
		}
	}
	return ts
}

func (ts typescript) write(t *testing.T, name, content string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(ts.dir, name), []byte(content), 0o600))
}

// run runs a program and returns its output.
func (ts typescript) run(t *testing.T, dir string, settings []string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(ts.dir, ".npm"), "NO_COLOR=1")
	cmd.Env = append(cmd.Env, settings...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, problems.String())
	}
	return string(out)
}

// TestThePackedTypeScriptClient installs the package into an empty folder and uses it there.
func TestThePackedTypeScriptClient(t *testing.T) {
	t.Parallel()
	ts := installTypeScript(t)
	t.Run("works in Node", ts.testUse)
	t.Run("has types that fit", ts.testTypes)
	t.Run("does what its README shows", ts.testTour)
}

func (ts typescript) testUse(t *testing.T) {
	t.Parallel()
	model := aitest.New(t)
	wasCut := make(chan struct{})
	model.Respond(func(r aitest.Request) []aitest.Step {
		switch r.Question() {
		case "endless":
			return []aitest.Step{aitest.Text("and so on "), aitest.Hang()}
		case "in two pieces":
			return append([]aitest.Step{aitest.Text("before the cut "), aitest.Wait(wasCut)}, aitest.Say("and after it")...)
		default:
			return aitest.Echo(r)
		}
	})
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=scripted",
		"PARLEY_AI_THINKING=openai", "PARLEY_REQUEST_TIMEOUT=1m", "PARLEY_MAX_UPLOAD=2MiB")
	proxy := cutProxy(t, p.url, wasCut)

	script, err := os.ReadFile("testdata/typescript/use.mjs")
	must(t, err)
	ts.write(t, "use.mjs", string(script))
	t.Log(ts.run(t, ts.dir, []string{"PARLEY_URL=" + p.url, "PARLEY_CUT_URL=" + proxy.url}, "node", "use.mjs"))

	seen := proxy.requests()
	if len(seen) != 2 || seen[0].Method != http.MethodPost || seen[1].Method != http.MethodGet {
		t.Fatalf("a stream that was cut off once took the requests %v", seen)
	}
	if id := seen[1].Header.Get("Last-Event-ID"); id == "" {
		t.Error("the second request has no Last-Event-ID")
	}
}

// testTypes compiles a program that uses the package, for browsers and for Node.
func (ts typescript) testTypes(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile("testdata/typescript/use.ts")
	must(t, err)
	ts.write(t, "use.ts", string(program))
	tsc := filepath.Join(ts.source, "node_modules/.bin/tsc")
	strict := []string{"--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022"}
	types := filepath.Join(ts.source, "node_modules/@types")
	for _, platform := range [][]string{
		{"--lib", "es2022,dom", "--typeRoots", t.TempDir(), "--module", "esnext", "--moduleResolution", "bundler"},
		{"--lib", "es2022", "--typeRoots", types, "--types", "node", "--module", "nodenext"},
	} {
		ts.run(t, ts.dir, nil, tsc, slices.Concat(strict, platform, []string{"use.ts"})...)
	}
}

func (ts typescript) testTour(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir())
	_, rest, begins := strings.Cut(repository(t, "client-ts/README.md"), "\n## A tour\n\n```js\n")
	tour, _, ends := strings.Cut(rest, "\n```\n")
	if !begins || !ends {
		t.Fatal("the README has no tour")
	}
	ts.write(t, "tour.mjs", strings.ReplaceAll(tour, "http://127.0.0.1:8080", p.url))
	out := ts.run(t, ts.dir, nil, "node", "tour.mjs")
	for _, expected := range []string{
		"sent: 100 %\n",
		"The last ferry back leaves Capri at 20:10.",
		"user: When does the last ferry leave Capri?\n",
		"2001 the session does not exist\n",
	} {
		if !strings.Contains(out, expected) {
			t.Errorf("the tour does not show %q:\n%s", expected, out)
		}
	}
}

// cuttingProxy is a proxy that cuts off the first stream after its first piece of text.
type cuttingProxy struct {
	url string

	mu   sync.Mutex
	seen []*http.Request
}

func cutProxy(t *testing.T, target string, wasCut chan<- struct{}) *cuttingProxy {
	t.Helper()
	address, err := url.Parse(target)
	must(t, err)
	p := &cuttingProxy{}
	reverse := &httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.seen = append(p.seen, r.In)
			r.SetURL(address)
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodPost {
				r.Body = &cutReader{ReadCloser: r.Body, wasCut: wasCut}
			}
			return nil
		},
	}
	server := httptest.NewServer(reverse)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *cuttingProxy) requests() []*http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

// cutReader fails after the first delta event.
type cutReader struct {
	io.ReadCloser
	wasCut chan<- struct{}
	read   []byte
}

func (r *cutReader) Read(p []byte) (int, error) {
	if _, delta, found := bytes.Cut(r.read, []byte("event: delta")); found && bytes.Contains(delta, []byte("\n\n")) {
		close(r.wasCut)
		return 0, io.ErrUnexpectedEOF
	}
	n, err := r.ReadCloser.Read(p)
	r.read = append(r.read, p[:n]...)
	return n, err
}
