package api_test

import (
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

// connect connects a model, a search service and an embeddings server. Nobody listens at their addresses.
func (w *world) connect(admin *client.Client) {
	w.Helper()
	const nobody = "http://127.0.0.1:1/v1"
	_, model := admin.ConnectModel(w.Context(), parley.ModelRoleDefault, parley.ModelInput{BaseURL: nobody, Model: "m"})
	w.must(model)
	_, search := admin.ConnectSearchService(w.Context(), parley.SearchServiceInput{Provider: "searxng", URL: nobody})
	w.must(search)
	_, vectors := admin.ConnectEmbeddingsServer(w.Context(), parley.EmbeddingsInput{BaseURL: nobody, Model: "m"})
	w.must(vectors)
}

// disconnect removes what connect has connected.
func (w *world) disconnect(admin *client.Client) {
	w.Helper()
	_, model := admin.DisconnectModel(w.Context(), parley.ModelRoleDefault)
	w.must(model)
	_, search := admin.DisconnectSearchService(w.Context())
	w.must(search)
	_, vectors := admin.DisconnectEmbeddingsServer(w.Context())
	w.must(vectors)
}

// TestAModelIsConnectedWhileTheServerRuns goes from a server without a model to the first written reply.
func TestAModelIsConnectedWhileTheServerRuns(t *testing.T) {
	eachWith(t, func(w *world) { w.Connect = true }, func(w *world) {
		ctx, admin, ada := w.Context(), w.admin("root"), w.user("ada")
		session := w.session(ada, "")
		models, err := ada.Models(ctx)
		w.must(err)
		if !models.Models[0].Builtin {
			w.Fatalf("before, there are %+v", models)
		}
		w.Model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("The hydrofoil.") })
		tried, err := admin.TestModel(ctx, parley.ModelTestInput{BaseURL: w.Model.URL, Model: "ferry"})
		w.must(err)
		if !tried.Reachable || tried.FirstWord == "" {
			w.Errorf("the test says %+v", tried)
		}
		in := parley.ModelInput{BaseURL: w.Model.URL, Model: "ferry", APIKey: new("hush-hush")}
		list, err := admin.ConnectModel(ctx, parley.ModelRoleDefault, in)
		w.must(err)
		if got := list.Models[0]; !got.HasKey || got.From != "database" || len(list.Models) != 3 {
			w.Errorf("connected are %+v", list)
		}
		_, err = admin.ConnectModel(ctx, "Fähre 2", parley.ModelInput{BaseURL: w.Model.URL, Model: "slow ferry"})
		w.must(err)
		for model, upstream := range map[string]string{"": "ferry", parley.ModelBasic: "ferry", "Fähre 2": "slow ferry"} {
			reply, err := ada.Send(ctx, parley.SendInput{
				SessionID: session, Content: "Which ferry?", ReplyOptions: parley.ReplyOptions{Model: model},
			})
			w.must(err)
			if asked := w.Model.Last(w.T).Model; reply.AIResponse.Content != "The hydrofoil." || asked != upstream {
				w.Errorf("%q: the model %s replied %q", model, asked, reply.AIResponse.Content)
			}
		}
		if got := w.request(http.MethodGet, "/api/admin/models", "", as(admin)); strings.Contains(got.text, "hush-hush") {
			w.Errorf("the key is told: %s", got.text)
		}
		if strings.Contains(w.Log.String(), "hush-hush") {
			w.Error("the key is in the log")
		}
		_, err = admin.DisconnectModel(ctx, "Fähre 2")
		w.must(err)
		_, err = ada.Send(ctx, parley.SendInput{
			SessionID: session, Content: "And back?", ReplyOptions: parley.ReplyOptions{Model: "Fähre 2"},
		})
		w.wants(err, parley.CodeInvalidParameter, 400)
		_, err = ada.ConnectModel(ctx, parley.ModelRoleDefault, in)
		w.wants(err, parley.CodeInvalidParameter, 404)
	})
}
