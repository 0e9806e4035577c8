package main_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

const filler = "<p>The harbour was built in the last century and has three piers, a crane and a small chapel.</p>"

// smallWeb serves pages with facts that no snippet contains. It counts the calls.
func smallWeb(t *testing.T) (address string, calls *atomic.Int32) {
	t.Helper()
	calls = new(atomic.Int32)
	mux := http.NewServeMux()
	page := func(contentType, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, text)
		}
	}
	mux.HandleFunc("/fact", page("text/html; charset=utf-8",
		"<nav><a href=/>MENU-WORD</a></nav>"+filler+"<p>The ferry to Procida leaves at 6:47.</p>"))
	mux.HandleFunc("/chinese", page("text/html; charset=gb18030", "<p>\xb6\xc9\xb4\xac</p>"+filler))
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://[::1]:1/secret", http.StatusFound)
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for {
			if _, err := io.WriteString(w, strings.Repeat("<p>Endless words about piers.", 1000)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, strings.Repeat(" ", 64<<20))
		_ = z.Close()
	})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL, calls
}

// searchOf starts a search service that finds the given pages.
func searchOf(t *testing.T, web string, paths ...string) string {
	t.Helper()
	var results []map[string]string
	for _, path := range paths {
		results = append(results, map[string]string{"title": path, "url": web + path, "content": "snippet of " + path})
	}
	search := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"results": results})
	}))
	t.Cleanup(search.Close)
	return search.URL
}

func TestPagesOfASearchAreRead(t *testing.T) {
	t.Parallel()
	paths := []string{"/fact", "/chinese", "/redirect", "/slow", "/endless", "/bomb"}
	for name, test := range map[string]struct {
		setting string
		read    map[string]bool
	}{
		"allowed": {
			"PARLEY_SEARCH_READ_ALLOW=127.0.0.0/8",
			map[string]bool{"/fact": true, "/chinese": true, "/endless": true},
		},
		"default": {"PARLEY_SEARCH_READ_ALLOW=none", map[string]bool{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web, calls := smallWeb(t)
			model := aitest.New(t)
			model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("At 6:47 [1].") })
			p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=m",
				"PARLEY_SEARCH_PROVIDER=searxng", "PARLEY_SEARCH_URL="+searchOf(t, web, paths...),
				"PARLEY_SEARCH_READ=6", "PARLEY_REQUEST_TIMEOUT=45s", test.setting)
			ada := p.user("ada")
			out, err := ada.Send(t.Context(), parley.SendInput{
				SessionID:    session(t, ada),
				Content:      "When does the ferry to Procida leave?",
				ReplyOptions: parley.ReplyOptions{WebSearch: true},
			})
			must(t, err)
			for i, source := range out.AIResponse.Sources {
				if source.Read != test.read[paths[i]] {
					t.Errorf("%s: read is %v", paths[i], source.Read)
				}
			}
			system := model.Last(t).System()
			for text, want := range map[string]bool{
				"leaves at 6:47": len(test.read) > 0, "渡船": len(test.read) > 0, "MENU-WORD": false,
				"snippet of /fact": true, "snippet of /slow": true, "snippet of /redirect": true,
			} {
				if strings.Contains(system, text) != want {
					t.Errorf("%q in the prompt: %v", text, !want)
				}
			}
			if len(test.read) == 0 && calls.Load() != 0 {
				t.Errorf("%d pages were called", calls.Load())
			}
		})
	}
}
