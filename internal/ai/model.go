// Package ai talks to models: a port, and one file a provider.
package ai

import (
	"context"
	"time"
)

// Model makes replies.
type Model interface {
	// Reply answers the prompt, giving each chunk to emit as it comes, in order and
	// from the calling goroutine. It returns nil only when the reply is complete and
	// not empty. Its error never holds a key and is not for users; see Failure.
	Reply(ctx context.Context, prompt Prompt, emit func(Chunk)) error
}

// Prompt is what a model is asked. Its parts are kept apart so that each provider
// can use them in its own way.
type Prompt struct {
	// System is the operator's system prompt, possibly empty.
	System string
	// Passages are parts of the session's files, in document order.
	Passages []Passage
	// Omitted says that the files hold more than Passages.
	Omitted bool
	// Searched says that the web was searched; Sources may still be empty.
	Searched bool
	Sources  []Source
	// History is the conversation so far, oldest first, whole turns only.
	History []Message
	// Question is the user's message, to the letter.
	Question string
	// DeepThinking asks the model to think before it answers.
	DeepThinking bool
	// TryUntil is when the last try may begin where a provider tries again.
	// Zero means no bound.
	TryUntil time.Time
}

// Message is one message of the conversation.
type Message struct {
	Role    string // parley.RoleUser or parley.RoleAssistant
	Content string
}

// Passage is a part of a file.
type Passage struct {
	File   string
	Anchor string // page, sheet or slide, possibly empty
	Text   string
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
}
