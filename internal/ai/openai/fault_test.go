package openai_test

import (
	"testing"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
	"parley/internal/ai/openai"
)

func TestAFailureTellsWhetherTheServerIsAtFault(t *testing.T) {
	for name, c := range map[string]struct {
		step aitest.Step
		want ai.Fault
	}{
		"cut":        {aitest.Cut(), ai.ServerFault},
		"overloaded": {aitest.Status(429, ""), ai.ServerFault},
		"broken":     {aitest.Status(502, ""), ai.ServerFault},
		"key":        {aitest.Status(401, ""), ai.ServerFault},
		"quota":      {aitest.Status(402, ""), ai.ServerFault},
		"no model":   {aitest.Status(404, `{"error":{"message":"model not found"}}`), ai.ServerFault},
		"a web page": {aitest.Raw("<html>"), ai.ServerFault},
		"rejected":   {aitest.Status(400, `{"error":{"message":"odd"}}`), ai.MaybeFault},
		"aborted":    {aitest.Event(`{"error":{"message":"odd"}}`), ai.MaybeFault},
		"too long":   {aitest.Status(400, `{"error":{"message":"prompt is too long"}}`), ai.NoFault},
		"policy":     {aitest.Status(400, `{"error":{"code":"content_filter"}}`), ai.NoFault},
	} {
		t.Run(name, func(t *testing.T) {
			server := aitest.New(t)
			server.Respond(func(aitest.Request) []aitest.Step { return []aitest.Step{c.step} })
			model, err := openai.New(openai.Config{BaseURL: server.URL, Model: "m", RetryDelay: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer model.Close()
			err = model.Reply(t.Context(), &ai.Prompt{Question: "Why?"}, func(ai.Chunk) {})
			if got := ai.FaultOf(err); got != c.want {
				t.Errorf("got %v of %v, want %v", got, err, c.want)
			}
		})
	}
}
