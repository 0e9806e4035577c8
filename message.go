package parley

// Roles of a message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Statuses of an incomplete reply.
const (
	StatusPending     = "pending"     // it is being generated
	StatusStopped     = "stopped"     // its user has stopped it
	StatusInterrupted = "interrupted" // the model failed after the first word
)

// FinishLength is the finish of a reply that has as many tokens as the model may generate. It can be continued.
const FinishLength = "length"

// MaxContent is the length limit of a user's message, in characters.
const MaxContent = 100_000

// Names of two of the three models of the contract. The name of the default model is a setting.
const (
	ModelBasic    = "基础模型"
	ModelEnhanced = "增强模型"
)

// Message is a question or a reply in a session.
type Message struct {
	ID          string   `json:"id" doc:"Message identifier." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f11"`
	Role        string   `json:"role" enum:"user,assistant" doc:"Who wrote it." example:"user"`
	Content     string   `json:"content" doc:"Message text, stored unchanged." example:"Which ferry goes to Capri?"`
	Timestamp   int64    `json:"timestamp" doc:"When it was sent, Unix seconds." example:"1767225600"`
	IsFavorited bool     `json:"is_favorited" doc:"Whether it is among the user's favorites." example:"false"`
	Status      string   `json:"status,omitempty" enum:"pending,stopped,interrupted" doc:"\"pending\" while the reply is in progress; \"stopped\" or \"interrupted\" if it was ended early and can be continued; left out if it is complete." example:"pending"`
	Version     int64    `json:"version,omitempty" doc:"Which of the versions of the message this is, from 1; left out if there is only one." example:"2"`
	Versions    int64    `json:"versions,omitempty" doc:"How many versions of the message there are; left out if there is only one." example:"3"`
	Rating      int64    `json:"rating,omitempty" enum:"1,-1" doc:"What the user thinks of the reply: 1 is good, -1 is bad; left out if nothing was said." example:"1"`
	Images      []string `json:"images,omitempty" nullable:"false" doc:"Ids of the pictures that went with the question, oldest first; left out if there are none. A picture may have been deleted since." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f12"`
	Details
}

// Details describe how a reply was generated. Empty fields are left out.
type Details struct {
	Model      string    `json:"model,omitempty" doc:"The requested model, if it was not the default." example:"增强模型"`
	Finish     string    `json:"finish,omitempty" doc:"Why the model ended the reply, if it has more to say: its server's finish_reason, such as length or content_filter. A reply that ended with length can be continued." example:"length"`
	Thinking   string    `json:"thinking,omitempty" doc:"The model's thinking before the reply, with deep thinking." example:"They ask about ferries, so the timetable is what counts."`
	ThinkingMS int64     `json:"thinking_ms,omitempty" doc:"How long the model thought, in milliseconds." example:"5200"`
	Sources    []Source  `json:"sources,omitempty" nullable:"false" doc:"Web pages given to the model, numbered from 1 as the reply cites them."`
	Files      []Passage `json:"files,omitempty" nullable:"false" doc:"Passages of the session's files that were given to the model."`
	NotFound   []Quote   `json:"quotes_not_found,omitempty" nullable:"false" doc:"Quotes in the reply that name a file or cite a source but are in none of the texts that were given to the model; left out if there are none. At most 20 quotes are checked, and only if the texts could be read in time."`
	Usage      *Usage    `json:"usage,omitempty" doc:"How many tokens the reply took; left out until it is complete."`
}

// Quote is a quote in a reply.
type Quote struct {
	Text     string `json:"text" doc:"The quote, as it stands in the reply." example:"Ferries leave every ten minutes."`
	Filename string `json:"filename,omitempty" doc:"The file that the reply names with it." example:"timetable.md"`
	Source   int64  `json:"source,omitempty" doc:"Number of the source that the reply cites with it." example:"1"`
}

// Source is a result of a web search.
type Source struct {
	Title string `json:"title" doc:"Title of the page." example:"Ferries to Capri"`
	URL   string `json:"url" doc:"Address of the page." example:"https://example.com/ferries"`
	Read  bool   `json:"read,omitempty" doc:"Set if the page itself was read, and not only what the search service says of it." example:"true"`
}

// Passage is a part of an uploaded file that the model got.
type Passage struct {
	FileID   string `json:"file_id" doc:"The file." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f12"`
	Filename string `json:"filename" doc:"Its name." example:"timetable.md"`
	Anchor   string `json:"anchor,omitempty" doc:"Page, sheet or slide, if the format has them. For a whole file, the first and the last." example:"page 3"`
	Text     string `json:"text,omitempty" doc:"The passage; left out if the whole file was used." example:"Naples 09:00, Capri 09:50"`
	Offset   int64  `json:"offset,omitempty" doc:"Where the passage begins in the file's text, in bytes of UTF-8, for GET /api/files/{file_id}/text; left out at the beginning." example:"16400"`
}

// MessagesOutput is a page of a session's messages, oldest first.
type MessagesOutput struct {
	Messages []Message `json:"messages" nullable:"false" doc:"The messages of the page."`
	Total    int64     `json:"total" doc:"Number of messages of the session, exact." example:"2"`
}

// SendInput is a question and the options of its reply.
type SendInput struct {
	SessionID string `json:"session_id" minLength:"1" doc:"The session to send to." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Content   string `json:"content" maxLength:"100000" doc:"The question, not blank, at most 100,000 characters. It is stored unchanged." example:"Which ferry goes to Capri?"`
	Replaces  string `json:"replaces,omitempty" required:"false" maxLength:"128" doc:"Id of a question of the session that this one replaces. That question and all messages after it are set aside as a version." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f11"`
	ReplyOptions
}

// StreamInput is the input of a stream: a question, or the order to continue the last reply.
type StreamInput struct {
	SessionID string `json:"session_id" minLength:"1" doc:"The session to send to." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Content   string `json:"content,omitempty" required:"false" maxLength:"100000" doc:"The question, not blank, at most 100,000 characters. It is stored unchanged. Required unless continue is true." example:"Which ferry goes to Capri?"`
	Replaces  string `json:"replaces,omitempty" required:"false" maxLength:"128" doc:"Id of a question of the session that this one replaces. That question and all messages after it are set aside as a version." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f11"`
	Continue  bool   `json:"continue,omitempty" required:"false" doc:"Continue the last reply, which was stopped or interrupted or has the finish length. content and replaces must be left out. Default: false." example:"false"`
	ReplyOptions
}

// SendInput returns the question.
func (in StreamInput) SendInput() SendInput {
	return SendInput{
		SessionID: in.SessionID, Content: in.Content, Replaces: in.Replaces, ReplyOptions: in.ReplyOptions,
	}
}

// VersionInput selects a version of a message.
type VersionInput struct {
	Version int64 `json:"version,omitempty" required:"false" minimum:"1" doc:"Number of the version, from 1. Default: the version with this id." example:"1"`
}

// RatingInput is what a user thinks of a reply.
type RatingInput struct {
	Rating int64 `json:"rating" enum:"1,-1,0" doc:"1 is good, -1 is bad, 0 takes it back." example:"1"`
}

// ReplyOptions select how a reply is generated.
type ReplyOptions struct {
	Model        string `json:"model,omitempty" required:"false" minLength:"1" maxLength:"1024" doc:"One of the names that GET /api/models lists: the default model, 基础模型 (basic), 增强模型 (enhanced), or one that the operator has added. Default: the default model." example:"基础模型"`
	DeepThinking bool   `json:"deep_thinking,omitempty" required:"false" doc:"Think before replying, if the model supports it. Default: false." example:"false"`
	WebSearch    bool   `json:"web_search,omitempty" required:"false" doc:"Search the web first. Error 5002 if no search service is configured. Default: false." example:"false"`
}

// SendOutput is the result of a send. Both messages are stored.
type SendOutput struct {
	UserMessageID string     `json:"user_message_id" doc:"Identifier of the question." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f11"`
	AIResponse    AIResponse `json:"ai_response"`
}

// AIResponse is a reply.
type AIResponse struct {
	ID        string `json:"id" doc:"Identifier of the reply." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
	Content   string `json:"content" doc:"Text of the reply; if it takes longer than the time limit, the text so far." example:"The hydrofoil from Naples takes fifty minutes."`
	Timestamp int64  `json:"timestamp" doc:"When the reply began, Unix seconds." example:"1767225601"`
	Status    string `json:"status,omitempty" enum:"stopped,interrupted" doc:"\"stopped\" or \"interrupted\" if the reply was ended early and can be continued; left out if it is complete." example:"stopped"`
	Details
}

// RegenerateInput holds the options of a regenerated reply.
type RegenerateInput struct {
	ReplyOptions
}

// Model is a model on offer.
type Model struct {
	Name          string `json:"name" doc:"Name of the model, for a send." example:"增强模型"`
	Default       bool   `json:"default" doc:"Whether it is used if a send names no model." example:"false"`
	Description   string `json:"description" doc:"What the operator says about it, in one line; may be empty." example:"For difficult questions"`
	DeepThinking  bool   `json:"deep_thinking" doc:"Whether it supports deep thinking." example:"true"`
	WebSearch     bool   `json:"web_search" doc:"Whether a web-search service is configured." example:"false"`
	Images        bool   `json:"images" doc:"Whether it reads pictures." example:"false"`
	ContextTokens int    `json:"context_tokens" doc:"How many tokens a prompt and its reply may have together." example:"32000"`
	Available     bool   `json:"available" doc:"Whether it is expected to reply. If not, its servers have just failed; a send is still tried." example:"true"`
	Builtin       bool   `json:"builtin,omitempty" doc:"Whether it is the built-in model, which only quotes documents, web results and the conversation; left out if it is not." example:"false"`
}

// ModelsOutput lists the models on offer, the default first.
type ModelsOutput struct {
	Models []Model `json:"models" nullable:"false" doc:"The models on offer, the default first."`
}
