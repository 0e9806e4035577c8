package parley

import "math"

// Usage is how many tokens a reply took.
type Usage struct {
	InputTokens    int64 `json:"input_tokens" doc:"Tokens of the prompt." example:"812"`
	OutputTokens   int64 `json:"output_tokens" doc:"Tokens that the model generated, thinking included." example:"164"`
	ThinkingTokens int64 `json:"thinking_tokens" doc:"How many of output_tokens were thinking, as far as the model's server tells." example:"0"`
	Estimated      bool  `json:"estimated" doc:"Whether the figures are estimates, because the model's server gave none." example:"false"`
}

// Plus returns the sum of two usages. It is estimated if one of them is.
func (u Usage) Plus(other Usage) Usage {
	return Usage{
		InputTokens:    u.InputTokens + other.InputTokens,
		OutputTokens:   u.OutputTokens + other.OutputTokens,
		ThinkingTokens: u.ThinkingTokens + other.ThinkingTokens,
		Estimated:      u.Estimated || other.Estimated,
	}
}

// Price is the price of a model's tokens.
type Price struct {
	// Input and Output are the prices of a million tokens.
	Input, Output float64
	// Currency is a code such as USD. It is empty if the model has no price.
	Currency string
}

// MicrosPerUnit is how many of the units of Price.Cost make one unit of a currency.
const MicrosPerUnit = 1_000_000

// Cost returns what a usage costs, in millionths of the currency.
func (p Price) Cost(u Usage) int64 {
	return int64(math.Round(float64(u.InputTokens)*p.Input + float64(u.OutputTokens)*p.Output))
}

// UsageInput selects a range of days and how its usage is summed up.
type UsageInput struct {
	From int64  `query:"from" minimum:"0" doc:"A time on the first day, Unix seconds. Days are those of UTC. Default: 30 days before to." example:"1767225600"`
	To   int64  `query:"to" minimum:"0" doc:"A time on the last day, Unix seconds, at most 366 days after from. Default: now." example:"1769817600"`
	By   string `query:"by" enum:"day,model" doc:"One entry a day or one a model. Default: day." example:"day"`
}

// The values of UsageInput.By. ByUser is for administrators.
const (
	ByDay   = "day"
	ByModel = "model"
	ByUser  = "user"
)

// UsageSum is the usage of a day or of a model.
type UsageSum struct {
	Day            string  `json:"day,omitempty" doc:"The day in UTC, if usage is summed up by day." example:"2026-01-01"`
	Model          string  `json:"model,omitempty" doc:"Name of the model, if usage is summed up by model." example:"基础模型"`
	InputTokens    int64   `json:"input_tokens" doc:"Tokens of prompts." example:"8120"`
	OutputTokens   int64   `json:"output_tokens" doc:"Tokens that models generated, thinking included." example:"1640"`
	ThinkingTokens int64   `json:"thinking_tokens" doc:"How many of output_tokens were thinking, as far as the models' servers tell." example:"0"`
	Messages       int64   `json:"messages" doc:"Number of replies." example:"10"`
	Cost           float64 `json:"cost" doc:"What the tokens cost, by the prices at that time; 0 without prices." example:"0.0312"`
	Currency       string  `json:"currency,omitempty" doc:"Currency of cost; left out without prices." example:"USD"`
	Estimated      bool    `json:"estimated" doc:"Whether some of the figures are estimates." example:"false"`
}

// UsageOutput is a user's usage, and the quota of the current day if there is one.
type UsageOutput struct {
	Usage []UsageSum   `json:"usage" nullable:"false" doc:"Days or models with usage: days in order, models by their tokens, most first."`
	Quota *QuotaStatus `json:"quota,omitempty" doc:"The quota of the current day; left out if there is none."`
}

// TotalUsageInput selects a range of days and how the usage of all users is summed up.
type TotalUsageInput struct {
	From int64  `query:"from" minimum:"0" doc:"A time on the first day, Unix seconds. Days are those of UTC. Default: 30 days before to." example:"1767225600"`
	To   int64  `query:"to" minimum:"0" doc:"A time on the last day, Unix seconds, at most 366 days after from. Default: now." example:"1769817600"`
	By   string `query:"by" enum:"day,model,user" doc:"One entry a day, a model or a user. Default: day." example:"user"`
}

// MaxUsers is how many users TotalUsageOutput has.
const MaxUsers = 100

// TotalUsageSum is the usage of all users on a day or of a model, or that of one user.
type TotalUsageSum struct {
	UserID int64  `json:"user_id,omitempty" doc:"The user, if usage is summed up by user." example:"1"`
	Email  string `json:"email,omitempty" doc:"The user's e-mail address, if usage is summed up by user." example:"ada@example.com"`
	UsageSum
	RatedUp   int64 `json:"rated_up,omitempty" doc:"How many replies their users found good, if usage is summed up by model; left out if none." example:"12"`
	RatedDown int64 `json:"rated_down,omitempty" doc:"How many replies their users found bad, if usage is summed up by model; left out if none." example:"3"`
}

// TotalUsageOutput is the usage of all users.
type TotalUsageOutput struct {
	Usage []TotalUsageSum `json:"usage" nullable:"false" doc:"Days, models or users with usage: days in order, models and users by their tokens, most first; at most 100 users."`
}

// QuotaStatus is how much of a quota is left.
type QuotaStatus struct {
	Messages *QuotaPart `json:"messages,omitempty" doc:"Replies; left out if they have no limit."`
	Tokens   *QuotaPart `json:"tokens,omitempty" doc:"Tokens of prompts and replies; left out if they have no limit."`
	ResetsAt int64      `json:"resets_at" doc:"When the quota starts anew, Unix seconds: the next midnight of UTC." example:"1767312000"`
}

// QuotaPart is one limit of a quota.
type QuotaPart struct {
	Limit int64 `json:"limit" doc:"How many there may be a day." example:"200"`
	Used  int64 `json:"used" doc:"How many there were today. Replies in progress are not among them." example:"40"`
	Left  int64 `json:"left" doc:"How many are left today, at least 0." example:"160"`
}
