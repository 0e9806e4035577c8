// Package ai defines the interface to language models. Its subpackages are the providers.
package ai

import (
	"context"
	"time"

	"parley"
)

// Model generates replies.
type Model interface {
	// Reply streams the reply to prompt. It calls emit with each chunk, in order and from the calling
	// goroutine. It returns nil only if the reply is complete and not empty. The error never holds a key
	// and is not meant for users. The prompt may be cleared with the first chunk, to free its memory. Until then it
	// does not change, since another model may be asked.
	Reply(ctx context.Context, prompt *Prompt, emit func(Chunk)) error
}

// Prompt is the input of a model. Its parts are separate because each provider renders them in its own way.
type Prompt struct {
	// System is the operator's system prompt. It may be empty.
	System string
	// UserInstructions come from the user, SessionInstructions are for this conversation. They may be empty.
	UserInstructions, SessionInstructions string
	// Passages are parts of the session's files, in document order.
	Passages []Passage
	// Omitted reports whether the files hold more than Passages.
	Omitted bool
	// FenceKey makes the marks around passages and sources unguessable.
	FenceKey FenceKey
	// Searched reports whether the web was searched. Sources may be empty even so.
	Searched bool
	Sources  []Source
	// History is the conversation so far: whole turns, oldest first.
	History []Message
	// Question is the user's message, unaltered.
	Question string
	// Images are the pictures that went with the question.
	Images []Image
	// Unseen is how many pictures of the conversation are not shown to the model.
	Unseen int
	// Partial is the beginning of the reply, if the model should continue one.
	Partial string
	// DeepThinking makes the model think before it replies.
	DeepThinking bool
	// TryUntil is the latest time at which a provider may retry. Zero means no limit.
	TryUntil time.Time
}

// Message is one message of the conversation.
type Message struct {
	Role    string // RoleSystem, parley.RoleUser or parley.RoleAssistant
	Content string
	// Images are the pictures that went with a user's message.
	Images []Image
}

// Image is a picture, in JPEG or PNG.
type Image struct {
	Type string // its media type
	Data []byte
}

// Passage is a part of a file.
type Passage struct {
	File   string
	Anchor string // page, sheet or slide; may be empty
	Text   string
	// Notes say what of the file could not be read. Of a file's passages only the first has them.
	Notes []string
}

// Source is one web page.
type Source struct {
	Title string
	URL   string
	Text  string
}

// Chunk is the next piece of a reply: of the thinking or of the text.
type Chunk struct {
	Thinking string
	Text     string
	// WasThinking means that all text of earlier chunks was thinking.
	WasThinking bool
	// Finish is why the reply ends here, if the model has more to say: the server's finish_reason, such as "length".
	Finish string
	// Usage is how many tokens the call took, as its server has counted them. It comes once, after all text, also if the
	// call fails or is canceled after its first text.
	Usage *parley.Usage
}
