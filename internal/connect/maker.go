package connect

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/builtin"
	"parley/internal/ai/openai"
	"parley/internal/ai/pool"
	"parley/internal/config"
)

// minContext is the smallest context size that Parley believes.
const minContext = 256

// defaultContext is the context size of a model if its server does not report one.
const defaultContext = 32_000

// describeTimeout limits the request for a model's context size.
const describeTimeout = time.Second

// maker makes models from settings. Equal settings share one model, and with it the state of its servers.
type maker struct {
	settings  config.AI
	log       *slog.Logger
	transport http.RoundTripper
	contexts  map[string]int // what servers reported, by address and model
	made      []madeModel
	pools     []*pool.Pool
	names     serverNames
}

type madeModel struct {
	upstream config.Upstream
	model    ai.Offer
}

func newMaker(settings config.AI, log *slog.Logger, transport http.RoundTripper) *maker {
	return &maker{
		settings: settings, log: log, transport: transport, contexts: map[string]int{}, names: serverNames{},
	}
}

// make returns a model on its servers, with its fallback if it has one, or the built-in model.
func (m *maker) make(ctx context.Context, upstream config.Upstream) (ai.Offer, error) {
	if upstream.BaseURL == "" || upstream.Builtin() {
		return ai.Offer{
			Description: upstream.Description, Model: builtin.New(), Builtin: true,
			ContextTokens: cmp.Or(upstream.ContextTokens, defaultContext),
		}, nil
	}
	for _, made := range m.made {
		if reflect.DeepEqual(made.upstream, upstream) {
			return made.model, nil
		}
	}
	model, err := m.onServers(ctx, upstream)
	if err != nil {
		return ai.Offer{}, err
	}
	if upstream.Fallback != nil {
		second, err := m.make(ctx, *upstream.Fallback)
		if err != nil {
			return ai.Offer{}, err
		}
		model = withFallback(model, second)
	}
	m.made = append(m.made, madeModel{upstream: upstream, model: model})
	return model, nil
}

// withFallback returns first with second as its fallback.
func withFallback(first, second ai.Offer) ai.Offer {
	model := first
	model.Model = ai.Fallback{First: first.Model, Second: second.Model}
	model.ContextTokens = min(first.ContextTokens, second.ContextTokens)
	model.Available = func() bool { return second.Available == nil || first.Available() || second.Available() }
	return model
}

// onServers returns a model on its server or servers, without its fallback.
func (m *maker) onServers(ctx context.Context, upstream config.Upstream) (ai.Offer, error) {
	model := ai.Offer{
		Description: upstream.Description, Images: upstream.Images, MaxTokens: upstream.MaxTokens, DeepThinking: true,
	}
	if upstream.Price != nil {
		model.Price = parley.Price(*upstream.Price)
	}
	var servers []pool.Server
	for _, one := range serversOf(upstream) {
		client, err := NewClient(m.settings, one.Upstream, upstream.Images, m.transport)
		if err != nil {
			return ai.Offer{}, fmt.Errorf("model %q: %w", one.Model, err)
		}
		servers = append(servers, pool.Server{
			Name: m.names.next(one.Upstream), Model: client, Weight: one.Weight, Check: responds(client),
		})
		thinks := one.Thinking != string(openai.DialectNone) || one.ThinkingModel != ""
		model.DeepThinking = model.DeepThinking && thinks
		tokens := m.contextTokens(ctx, one.Upstream, client)
		if model.ContextTokens == 0 || tokens < model.ContextTokens {
			model.ContextTokens = tokens
		}
	}
	group := pool.New(pool.Config{Servers: servers, Log: m.log, Now: time.Now})
	m.pools = append(m.pools, group)
	model.Model, model.Available = group, group.Available
	return model, nil
}

// serversOf returns the servers of a model. There may be only one.
func serversOf(upstream config.Upstream) []config.Server {
	if len(upstream.Servers) > 0 {
		return upstream.Servers
	}
	return []config.Server{{Upstream: upstream, Weight: 1}}
}

// responds returns a check that a server can be reached and accepts the key.
func responds(client *openai.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.Check(ctx)
		return err
	}
}

// contextTokens returns the context size of an upstream: the one in the settings, else the one that the server
// reports, else a default.
func (m *maker) contextTokens(ctx context.Context, upstream config.Upstream, client *openai.Client) int {
	if upstream.ContextTokens != 0 {
		return upstream.ContextTokens
	}
	key := upstream.BaseURL.Reveal() + " " + upstream.Model
	tokens, known := m.contexts[key]
	if !known {
		ctx, cancel := context.WithTimeout(ctx, describeTimeout)
		defer cancel()
		tokens = client.ContextTokens(ctx)
		m.contexts[key] = tokens
	}
	if tokens < minContext {
		return defaultContext
	}
	return tokens
}

// NewClient returns a client of one server. images reports whether the model sees pictures.
func NewClient(
	settings config.AI, upstream config.Upstream, images bool, transport http.RoundTripper,
) (*openai.Client, error) {
	return openai.New(openai.Config{
		BaseURL:       upstream.BaseURL.Reveal(),
		APIKey:        upstream.APIKey.Reveal(),
		Model:         upstream.Model,
		ThinkingModel: upstream.ThinkingModel,
		Thinking:      openai.Dialect(upstream.Thinking),
		Headers:       reveal(upstream.Headers),
		Body:          upstream.Body,
		Allow:         upstream.Allow,
		Refuse:        upstream.Refuse,
		MaxTokens:     upstream.MaxTokens,
		Images:        images,
		IdleTimeout:   settings.IdleTimeout,
		MaxTime:       settings.MaxTime,
		MaxReply:      int(settings.MaxReply),
		Transport:     transport,
	})
}

func reveal(headers map[string]config.Secret) map[string]string {
	plain := make(map[string]string, len(headers))
	for name, value := range headers {
		plain[name] = value.Reveal()
	}
	return plain
}
