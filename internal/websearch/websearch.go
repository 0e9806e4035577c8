// Package websearch searches the web through a search service. Each service has a file.
//
// Requests go only to the configured service, never to the URL of a result, and redirects to other hosts are
// not followed.
package websearch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Limits of the results of Search. Lengths are in characters.
const (
	MaxResults = 6
	MaxTitle   = 200
	MaxText    = 1500
)

// DefaultTimeout limits a search if Config has no timeout.
const DefaultTimeout = 3 * time.Second

// Engine searches the web.
type Engine interface {
	// Search returns at most MaxResults results, the best first. Having no results is not an error. A long
	// query is truncated. The error is short, meant for logs, and holds neither the key nor the query.
	Search(ctx context.Context, query string) ([]Result, error)
}

// Result is a web page. Title and Text are plain text. The scheme of URL is http or https.
type Result struct {
	Title string
	URL   string
	Text  string
}

// Config describes a search service.
type Config struct {
	// Provider is searxng, tavily, brave or bocha.
	Provider string
	// URL is the base URL of the service. All but searxng have a default.
	URL string
	// APIKey is required by all but searxng, which has none.
	APIKey string
	// Timeout limits a search. Zero means DefaultTimeout.
	Timeout time.Duration
}

// service describes a search service.
type service struct {
	name     string
	base     string // default base URL
	path     string
	needsKey bool
	engine   func(*client) Engine
}

var services = map[string]service{
	"searxng": {name: "SearXNG", path: "/search", engine: newSearXNG},
	"tavily": {
		name: "Tavily", base: "https://api.tavily.com", path: "/search",
		needsKey: true, engine: newTavily,
	},
	"brave": {
		name: "Brave Search", base: "https://api.search.brave.com", path: "/res/v1/web/search",
		needsKey: true, engine: newBrave,
	},
	"bocha": {
		name: "Bocha", base: "https://api.bochaai.com", path: "/v1/web-search",
		needsKey: true, engine: newBocha,
	},
}

// New returns an engine for the configured service. It sends nothing.
func New(c Config) (Engine, error) {
	s, ok := services[c.Provider]
	if !ok {
		return nil, fmt.Errorf("web search: unknown provider %q: use searxng, tavily, brave or bocha", c.Provider)
	}
	endpoint, err := s.endpoint(c.URL)
	if err != nil {
		return nil, fmt.Errorf("web search: %w", err)
	}
	key := strings.TrimSpace(c.APIKey)
	switch {
	case s.needsKey && key == "":
		return nil, fmt.Errorf("web search: %s needs an API key", s.name)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("web search: the API key holds a character that no key has")
	case c.Timeout < 0:
		return nil, errors.New("web search: the time limit is below zero")
	case c.Timeout == 0:
		c.Timeout = DefaultTimeout
	}
	return s.engine(newClient(s.name, endpoint, key, c.Timeout)), nil
}

// endpoint returns the URL of the service's API. base may include the service's path.
func (s service) endpoint(base string) (*url.URL, error) {
	if base == "" {
		base = s.base
	}
	if base == "" {
		return nil, fmt.Errorf("%s needs a URL, such as http://127.0.0.1:8888", s.name)
	}
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, fmt.Errorf("the URL of %s must be an http or https address", s.name)
	}
	u.Fragment = ""
	u.Path = strings.TrimRight(u.Path, "/")
	if !strings.HasSuffix(u.Path, s.path) {
		u.Path += s.path
	}
	u.RawPath = ""
	return u, nil
}
