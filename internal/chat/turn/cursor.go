package turn

import (
	"strings"
	"unicode/utf8"

	"parley"
)

// view is the state of a reply at one moment.
type view struct {
	questionID string
	timestamp  int64
	attempt    int64
	text       string
	details    parley.Details
	moved      int64 // how many code points of the thinking may have been shown as text before
	behind     bool  // the process that generates the reply may be ahead of this view
	ended      bool
	status     string // stopped or interrupted, once ended; else empty
	err        error  // why it failed, once ended
	kept       bool   // the text is kept although it failed
}

func (v view) output(replyID string) parley.SendOutput {
	return parley.SendOutput{
		UserMessageID: v.questionID,
		AIResponse: parley.AIResponse{
			ID:        replyID,
			Content:   v.text,
			Timestamp: v.timestamp,
			Status:    v.status,
			Details:   v.details,
		},
	}
}

// size returns the length of the texts in bytes.
func (v view) size() int64 {
	size := len(v.text) + len(v.details.Thinking)
	for _, passage := range v.details.Files {
		size += len(passage.Text)
	}
	return int64(size)
}

// cursor is how far a reader has read a reply.
type cursor struct {
	replyID  string
	at       Position
	resuming bool   // at comes from the client; thinking and text below are not known yet
	started  bool   // start was sent
	sourced  bool   // sources were sent
	thinking int    // bytes of thinking sent
	text     string // the text sent
	more     bool   // the last view has more events
	over     bool   // the last event was sent
}

// newCursor returns a cursor at a position; the zero position is the beginning.
func newCursor(replyID string, from Position) cursor {
	resuming := from.Attempt > 0
	return cursor{replyID: replyID, at: from, resuming: resuming, started: resuming}
}

// MaxPiece is the length limit of the text of an event, in bytes. When a long reply is read again, it is sent in
// pieces.
const MaxPiece = 16 << 10

// advance moves the cursor towards the end of the view and returns the events in between. After a long piece of text it
// stops and sets more.
func (c *cursor) advance(v view) []Event {
	var events []Event
	c.more = false
	gone := v.err != nil && !v.kept // and its text too
	if !gone && c.resuming && !c.resume(v) {
		return nil
	}
	if !c.started && (v.err == nil || v.questionID != "") { // the question of a failed reply may be deleted
		c.started = true
		c.at.Attempt = v.attempt
		events = append(events, c.event("start", startData{UserMessageID: v.questionID, MessageID: c.replyID}))
	}
	if gone {
		return append(events, c.fail(v.err))
	}
	// A new attempt, or the text turned out to be thinking.
	if c.at.Attempt != v.attempt || !strings.HasPrefix(v.text, c.text) {
		c.at, c.thinking, c.text, c.sourced = Position{Attempt: v.attempt}, 0, "", false
		events = append(events, c.event("restart", struct{}{}))
	}
	c.text = v.text[:len(c.text)] // the memory of an older view is not needed
	if !c.sourced && len(v.details.Sources) > 0 {
		c.sourced = true
		events = append(events, c.event("sources", sourcesData{Results: v.details.Sources}))
	}
	if piece := FirstPiece(v.details.Thinking[min(c.thinking, len(v.details.Thinking)):]); piece != "" {
		c.thinking += len(piece)
		c.at.Thinking += int64(utf8.RuneCountInString(piece))
		events = append(events, c.event("thinking", textData{Text: piece}))
	}
	if c.thinking < len(v.details.Thinking) {
		c.more = true
		return events
	}
	if piece := FirstPiece(v.text[len(c.text):]); piece != "" {
		c.text = v.text[:len(c.text)+len(piece)]
		c.at.Text += int64(utf8.RuneCountInString(piece))
		events = append(events, c.event("delta", textData{Text: piece}))
	}
	if len(c.text) < len(v.text) {
		c.more = true
		return events
	}
	switch {
	case v.err != nil:
		events = append(events, c.fail(v.err))
	case v.ended:
		c.over = true
		events = append(events, c.event("done", v.output(c.replyID)))
	}
	return events
}

// fail returns the last event of a reply that failed.
func (c *cursor) fail(err error) Event {
	c.over = true
	return c.event("error", parley.NewStreamError(err))
}

// skip moves the cursor behind what a continued reply has already.
func (c *cursor) skip(text, thinking string) {
	c.text, c.thinking = text, len(thinking)
	c.at.Text, c.at.Thinking = int64(utf8.RuneCountInString(text)), int64(utf8.RuneCountInString(thinking))
}

// FirstPiece returns at most MaxPiece bytes of the beginning of a text. It splits no character.
func FirstPiece(text string) string {
	if len(text) <= MaxPiece {
		return text
	}
	end := MaxPiece
	for end > MaxPiece-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// resume finds the client's position in the view. It returns false if the view is behind and does not contain the
// position yet. If the reply never had that position, everything is sent again, as for a new attempt.
//
// All thinking is sent before text. So a client that has text and lacks thinking may have that thinking as text.
func (c *cursor) resume(v view) bool {
	thinking, hasThinking := byteOffset(v.details.Thinking, c.at.Thinking)
	text, hasText := byteOffset(v.text, c.at.Text)
	switch {
	case v.attempt != c.at.Attempt:
	case c.at.Text > 0 && c.at.Thinking < v.moved:
		c.at.Attempt = 0 // matches no attempt
	case hasThinking && hasText:
		c.thinking, c.text = thinking, v.text[:text]
		c.sourced = thinking+text > 0
	case v.behind:
		return false
	default:
		c.at.Attempt = 0
	}
	c.resuming = false
	return true
}

// byteOffset returns the length in bytes of the first code points of text. It returns false if text has fewer.
func byteOffset(text string, points int64) (int, bool) {
	at := 0
	for ; points > 0; points-- {
		if at >= len(text) {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at, true
}

func (c *cursor) event(name string, data any) Event {
	return Event{At: c.at, Name: name, Data: data}
}
