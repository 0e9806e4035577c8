package api_test

import (
	"context"
	"time"

	"parley"
	"parley/internal/admin"
	"parley/internal/ai"
	"parley/internal/ai/builtin"
	"parley/internal/ai/openai"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/connect"
	"parley/internal/websearch"
)

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

// search returns what returns the web-search engine.
func (w *world) search() func() websearch.Engine {
	return func() websearch.Engine { return w.Search }
}

// connected offers what is connected, in place of the models of the world.
func connected(ctx context.Context, c *app.Config) error {
	c.Settings.AI = config.AI{DefaultName: "default", Default: config.Upstream{Model: "no local one"}}
	c.Settings.HTTP.RequestTimeout = time.Minute
	connections := connect.New(ctx, c.Settings, c.Database, c.Log)
	c.Models, c.Search, c.Embeddings = connections.Models, connections.Search, connections.Embeddings
	c.CheckedModels, c.Connections = connections.CheckedModels, connections
	return connections.Load(ctx)
}

// checkedModels returns two models with their checks, for the overview. One of them can't be reached.
func checkedModels() []admin.Model {
	down := &admin.Server{Check: func(context.Context) string { return parley.ReasonKey }}
	return []admin.Model{
		{Name: "default", Model: "built-in"},
		{Name: parley.ModelBasic, Model: "small", Servers: []*admin.Server{down}},
	}
}
