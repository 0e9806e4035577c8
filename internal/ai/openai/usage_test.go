package openai

import (
	"context"
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

// replyUsage returns what the server has counted for one reply, or nil.
func replyUsage(t *testing.T, model *Client) (usage *parley.Usage, text, finish string) {
	t.Helper()
	err := model.Reply(t.Context(), &ai.Prompt{Question: "Why?"}, func(c ai.Chunk) {
		text += c.Text
		if c.Finish != "" {
			finish = c.Finish
		}
		if c.Usage != nil {
			if usage != nil {
				t.Error("the usage comes twice")
			}
			usage = c.Usage
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return usage, text, finish
}

func TestAServersCountOfTokensIsRead(t *testing.T) {
	const finished = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for name, test := range map[string]struct {
		events []string
		want   *parley.Usage
	}{
		"none": {[]string{finished, "[DONE]"}, nil},
		"in an event of its own": {
			[]string{finished, `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, "[DONE]"},
			&parley.Usage{InputTokens: 10, OutputTokens: 5},
		},
		"with thinking": {
			[]string{finished, `{"usage":{"prompt_tokens":10,"completion_tokens":50,"total_tokens":60,
				"prompt_tokens_details":{"cached_tokens":3},
				"completion_tokens_details":{"x":[1],"reasoning_tokens":40}}}`, "[DONE]"},
			&parley.Usage{InputTokens: 10, OutputTokens: 50, ThinkingTokens: 40},
		},
		"with thinking in the total only": {
			[]string{finished, `{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45,
				"completion_tokens_details":{"reasoning_tokens":30}}}`, "[DONE]"},
			&parley.Usage{InputTokens: 10, OutputTokens: 35, ThinkingTokens: 30},
		},
		"in the choice": {
			[]string{
				`{"choices":[{"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":1,"completion_tokens":2}}]}`,
				"[DONE]",
			},
			&parley.Usage{InputTokens: 1, OutputTokens: 2},
		},
		"with every event": {
			[]string{
				`{"choices":[{"delta":{"content":"!"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
				`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":3}}`, "[DONE]",
			},
			&parley.Usage{InputTokens: 1, OutputTokens: 3},
		},
		"without sense": {
			[]string{finished, `{"usage":{"prompt_tokens":-4,"completion_tokens":"7","total_tokens":1e99}}`, "[DONE]"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := aitest.New(t)
			steps := []aitest.Step{aitest.Text("Because")}
			for _, event := range test.events {
				steps = append(steps, aitest.Event(oneLine(event)))
			}
			server.Script(steps...)
			got, text, _ := replyUsage(t, newModel(t, server.URL))
			if (got == nil) != (test.want == nil) || got != nil && *got != *test.want || text == "" {
				t.Errorf("%+v with %q, want %+v", got, text, test.want)
			}
			if asked := string(server.Last(t).Fields["stream_options"]); asked != `{"include_usage":true}` {
				t.Errorf("asked with %s", asked)
			}
		})
	}
}

// oneLine removes line breaks, which would end an event.
func oneLine(text string) string {
	out := []byte{}
	for _, c := range []byte(text) {
		if c != '\n' {
			out = append(out, c)
		}
	}
	return string(out)
}

func TestUsageComesBesideTheFinish(t *testing.T) {
	server := aitest.New(t)
	server.Script(aitest.Text("Because"), aitest.Event(`{"choices":[{"delta":{},"finish_reason":"length"}]}`),
		aitest.Event(`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}`), aitest.Event("[DONE]"))
	usage, _, finish := replyUsage(t, newModel(t, server.URL))
	if usage == nil || finish != "length" {
		t.Errorf("usage %v, finish %q", usage, finish)
	}
}

func TestUsageIsKeptIfTheCallIsCanceled(t *testing.T) {
	server := aitest.New(t)
	server.Script(
		aitest.Event(`{"choices":[{"delta":{"content":"Be"}}],"usage":{"prompt_tokens":4,"completion_tokens":1}}`),
		aitest.Hang())
	ctx, cancel := context.WithCancel(t.Context())
	var usage *parley.Usage
	err := newModel(t, server.URL).Reply(ctx, &ai.Prompt{Question: "Why?"}, func(c ai.Chunk) {
		if c.Usage != nil {
			usage = c.Usage
		}
		cancel()
	})
	if err == nil || usage == nil || *usage != (parley.Usage{InputTokens: 4, OutputTokens: 1}) {
		t.Errorf("usage %+v, error %v", usage, err)
	}
}

func TestAServerThatRejectsStreamOptionsIsAskedWithout(t *testing.T) {
	server := aitest.New(t)
	server.Respond(func(r aitest.Request) []aitest.Step {
		if r.Fields["stream_options"] != nil {
			return []aitest.Step{aitest.Status(422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}`)}
		}
		return aitest.Echo(r)
	})
	model := newModel(t, server.URL)
	for i, requests := range []int{2, 3} {
		usage, text, _ := replyUsage(t, model)
		if usage != nil || text != "You said: Why?" {
			t.Errorf("reply %d: %q with %+v", i+1, text, usage)
		}
		if n := len(server.Requests()); n != requests {
			t.Errorf("%d requests after %d replies, want %d", n, i+1, requests)
		}
	}
}
