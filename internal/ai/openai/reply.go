package openai

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"parley"
	"parley/internal/ai"
)

// reply turns the events of a response into the chunks of a reply.
type reply struct {
	emit    func(ai.Chunk)
	prompt  *ai.Prompt // cleared before the first chunk, to free its memory
	room    int        // bytes left for thinking and text
	secrets secrets    // removed from failures

	split    thinkSplitter
	bare     bareThinking
	begun    bool   // a chunk was emitted
	hasText  bool   // text other than white space was emitted
	finish   string // the server's finish_reason
	finished bool   // the reply is complete
	done     bool   // no more events follow
	usage    *parley.Usage
}

// event handles one event of a stream.
func (r *reply) event(data []byte, isError bool) error {
	if isError {
		return aborted(data, r.secrets)
	}
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		r.finished, r.done = true, true
		return nil
	}
	d, err := parseDelta(data)
	if err != nil {
		return malformed("an event that is not JSON")
	}
	if d.failed || d.finish == "error" {
		return aborted(data, r.secrets)
	}
	if d.finish != "" {
		r.finished, r.finish = true, d.finish
	}
	if d.usage != nil {
		r.usage = d.usage
	}
	return r.add(d)
}

// document handles a response from a server that doesn't stream: one JSON document of at most limit bytes.
func (r *reply) document(in io.Reader, limit int) error {
	data, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return incomplete(err, r.secrets)
	}
	if len(data) > limit {
		return incomplete(errTooLarge, r.secrets)
	}
	if err := r.event(data, false); err != nil {
		return err
	}
	if !r.finished {
		return malformed("a response without a complete choice")
	}
	return r.end()
}

func (r *reply) add(d delta) error {
	if r.room -= len(d.thinking) + len(d.text); r.room < 0 {
		return &Failure{Kind: Oversized, detail: "a reply over the limit"}
	}
	r.send(d.thinking, "")
	if d.text != "" {
		r.send(r.split.add(d.text))
	}
	return nil
}

// end emits what is left of a complete reply. It fails if the reply is blank.
func (r *reply) end() error {
	r.send(r.split.rest())
	r.sendText(r.bare.rest())
	finish := unfinished(r.finish)
	switch {
	case r.hasText && finish != "":
		r.emit(ai.Chunk{Finish: finish})
	case !r.hasText && slices.Contains(filtered, finish):
		return &Failure{Kind: Policy, detail: "the reply was filtered (" + short(finish, r.secrets) + ")"}
	case !r.hasText:
		return malformed("an empty reply" + reasonOf(finish))
	}
	return nil
}

func reasonOf(finish string) string {
	if finish == "" {
		return ""
	}
	return " (" + short(finish, nil) + ")"
}

func (r *reply) send(thinking, text string) {
	if thinking != "" {
		r.begin()
		r.bare.over = true
		r.emit(ai.Chunk{Thinking: withoutNUL(thinking)})
	}
	before, after, found := r.bare.add(text)
	r.sendText(before)
	if found {
		r.hasText = false
		r.emit(ai.Chunk{WasThinking: true})
		r.sendText(after)
	}
}

func (r *reply) sendText(text string) {
	if text == "" {
		return
	}
	r.begin()
	r.hasText = r.hasText || strings.TrimSpace(text) != ""
	r.emit(ai.Chunk{Text: withoutNUL(text)})
}

// begin frees the prompt before the first chunk.
func (r *reply) begin() {
	if !r.begun {
		r.begun = true
		*r.prompt = ai.Prompt{}
	}
}

// sendUsage emits the tokens that the server has counted. Before the first chunk they are nobody's.
func (r *reply) sendUsage() {
	if r.begun && r.usage != nil {
		r.emit(ai.Chunk{Usage: r.usage})
	}
}

// withoutNUL replaces NUL, which PostgreSQL can't store.
func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }
