package ai

import (
	"bytes"
	"io"
	"strings"
)

// answer turns what an upstream sends into the chunks of a reply.
type answer struct {
	emit func(Chunk)
	// prompt is let go with the first chunk: nobody is asked again from then on, and
	// thousands of replies may be under way.
	prompt *Prompt
	room   int    // bytes that the reply may still grow
	key    string // to keep out of failures

	split    thinkSplitter
	begun    bool // something was emitted
	spoke    bool // something of the text was, other than white space
	finished bool // the reply is complete
	done     bool // and nothing follows
}

// event takes one event of a stream.
func (a *answer) event(data []byte, isError bool) error {
	if isError {
		return aborted(data, a.key)
	}
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		a.finished, a.done = true, true
		return nil
	}
	d, err := parseDelta(data)
	if err != nil {
		return malformed("an event that is not JSON")
	}
	if d.failed || d.finish == "error" {
		return aborted(data, a.key)
	}
	a.finished = a.finished || d.finish != ""
	return a.add(d)
}

// whole takes an answer that is one JSON document of at most limit bytes, as servers
// send that don't stream.
func (a *answer) whole(in io.Reader, limit int) error {
	data, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return cutShort(err, a.key)
	}
	if len(data) > limit {
		return cutShort(errTooMuch, a.key)
	}
	if err := a.event(data, false); err != nil {
		return err
	}
	if !a.finished {
		return malformed("an answer without a complete choice")
	}
	return a.end()
}

func (a *answer) add(d delta) error {
	if a.room -= len(d.thinking) + len(d.text); a.room < 0 {
		return &Failure{Kind: Oversized, detail: "a reply over the limit"}
	}
	a.send(d.thinking, "")
	if d.text != "" {
		a.send(a.split.add(d.text))
	}
	return nil
}

// end closes a complete reply.
func (a *answer) end() error {
	a.send(a.split.rest())
	if !a.spoke {
		return malformed("an empty reply")
	}
	return nil
}

func (a *answer) send(thinking, text string) {
	if thinking != "" {
		a.begin()
		a.emit(Chunk{Thinking: storable(thinking)})
	}
	if text != "" {
		a.begin()
		a.spoke = a.spoke || strings.TrimSpace(text) != ""
		a.emit(Chunk{Text: storable(text)})
	}
}

func (a *answer) begin() {
	if !a.begun {
		a.begun = true
		*a.prompt = Prompt{}
	}
}

// storable replaces NUL, which not every database keeps.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }
