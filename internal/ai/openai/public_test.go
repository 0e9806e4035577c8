package openai

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

// TestPublicMessages has messages in the words of servers. What is private is written between ⟦ and ⟧.
func TestPublicMessages(t *testing.T) {
	for name, message := range map[string]string{
		"OpenAI": "Rate limit reached for gpt-4.1 in organization ⟦org-66tr5xhH5yhaqZAy6PAIy1Xi⟧ on tokens per min (TPM): " +
			"Limit 30000, Used 18928. Please try again in 174ms. Visit ⟦https://platform.openai.com/account/rate-limits⟧ " +
			"to learn more.",
		"OpenAI, a name": "Organization ⟦org-acme⟧ has no access to project ⟦proj_Ab3⟧.",
		"OpenAI, a field": "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got " +
			"an integer instead.",
		"OpenAI, a key": "Incorrect API key provided: ⟦sk-proj-ab**********Kq⟧. You can find your API key at " +
			"⟦https://platform.openai.com/account/api-keys.⟧",
		"OpenAI, a request": "The server had an error. Please name the request ID ⟦req_bf2eadd66b9f5c652172871aebf34737⟧ " +
			"in your message.",
		"Azure": "The API deployment for this resource does not exist at ⟦acme-east-2.openai.azure.com⟧ (request " +
			"⟦3f2504e0-4f89-11d3-9a0c-0305e82c3301⟧).",
		"Azure, a subscription": "Requests to ⟦/subscriptions/9c4a/resourceGroups/prod⟧ have exceeded the token rate limit.",
		"vLLM": "1 validation error for ChatCompletionRequest body.temperature Input should be less than or equal to 2 " +
			"'input': 9, 'url': '⟦https://errors.pydantic.dev/2.11/v/less_than_equal⟧'",
		"vLLM, its network": "HTTPConnectionPool(host='⟦10.12.0.7⟧', port=8000): Max retries exceeded with url: " +
			"⟦/v1/chat/completions⟧ on ⟦gpu-03.prod.svc.cluster.local:8000⟧",
		"a host":           "upstream ⟦vllm-7.internal⟧ refused, ⟦vllm:8000⟧, ⟦localhost⟧, ⟦fd00::7⟧ and ⟦[::1]:8000⟧ too",
		"a host of AWS":    "no route to ⟦ip-10-0-0-5⟧",
		"a host by name":   "dial tcp: lookup ⟦vllm-backend⟧ on ⟦10.0.0.2:53⟧: no such host; node: ⟦gpu⟧, host='⟦db01⟧'",
		"an account":       "Organization: ⟦acme⟧, account_id=⟦12345678⟧, workspace ⟦wrkspc_01abc⟧, account ⟦1234567890⟧",
		"an account's end": "Your organization must be verified; the account has no balance.",
		"a file":           "Traceback in ⟦/opt/vllm/entrypoints/serve.py⟧ and ⟦C:\\models\\secret⟧",
		"a person":         "Ask ⟦ops@acme.example⟧ for more.",
		"DeepSeek": "Failed to deserialize the JSON body into the target type: messages[0]: missing field `role` " +
			"at line 1 column 45",
		"GLM":      "API 调用参数有误，请检查文档。",
		"GLM, ids": "请求 ⟦20250725113245a1b2c3d4e5f60718⟧ 失败，账户⟦user-8840123⟧ 已停用",
		"OpenRouter": "openai/gpt-5 is not a valid model for ⟦user_2aBcD9xYz⟧; provider returned error " +
			"⟦gen-1732012345-QkXw8ZbC1dEfGh⟧",
		"a limit":    "max_tokens (200000) is larger than 128000; response_format.json_schema.name is required, e.g. \"a\"",
		"a template": "Only user and assistant roles are supported by Qwen3-30B-A3B-Instruct-2507!",
	} {
		t.Run(name, func(t *testing.T) {
			in := strings.NewReplacer("⟦", "", "⟧", "").Replace(message)
			got := publicMessage(in)
			rest := message
			for {
				_, after, found := strings.Cut(rest, "⟦")
				if !found {
					break
				}
				var secret string
				secret, rest, _ = strings.Cut(after, "⟧")
				if strings.Contains(got, strings.Trim(secret, "[].")) {
					t.Errorf("%q is in %q", secret, got)
				}
			}
			if plain := !strings.Contains(message, "⟦"); plain && got != in {
				t.Errorf("got %q, want all of %q", got, in)
			}
		})
	}
}

func TestAFailureHasAPublicMessage(t *testing.T) {
	server := aitest.New(t)
	server.Script(aitest.Status(400, `{"error":{"message":"temperature must be at most 2, says gpu-03.internal `+
		`with hush-key `+strings.Repeat("on and on ", 100)+`https://a.example/`+`"}}`))
	model, err := New(Config{BaseURL: server.URL, Model: "m", APIKey: "hush-key"})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	body := map[string]json.RawMessage{"messages": json.RawMessage(`[{"role":"user","content":"Why?"}]`)}
	_, err = model.Pass(t.Context(), ai.Call{Body: body}, func([]byte) error { return nil })
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("got %v", err)
	}
	const want = "temperature must be at most 2, says […] with [key] on and on"
	if !strings.HasPrefix(failure.Message, want) || len([]rune(failure.Message)) > 300 {
		t.Errorf("clients get %q", failure.Message)
	}
	if !strings.Contains(err.Error(), "gpu-03.internal") || strings.Contains(err.Error(), "hush-key") {
		t.Errorf("the log gets %q", err)
	}
}
