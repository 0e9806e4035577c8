package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// wordings are words by which the errors of providers are known, in lower case. The first match counts. They are from
// the providers' documentation and from recorded errors; the test has one of each.
var wordings = []struct {
	kind  FailureKind
	words []string
}{
	{Quota, []string{
		"insufficient_quota", "insufficient_balance", "insufficient balance", "balance is insufficient",
		"insufficient credits", "credit balance is too low", "exceeded your current quota",
		"exceeded_current_quota", "used all available credits", "spending limit", "arrearage", "accountoverdue",
		"overdue balance", "余额不足", "欠费",
	}},
	{TooLong, []string{
		"context_length", "context length", "context window", "context size", "exceed_context",
		"prompt is too long", "input is too long", "maximum context", "maximum prompt length",
		"maximum model length", "input token count", "range of input length", "exceeded model token limit",
		"exceed max message tokens", "max_seq_len", "prompt exceeds max length", "prompt 超长", "prompt超长", "输入超长",
	}},
	{Policy, []string{
		"content_filter", "contentfilter", "content_policy", "content management policy", "responsibleaipolicy",
		"data_inspection_failed", "datainspectionfailed", "sensitivecontentdetected", "content exists risk",
		"considered high risk", "usage guidelines", "prohibited_content", "unsafe_prompt", "敏感内容",
		"content policy", "usage policy", "usage policies", "safety system", "invalid_prompt", "moderation_blocked",
		"input was flagged", "prompt was flagged",
	}},
	{UnknownModel, []string{
		"model_not_found", "model not found", "no such model", "unknown model", "invalid model", "model not exist",
		"model does not exist", "invalidendpointormodel", "is not found for api version", "模型不存在",
		"does not support chat",
	}},
	{Key, []string{"api_key_invalid", "invalid_api_key", "api key not valid", "incorrect api key", "invalid api key"}},
}

// codes are error codes that say more than the words beside them, which differ by language. They are GLM's.
var codes = map[string]FailureKind{"1113": Quota, "1211": UnknownModel, "1261": TooLong, "1301": Policy}

// kindByCode returns the kind of a known error code, which is a string or a number, or "".
func kindByCode(body []byte) FailureKind {
	var document struct {
		Error struct {
			Code json.RawMessage `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &document) // a body of another form has no known code
	return codes[strings.Trim(string(document.Error.Code), `"`)]
}

// kindOf returns the kind of a server's error by its status and its body. The status of an error inside a 200 is 0.
func kindOf(status int, body []byte) FailureKind {
	text := string(bytes.ToLower(body))
	kind := cmp.Or(kindByCode(body), kindByWords(text))
	switch {
	case status >= 500:
		if kind != TooLong { // a gateway's page may hold any words
			return Busy
		}
	case status == http.StatusTooManyRequests:
		// Gemini calls a limit per minute a quota, too, and says how long to wait.
		if kind != Quota || strings.Contains(text, "retrydelay") {
			return Busy
		}
	case status == http.StatusPaymentRequired:
		return Quota
	case status == http.StatusUnauthorized && kind == Policy: // the account was closed
		return Key
	case kind != "":
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Key
	case status == http.StatusNotFound && strings.Contains(text, "model"):
		return UnknownModel
	case status == 0:
		return Aborted
	default:
		return Rejected
	}
	return kind
}

func kindByWords(text string) FailureKind {
	for _, w := range wordings {
		for _, word := range w.words {
			if strings.Contains(text, word) {
				return w.kind
			}
		}
	}
	// The name of the model is between the words.
	if strings.Contains(text, "the model ") && strings.Contains(text, "does not exist") {
		return UnknownModel
	}
	return ""
}
