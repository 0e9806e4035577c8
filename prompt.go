package parley

// Limits of prompts.
const (
	// MaxPrompts is how many prompts a user can keep, and how many of other users a list has.
	MaxPrompts = 200
	// MaxPromptName and MaxPromptText are length limits, in characters.
	MaxPromptName = 100
	MaxPromptText = 10_000
)

// PromptInput is the input of create prompt.
type PromptInput struct {
	Name   string `json:"name" maxLength:"100" doc:"What the prompt is called, not blank, at most 100 characters, no control characters." example:"Reply to a letter"`
	Text   string `json:"text" maxLength:"10000" doc:"The prompt, not blank, at most 10,000 characters, stored unchanged. {{name}} is a blank with that name, which whoever uses the prompt fills in." example:"Reply to this letter in a friendly tone, in {{language}}:"`
	Shared bool   `json:"shared,omitempty" required:"false" doc:"Whether to offer it to all users, which administrators can. Default: false." example:"false"`
}

// UpdatePromptInput holds the fields to change. Those that are nil stay the same. At least one is needed.
type UpdatePromptInput struct {
	Name   *string `json:"name,omitempty" required:"false" maxLength:"100" doc:"What the prompt is called, not blank, at most 100 characters, no control characters." example:"Reply to a letter"`
	Text   *string `json:"text,omitempty" required:"false" maxLength:"10000" doc:"The prompt, not blank, at most 10,000 characters, stored unchanged." example:"Reply to this letter in a formal tone, in {{language}}:"`
	Shared *bool   `json:"shared,omitempty" required:"false" doc:"Whether to offer it to all users, which administrators can." example:"false"`
}

// PromptOutput names a new prompt.
type PromptOutput struct {
	PromptID string `json:"prompt_id" doc:"Identifier of the prompt." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f17"`
}

// Prompt is a text that a user keeps to send it again.
type Prompt struct {
	PromptID  string `json:"prompt_id" doc:"Identifier of the prompt." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f17"`
	Name      string `json:"name" doc:"What the prompt is called." example:"Reply to a letter"`
	Text      string `json:"text" doc:"The prompt. {{name}} is a blank with that name." example:"Reply to this letter in a friendly tone, in {{language}}:"`
	Own       bool   `json:"own" doc:"Whether it is the user's own. Others can't be changed or deleted." example:"true"`
	Shared    bool   `json:"shared,omitempty" doc:"Set if it is offered to all users. Left out otherwise." example:"false"`
	CreatedAt int64  `json:"created_at" doc:"When it was created, Unix seconds." example:"1767225600"`
}

// PromptsOutput lists prompts.
type PromptsOutput struct {
	Prompts []Prompt `json:"prompts" nullable:"false" doc:"The user's own prompts, newest first, then those of administrators for all users, at most 200 of them."`
}
