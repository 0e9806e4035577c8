package openai

import (
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

// TestErrorsOfProviders has errors in the words and shapes of providers.
func TestErrorsOfProviders(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		reason string
	}{
		{"OpenAI, quota", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and ` +
			`billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, parley.ReasonQuota},
		{"OpenAI, too long", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens.",` +
			`"code":"context_length_exceeded"}}`, parley.ReasonTooLong},
		{"OpenAI, model", 404, `{"error":{"message":"The model ` + "`gpt-9`" + ` does not exist or you do not have access ` +
			`to it.","code":"model_not_found"}}`, parley.ReasonUnknownModel},
		{
			"OpenAI, key", 401, `{"error":{"message":"Incorrect API key provided: sk-*abc.","code":"invalid_api_key"}}`,
			parley.ReasonKey,
		},
		{"OpenAI, prompt", 400, `{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our ` +
			`usage policy. Please try again with a different prompt.","type":"invalid_request_error","param":null,` +
			`"code":"invalid_prompt"}}`, parley.ReasonPolicy},
		{"OpenAI, safety", 400, `{"error":{"message":"Your request was rejected by the safety system.",` +
			`"type":"image_generation_user_error","param":null,"code":"moderation_blocked"}}`, parley.ReasonPolicy},
		{"OpenAI, content policy", 400, `{"error":{"message":"Your request was rejected as a result of our safety ` +
			`system.","type":"invalid_request_error","code":"content_policy_violation"}}`, parley.ReasonPolicy},
		{
			"OpenAI, no code", 400, `{"error":{"message":"This prompt violates our content policy.","code":null}}`,
			parley.ReasonPolicy,
		},
		{"OpenAI, account", 401, `{"error":{"message":"The account associated with this API key has been deactivated. ` +
			`It may violate our usage policies.","code":"account_deactivated"}}`, parley.ReasonKey},
		{
			"Azure, policy", 400, `{"error":{"code":"content_filter","message":"The response was filtered due to the prompt ` +
				`triggering Azure OpenAI's content management policy.","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`,
			parley.ReasonPolicy,
		},
		{"Gemini, key, in an array", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API ` +
			`key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, parley.ReasonKey},
		{"Gemini, too long, in an array", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds ` +
			`the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, parley.ReasonTooLong},
		{"Gemini, quota of a day", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check ` +
			`your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}]`, parley.ReasonQuota},
		{"Gemini, quota of a minute", 429, `[{"error":{"code":429,"message":"You exceeded your current quota.",` +
			`"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"17s"}]}}]`, parley.ReasonOverloaded},
		{"Gemini, model", 404, `[{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1main",` +
			`"status":"NOT_FOUND"}}]`, parley.ReasonUnknownModel},
		{"xAI, too long", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt ` +
			`length is 131072 but the request contains 180000 tokens."}`, parley.ReasonTooLong},
		{"xAI, credits", 403, `{"code":"The caller does not have permission","error":"Your team has either used all ` +
			`available credits or reached its monthly spending limit."}`, parley.ReasonQuota},
		{"xAI, policy", 403, `{"error":"Content violates usage guidelines."}`, parley.ReasonPolicy},
		{
			"xAI, key", 400, `{"error":"Incorrect API key provided: xa***. You can obtain one from the console."}`,
			parley.ReasonKey,
		},
		{"Qwen, arrears", 400, `{"error":{"code":"Arrearage","message":"Access denied, please make sure your account is ` +
			`in good standing."}}`, parley.ReasonQuota},
		{"Qwen, policy", 400, `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate ` +
			`content."}}`, parley.ReasonPolicy},
		{"Qwen, too long", 400, `{"error":{"code":"invalid_parameter_error","message":"Range of input length should be ` +
			`[1, 129024]"}}`, parley.ReasonTooLong},
		{
			"Qwen, model", 404, `{"error":{"code":"model_not_found","message":"The model does not exist"}}`,
			parley.ReasonUnknownModel,
		},
		{"GLM, balance", 429, `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`, parley.ReasonQuota},
		{"GLM, too long", 400, `{"error":{"code":"1261","message":"Prompt 超长"}}`, parley.ReasonTooLong},
		{
			"GLM, too long, in English", 400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`,
			parley.ReasonTooLong,
		},
		{"GLM, too long, by its number", 400, `{"error":{"code": 1261, "message":"Bad request"}}`, parley.ReasonTooLong},
		{"GLM, too long, inside a 200", 0, `{"error":{"code":"1261","message":"Bad request"}}`, parley.ReasonTooLong},
		{
			"GLM, another number", 400, `{"error":{"code":"1210","message":"max_tokens must be at most 1261"}}`,
			parley.ReasonFailed,
		},
		{"GLM, policy", 400, `{"contentFilter":[{"level":1,"role":"user"}],"error":{"code":"1301",` +
			`"message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}`, parley.ReasonPolicy},
		{"GLM, model", 400, `{"error":{"code":"1211","message":"模型不存在，请检查模型代码。"}}`, parley.ReasonUnknownModel},
		{"Kimi, quota", 429, `{"error":{"message":"You exceeded your current token quota","type":` +
			`"exceeded_current_quota_error"}}`, parley.ReasonQuota},
		{"Kimi, too long", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192",` +
			`"type":"invalid_request_error"}}`, parley.ReasonTooLong},
		{"Kimi, policy", 400, `{"error":{"message":"The request was rejected because it was considered high risk",` +
			`"type":"content_filter"}}`, parley.ReasonPolicy},
		{"Ark, overdue", 403, `{"error":{"code":"AccountOverdueError","message":"The request failed because your account ` +
			`has an overdue balance."}}`, parley.ReasonQuota},
		{"Ark, policy", 400, `{"error":{"code":"InputTextSensitiveContentDetected","message":"The request failed because ` +
			`the input text may contain sensitive information."}}`, parley.ReasonPolicy},
		{"Ark, too long", 400, `{"error":{"code":"InvalidParameter","message":"Total tokens of image and text exceed max ` +
			`message tokens."}}`, parley.ReasonTooLong},
		{"Ark, model", 404, `{"error":{"code":"InvalidEndpointOrModel.NotFound","message":"The model or endpoint x does ` +
			`not exist or you do not have access to it."}}`, parley.ReasonUnknownModel},
		{
			"SiliconFlow, balance", 403, `{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}`,
			parley.ReasonQuota,
		},
		{
			"SiliconFlow, model", 400, `{"code":20012,"message":"Model does not exist. Please check it carefully."}`,
			parley.ReasonUnknownModel,
		},
		{"SiliconFlow, too long", 400, `{"code":20015,"message":"length of prompt_tokens (40000) must be less than ` +
			`max_seq_len (32768)."}`, parley.ReasonTooLong},
		{"DeepSeek, balance", 402, `{"error":{"message":"Insufficient Balance"}}`, parley.ReasonQuota},
		{"DeepSeek, policy", 400, `{"error":{"message":"Content Exists Risk"}}`, parley.ReasonPolicy},
		{"OpenRouter, policy", 403, `{"error":{"code":403,"message":"openai/gpt-5 requires moderation. Your input ` +
			`was flagged for \"violence\".","metadata":{"reasons":["violence"]}}}`, parley.ReasonPolicy},
		{"OpenRouter, credits", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`, parley.ReasonQuota},
		{"vLLM, too long", 400, `{"object":"error","message":"The decoder prompt (length 9000) is longer than the maximum ` +
			`model length of 8192."}`, parley.ReasonTooLong},
		{
			"vLLM, model", 404, `{"object":"error","message":"The model ` + "`x`" + ` does not exist.","code":404}`,
			parley.ReasonUnknownModel,
		},
		{"llama-server, too long", 400, `{"error":{"code":400,"message":"request (50030 tokens) exceeds the available ` +
			`context size (512 tokens), try increasing it","type":"exceed_context_size_error"}}`, parley.ReasonTooLong},
		{"Ollama, model", 404, `{"error":{"message":"model 'x' not found","type":"not_found_error","param":null,` +
			`"code":null}}`, parley.ReasonUnknownModel},
		{"Ollama, embedding model", 400, `{"error":{"message":"\"embed\" does not support chat",` +
			`"type":"invalid_request_error","param":null,"code":null}}`, parley.ReasonUnknownModel},
		{
			"Mistral, model", 400, `{"object":"error","message":"Invalid model: x","type":"invalid_model"}`,
			parley.ReasonUnknownModel,
		},
		{"overloaded", 529, `{"error":{"type":"overloaded_error"}}`, parley.ReasonOverloaded},
		{"a page that mentions a quota", 502, `<html>insufficient_quota</html>`, parley.ReasonOverloaded},
		{"anything else", 400, `{"error":{"message":"temperature must be at most 1"}}`, parley.ReasonFailed},
		{"inside a 200", 0, `{"error":{"message":"Insufficient Balance"}}`, parley.ReasonQuota},
		{"anything else inside a 200", 0, `{"error":{"message":"out of memory"}}`, parley.ReasonFailed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := aitest.New(t)
			step := aitest.Event(test.body)
			if test.status != 0 {
				step = aitest.Status(test.status, test.body)
			}
			server.Respond(func(aitest.Request) []aitest.Step { return steps{step} })
			err := newModel(t, server.URL).Reply(t.Context(), &ai.Prompt{Question: "Is it?"}, func(ai.Chunk) {})
			if got := ai.ReasonOf(err); got != test.reason {
				t.Errorf("reason %q of %v, want %q", got, err, test.reason)
			}
			want := 1
			if test.reason == parley.ReasonOverloaded {
				want = 3
			}
			if n := len(server.Requests()); n != want {
				t.Errorf("%d requests, want %d", n, want)
			}
		})
	}
}
