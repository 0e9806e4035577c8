package api

import (
	"context"

	"parley"
)

// ModelName is a path with the name of a model.
type ModelName struct {
	Name string `path:"name" maxLength:"200" doc:"default, basic or enhanced for the three models of every server, or the name of another." example:"default"`
}

func (a *API) listConnectedModels(ctx context.Context, _ *none) (parley.ModelConnections, error) {
	return a.connect.ListModels(ctx)
}

func (a *API) testModel(ctx context.Context, in *body[parley.ModelTestInput]) (parley.ModelTestOutput, error) {
	return a.connect.TryModel(ctx, in.Body)
}

func (a *API) connectModel(ctx context.Context, in *struct {
	ModelName
	Body parley.ModelInput
},
) (parley.ModelConnections, error) {
	changed, err := a.connect.ConnectModel(ctx, in.Name, in.Body)
	a.auditConnection(ctx, changed, "models/"+in.Name)
	if err != nil {
		return parley.ModelConnections{}, err
	}
	return a.connect.ListModels(ctx)
}

func (a *API) disconnectModel(ctx context.Context, in *ModelName) (parley.ModelConnections, error) {
	changed, err := a.connect.DisconnectModel(ctx, in.Name)
	a.auditConnection(ctx, changed, "models/"+in.Name)
	if err != nil {
		return parley.ModelConnections{}, err
	}
	return a.connect.ListModels(ctx)
}

func (a *API) getSearchService(ctx context.Context, _ *none) (parley.SearchService, error) {
	return a.connect.SearchService(ctx)
}

func (a *API) testSearchService(
	ctx context.Context, in *body[parley.SearchServiceInput],
) (parley.SearchTestOutput, error) {
	return a.connect.TrySearch(ctx, in.Body)
}

func (a *API) connectSearchService(
	ctx context.Context, in *body[parley.SearchServiceInput],
) (parley.SearchService, error) {
	changed, err := a.connect.ConnectSearch(ctx, in.Body)
	a.auditConnection(ctx, changed, "search")
	if err != nil {
		return parley.SearchService{}, err
	}
	return a.connect.SearchService(ctx)
}

func (a *API) disconnectSearchService(ctx context.Context, _ *none) (parley.SearchService, error) {
	changed, err := a.connect.DisconnectSearch(ctx)
	a.auditConnection(ctx, changed, "search")
	if err != nil {
		return parley.SearchService{}, err
	}
	return a.connect.SearchService(ctx)
}

func (a *API) getEmbeddingsServer(ctx context.Context, _ *none) (parley.EmbeddingsServer, error) {
	return a.connect.EmbeddingsServer(ctx)
}

func (a *API) testEmbeddingsServer(
	ctx context.Context, in *body[parley.EmbeddingsInput],
) (parley.EmbeddingsTestOutput, error) {
	return a.connect.TryEmbeddings(ctx, in.Body)
}

func (a *API) connectEmbeddingsServer(
	ctx context.Context, in *body[parley.EmbeddingsInput],
) (parley.EmbeddingsServer, error) {
	changed, err := a.connect.ConnectEmbeddings(ctx, in.Body)
	a.auditConnection(ctx, changed, "embeddings")
	if err != nil {
		return parley.EmbeddingsServer{}, err
	}
	return a.connect.EmbeddingsServer(ctx)
}

func (a *API) disconnectEmbeddingsServer(ctx context.Context, _ *none) (parley.EmbeddingsServer, error) {
	changed, err := a.connect.DisconnectEmbeddings(ctx)
	a.auditConnection(ctx, changed, "embeddings")
	if err != nil {
		return parley.EmbeddingsServer{}, err
	}
	return a.connect.EmbeddingsServer(ctx)
}

// auditConnection logs a change of a connection, also if it is not in force yet.
func (a *API) auditConnection(ctx context.Context, changed bool, name string) {
	if changed {
		a.accounts.AuditSetting(ctx, operator(ctx), name)
	}
}
