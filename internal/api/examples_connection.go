package api

import "parley"

// connectionExamples returns those of the operations for the connections to other services.
func connectionExamples() map[string]any {
	stored := parley.Connection{From: "database", HasKey: true}
	models := newEnvelope(parley.ModelConnections{KeysShared: true, Models: []parley.ModelConnection{{
		Name: parley.ModelRoleDefault, ShownAs: "default", Connection: stored, BaseURL: "https://api.openai.com/v1",
		Model: "gpt-5", Thinking: "auto",
	}}})
	searching := parley.SearchService{Connection: stored, Provider: "brave"}
	embedding := parley.EmbeddingsServer{Connection: stored, BaseURL: "https://api.openai.com/v1", Model: "bge-m3"}
	return map[string]any{
		"listConnectedModels": models,
		"connectModel":        models,
		"disconnectModel": newEnvelope(parley.ModelConnections{Models: []parley.ModelConnection{{
			Name: parley.ModelRoleDefault, ShownAs: "default", Connection: parley.Connection{From: "default"}, Builtin: true,
			Thinking: "auto",
		}}, KeysShared: true}),
		"testModel": newEnvelope(parley.ModelTestOutput{
			ServiceTest: parley.ServiceTest{Reachable: true}, Models: []string{"gpt-5", "gpt-5-mini"}, FirstWord: "Hello",
			FirstWordMS: 420,
		}),
		"getSearchService":        newEnvelope(searching),
		"connectSearchService":    newEnvelope(searching),
		"disconnectSearchService": newEnvelope(parley.SearchService{Connection: parley.Connection{From: "default"}}),
		"testSearchService": newEnvelope(parley.SearchTestOutput{
			ServiceTest: parley.ServiceTest{Reachable: true}, Results: 6,
		}),
		"getEmbeddingsServer":        newEnvelope(embedding),
		"connectEmbeddingsServer":    newEnvelope(embedding),
		"disconnectEmbeddingsServer": newEnvelope(parley.EmbeddingsServer{Connection: parley.Connection{From: "default"}}),
		"testEmbeddingsServer": newEnvelope(parley.EmbeddingsTestOutput{
			ServiceTest: parley.ServiceTest{Reason: parley.ReasonKey, Detail: "embeddings: the API key was refused (HTTP 401)"},
		}),
	}
}
