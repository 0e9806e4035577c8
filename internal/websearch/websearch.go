// Package websearch asks a web-search service: a port, and one file a service.
//
// It talks to the configured service and to nobody else: no request ever goes to an
// address that a result holds, and no redirect leads to another host.
package websearch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Bounds of what Search gives, lengths in characters.
const (
	MaxResults = 6
	MaxTitle   = 200
	MaxText    = 1500
)

// DefaultTimeout bounds a search where Config names no time.
const DefaultTimeout = 3 * time.Second

// Engine searches the web.
type Engine interface {
	// Search returns at most MaxResults results, the best first; none is no error.
	// A long query is cut to what the service takes. The error is short, for logs,
	// and holds neither the key nor the query.
	Search(ctx context.Context, query string) ([]Result, error)
}

// Result is one web page, as plain text of bounded length. URL is http or https.
type Result struct {
	Title string
	URL   string
	Text  string
}

// Config says which service to ask, and how.
type Config struct {
	// Provider is searxng, tavily, brave or bocha.
	Provider string
	// URL is the service's base address. All but searxng have a default.
	URL string
	// APIKey is needed by all but searxng, which has none.
	APIKey string
	// Timeout bounds a search from the first byte to the last; 0 is DefaultTimeout.
	Timeout time.Duration
}

// service is what sets one search service apart before the first request.
type service struct {
	name   string
	base   string
	path   string
	keyed  bool
	engine func(*client) Engine
}

var services = map[string]service{
	"searxng": {name: "SearXNG", path: "/search", engine: newSearXNG},
	"tavily":  {name: "Tavily", base: "https://api.tavily.com", path: "/search", keyed: true, engine: newTavily},
	"brave":   {name: "Brave Search", base: "https://api.search.brave.com", path: "/res/v1/web/search", keyed: true, engine: newBrave},
	"bocha":   {name: "Bocha", base: "https://api.bochaai.com", path: "/v1/web-search", keyed: true, engine: newBocha},
}

// New returns the engine that c describes. It sends nothing.
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
	case s.keyed && key == "":
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

// endpoint is the address that is asked: that of the service at base, which may also
// be given with the service's path already on it.
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
