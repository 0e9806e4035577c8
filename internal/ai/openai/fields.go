package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/internal/ai"
)

// redirecting are the fields of a call that choose another model, server, account, price or number of replies at some
// server or gateway, or that hold further fields. They are refused unless the configuration allows them.
var redirecting = []string{
	"models", "route", "provider", "providers", "fallbacks", "preset", "transforms", "plugins", // OpenRouter
	"service_tier", "data_sources", "deployment_id", "extra_body", "extra_headers", // OpenAI, Azure and gateways
	"api_base", "base_url", "api_key", "api_version", "custom_llm_provider", "num_retries", // LiteLLM
	"best_of", "use_beam_search", "num_return_sequences", "n_cmpl", "priority", "kv_transfer_params", // local servers
}

// tokenLimits are the fields with which servers let clients limit the tokens of a reply.
var tokenLimits = []string{
	"max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "n_predict", "num_predict",
}

// refusedFields returns the fields that clients may not set.
func refusedFields(cfg Config) []string {
	refused := slices.DeleteFunc(slices.Clone(redirecting), func(name string) bool {
		return slices.Contains(cfg.Allow, name)
	})
	return append(refused, cfg.Refuse...)
}

// checkFieldRules checks which fields a configuration allows and refuses.
func checkFieldRules(cfg Config) error {
	for _, name := range cfg.Allow {
		if !slices.Contains(redirecting, name) {
			return fmt.Errorf("the field %q needs no allow: only these are refused without it: %s",
				name, strings.Join(redirecting, ", "))
		}
		if slices.Contains(cfg.Refuse, name) {
			return fmt.Errorf("the field %q is both in allow and in refuse: keep one", name)
		}
	}
	for _, name := range cfg.Refuse {
		if slices.Contains(ownFields, name) {
			return fmt.Errorf("the field %q can't be refused: every call has it", name)
		}
	}
	return nil
}

// checkCall returns an *ai.Unsupported for a field that the client may not set. Some servers take a name in any case,
// so a field that matters has to be spelled as it is known.
func (c *Client) checkCall(call ai.Call) error {
	guarded := slices.Concat(ownFields, tokenLimits, []string{"n", "stream_options"}, slices.Collect(maps.Keys(c.body)))
	for _, name := range slices.Sorted(maps.Keys(call.Body)) {
		same := func(other string) bool { return strings.EqualFold(name, other) }
		switch {
		case slices.ContainsFunc(c.refused, same):
			return &ai.Unsupported{Field: name, Reason: "this server does not allow it"}
		case !slices.Contains(guarded, name) && slices.ContainsFunc(guarded, same):
			return &ai.Unsupported{Field: name, Reason: "it must be in lower case"}
		}
	}
	return nil
}

// limitTokens applies the configured limit to the tokens of a reply. What is not a whole number from 1 to the limit
// becomes the limit. It always goes as max_tokens, as in our own calls: some servers pass over max_completion_tokens.
func (c *Client) limitTokens(fields map[string]json.RawMessage) {
	if c.maxTokens == 0 {
		return
	}
	limit := c.maxTokens
	for _, name := range tokenLimits {
		value, given := fields[name]
		if !given {
			continue
		}
		if n, err := strconv.Atoi(string(value)); err != nil || n < 1 || n > c.maxTokens {
			fields[name] = json.RawMessage(strconv.Itoa(limit))
		}
	}
	if _, pinned := c.body["max_completion_tokens"]; pinned {
		return // the operator knows that this server takes it
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		if n, err := strconv.Atoi(string(fields[name])); err == nil {
			limit = min(limit, n)
		}
	}
	delete(fields, "max_completion_tokens") // servers that know both refuse both together
	fields["max_tokens"] = json.RawMessage(strconv.Itoa(limit))
}
