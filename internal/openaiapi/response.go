package openaiapi

import "encoding/json"

// response is a response of the Responses API.
type response struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	CreatedAt          int64             `json:"created_at"`
	Status             string            `json:"status"`
	Background         bool              `json:"background"`
	Error              *responseError    `json:"error"`
	IncompleteDetails  *incomplete       `json:"incomplete_details"`
	Instructions       *string           `json:"instructions"`
	MaxOutputTokens    *int64            `json:"max_output_tokens"`
	MaxToolCalls       *int64            `json:"max_tool_calls"`
	Model              string            `json:"model"`
	Output             []outputItem      `json:"output"`
	ParallelToolCalls  bool              `json:"parallel_tool_calls"`
	PreviousResponseID *string           `json:"previous_response_id"`
	Reasoning          json.RawMessage   `json:"reasoning"`
	ServiceTier        string            `json:"service_tier"`
	Store              bool              `json:"store"`
	Temperature        *float64          `json:"temperature"`
	Text               json.RawMessage   `json:"text"`
	ToolChoice         json.RawMessage   `json:"tool_choice"`
	Tools              json.RawMessage   `json:"tools"`
	TopLogprobs        int               `json:"top_logprobs"`
	TopP               *float64          `json:"top_p"`
	Truncation         string            `json:"truncation"`
	Usage              *responseUsage    `json:"usage"`
	User               *string           `json:"user"`
	Metadata           map[string]string `json:"metadata"`
}

// size returns how many bytes of the request the response repeats, about.
func (r response) size() int64 {
	size := len(r.Model) + len(r.Reasoning) + len(r.Text) + len(r.ToolChoice) + len(r.Tools)
	for _, text := range []*string{r.Instructions, r.PreviousResponseID, r.User} {
		if text != nil {
			size += len(*text)
		}
	}
	for name, value := range r.Metadata {
		size += len(name) + len(value)
	}
	return int64(size)
}

// The states of a response.
const (
	inProgress  = "in_progress"
	completed   = "completed"
	cutShort    = "incomplete"
	hasFailed   = "failed"
	typeMessage = "message"
	typeCall    = "function_call"
)

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type responseUsage struct {
	InputTokens        int64       `json:"input_tokens"`
	InputTokensDetails tokenDetail `json:"input_tokens_details"`
	OutputTokens       int64       `json:"output_tokens"`
	OutputDetails      tokenDetail `json:"output_tokens_details"`
	TotalTokens        int64       `json:"total_tokens"`
}

type tokenDetail struct {
	Cached    *int64 `json:"cached_tokens,omitempty"`
	Reasoning *int64 `json:"reasoning_tokens,omitempty"`
}

// outputItem is a message or a call of a function.
type outputItem struct {
	ID        string      `json:"id"`
	Type      string      `json:"type"`
	Status    string      `json:"status"`
	Role      string      `json:"role,omitempty"`
	Content   *[]textPart `json:"content,omitempty"`
	CallID    string      `json:"call_id,omitempty"`
	Name      string      `json:"name,omitempty"`
	Arguments *string     `json:"arguments,omitempty"`
}

type textPart struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

func newTextPart(text string) textPart {
	return textPart{Type: "output_text", Text: text, Annotations: []struct{}{}, Logprobs: []struct{}{}}
}

// text returns the text of a message, or the arguments of a call.
func (i outputItem) text() string {
	switch {
	case i.Arguments != nil:
		return *i.Arguments
	case i.Content != nil && len(*i.Content) > 0:
		return (*i.Content)[0].Text
	}
	return ""
}

// withText returns the item with a text, in a state. A message in progress has no content yet.
func (i outputItem) withText(text, status string) outputItem {
	i.Status = status
	if i.Type == typeCall {
		i.Arguments = &text
		return i
	}
	content := []textPart{}
	if status != inProgress {
		content = append(content, newTextPart(text))
	}
	i.Content = &content
	return i
}
