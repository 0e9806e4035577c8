package openaiapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/ai"
	"parley/internal/id"
)

const (
	responsePrefix = "resp_"
	// maxID is longer than any id of a response or an item.
	maxID = 100
	// maxTools limits the tools of a request.
	maxTools = 1000
)

// passedOn are fields of a response's request that a chat completion has under the same name.
var passedOn = []string{
	"temperature", "top_p", "parallel_tool_calls", "user", "service_tier", "safety_identifier", "prompt_cache_key",
}

// knownFields are all fields of a response's request that are honored, or that ask for nothing.
var knownFields = slices.Concat(passedOn, []string{
	"model", "input", "instructions", "stream", "store", "previous_response_id", "tools", "tool_choice", "text",
	"reasoning", "max_output_tokens", "max_tool_calls", "metadata", "truncation", "include", "background",
	"stream_options", "top_logprobs", "prompt_cache_retention", "client_metadata",
})

// responseRequest is a request for a response.
type responseRequest struct {
	model    ai.Offer
	stream   bool
	response response
	previous string // the id of the response that it continues; may be empty
	input    json.RawMessage
	// call has no messages yet.
	call ai.Call
}

// newResponseRequest checks a request and translates all of it but the conversation into a chat completion.
func (a *API) newResponseRequest(body fields) (req responseRequest, err error) {
	if err := checkFields(body); err != nil {
		return req, err
	}
	if req.response, err = a.newResponse(body); err != nil {
		return req, err
	}
	if req.model, err = a.find(req.response.Model); err != nil {
		return req, err
	}
	req.response.Model = req.model.Name
	if req.stream, err = body.flag("stream"); err != nil {
		return req, err
	}
	if previous := req.response.PreviousResponseID; previous != nil {
		if req.previous = *previous; !isResponseID(req.previous) {
			return req, errNoPrevious
		}
	}
	if req.input = body["input"]; len(req.input) == 0 && req.previous == "" {
		return req, invalid("input", "is required")
	}
	chatBody, err := chatFields(body)
	if err != nil {
		return req, err
	}
	// The model is always asked for a stream. Otherwise nobody would notice when it falls silent.
	chatBody["stream"], chatBody["stream_options"] = json.RawMessage(`true`), json.RawMessage(`{"include_usage":true}`)
	req.call = ai.Call{
		Body: chatBody, Model: req.model.Name, Stream: true, Usage: true, ID: "chatcmpl-" + id.New(), Created: a.now(),
	}
	return req, nil
}

// checkFields refuses fields that can't be honored.
func checkFields(body fields) error {
	if name, found := body.beyond(knownFields); found {
		return unsupported(name)
	}
	var asked struct {
		background  bool
		truncation  string
		include     []string
		topLogprobs int
		reasoning   struct {
			Summary string `json:"summary"`
		}
	}
	if err := body.takeAll(
		field{"background", &asked.background}, field{"truncation", &asked.truncation}, field{"include", &asked.include},
		field{"top_logprobs", &asked.topLogprobs}, field{"reasoning", &asked.reasoning},
	); err != nil {
		return err
	}
	switch {
	case asked.background:
		return unsupported("background")
	case asked.truncation != "" && asked.truncation != "disabled":
		return unsupported("truncation")
	case asked.topLogprobs != 0:
		return unsupported("top_logprobs")
	case asked.reasoning.Summary != "" && asked.reasoning.Summary != "auto":
		return unsupported("reasoning.summary")
	}
	for _, name := range asked.include {
		if name != "reasoning.encrypted_content" { // there is none
			return unsupported("include: " + name)
		}
	}
	return nil
}

// newResponse returns a response without output. It repeats what the request says.
func (a *API) newResponse(body fields) (response, error) {
	r := response{
		ID: responsePrefix + strings.ReplaceAll(id.New(), "-", ""), Object: "response", CreatedAt: a.now().Unix(),
		Status: inProgress, Output: []outputItem{}, ParallelToolCalls: true, ServiceTier: "default",
		Truncation: "disabled", Metadata: map[string]string{},
		Reasoning: json.RawMessage(`{"effort":null,"summary":null}`), Text: json.RawMessage(`{"format":{"type":"text"}}`),
		ToolChoice: json.RawMessage(`"auto"`), Tools: json.RawMessage(`[]`),
	}
	err := body.takeAll(
		field{"model", &r.Model}, field{"store", &r.Store}, field{"instructions", &r.Instructions},
		field{"metadata", &r.Metadata}, field{"max_output_tokens", &r.MaxOutputTokens},
		field{"max_tool_calls", &r.MaxToolCalls}, field{"temperature", &r.Temperature}, field{"top_p", &r.TopP},
		field{"parallel_tool_calls", &r.ParallelToolCalls}, field{"previous_response_id", &r.PreviousResponseID},
		field{"reasoning", &r.Reasoning}, field{"text", &r.Text}, field{"tool_choice", &r.ToolChoice},
		field{"tools", &r.Tools}, field{"user", &r.User},
	)
	return r, err
}

// chatFields returns the fields of a chat completion beside its messages.
func chatFields(body fields) (fields, error) {
	out := fields{}
	for _, name := range passedOn {
		if value, given := body[name]; given {
			out[name] = value
		}
	}
	if value, given := body["max_output_tokens"]; given {
		out["max_tokens"] = value
	}
	for _, add := range []func(body, out fields) error{addTools, addToolChoice, addText, addReasoning} {
		if err := add(body, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func addTools(body, out fields) (err error) {
	if commas(body["tools"], 1) >= maxTools {
		return invalid("tools", "can have at most 1,000 tools")
	}
	var tools []map[string]json.RawMessage
	if err := body.take("tools", &tools); err != nil || len(tools) == 0 {
		return err
	}
	wrapped := make([]map[string]any, 0, len(tools))
	for i, tool := range tools {
		if string(tool["type"]) != `"function"` {
			return unsupported(fmt.Sprintf("tools[%d].type", i))
		}
		delete(tool, "type")
		wrapped = append(wrapped, map[string]any{"type": "function", "function": tool})
	}
	out["tools"], err = json.Marshal(wrapped)
	return err
}

func addToolChoice(body, out fields) (err error) {
	value, given := body["tool_choice"]
	if !given {
		return nil
	}
	var word string
	if json.Unmarshal(value, &word) == nil {
		out["tool_choice"] = value
		return nil
	}
	var choice struct{ Type, Name string }
	if json.Unmarshal(value, &choice) != nil || choice.Type != "function" {
		return unsupported("tool_choice")
	}
	out["tool_choice"], err = json.Marshal(map[string]any{
		"type": "function", "function": map[string]string{"name": choice.Name},
	})
	return err
}

func addText(body, out fields) (err error) {
	var text struct {
		Format    map[string]json.RawMessage `json:"format"`
		Verbosity json.RawMessage            `json:"verbosity"`
	}
	if err := body.take("text", &text); err != nil {
		return err
	}
	if len(text.Verbosity) > 0 && string(text.Verbosity) != "null" {
		out["verbosity"] = text.Verbosity
	}
	switch kind := string(text.Format["type"]); kind {
	case "", `"text"`:
		return nil
	case `"json_object"`:
		out["response_format"], err = json.Marshal(text.Format)
	case `"json_schema"`:
		delete(text.Format, "type")
		out["response_format"], err = json.Marshal(map[string]any{"type": "json_schema", "json_schema": text.Format})
	default:
		return unsupported("text.format.type")
	}
	return err
}

func addReasoning(body, out fields) error {
	var reasoning struct {
		Effort json.RawMessage `json:"effort"`
	}
	if err := body.take("reasoning", &reasoning); err != nil {
		return err
	}
	if len(reasoning.Effort) > 0 && string(reasoning.Effort) != "null" {
		out["reasoning_effort"] = reasoning.Effort
	}
	return nil
}
