package aitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
)

// Step is one action of a scripted response. The request's context ends when the client disconnects or the
// server closes. After that, writes are lost and waits end at once.
type Step func(w http.ResponseWriter, r *http.Request)

// Say returns the steps of a complete reply in the given pieces.
func Say(pieces ...string) []Step {
	steps := make([]Step, 0, len(pieces)+1)
	for _, piece := range pieces {
		steps = append(steps, Text(piece))
	}
	return append(steps, End())
}

// Echo returns the steps of a complete reply that repeats the question. With deep thinking, thinking precedes it.
func Echo(r Request) []Step {
	steps := Say("You said: ", r.Question())
	if r.DeepThinking() {
		steps = append([]Step{Thinking("Thinking about: " + r.Question())}, steps...)
	}
	return steps
}

// Text sends a piece of the reply.
func Text(text string) Step { return Delta("content", text) }

// Thinking sends a piece of the thinking.
func Thinking(text string) Step { return Delta("reasoning_content", text) }

// Delta sends a piece of the reply under the given name.
func Delta(name, text string) Step { return Raw(deltaEvent(name, text)) }

// End sends the finish_reason and [DONE].
func End() Step { return Raw(endEvents) }

// EndCounted is End with the tokens of the prompt and of the reply, as servers send them if they are asked for.
func EndCounted(prompt, reply int) Step {
	return Raw(fmt.Sprintf(`%s"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`+"\n\n"+
		`%s"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`+"\n\ndata: [DONE]\n\n",
		eventPrefix, eventPrefix, prompt, reply, prompt+reply))
}

// Event sends one event with the given data.
func Event(data string) Step { return Raw("data: " + data + "\n\n") }

// Raw sends bytes unaltered and flushes them.
func Raw(bytes string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		_, _ = io.WriteString(w, bytes)
		_ = http.NewResponseController(w).Flush()
	}
}

// Begin sends status 200 and the header of a stream.
func Begin() Step { return Raw("") }

// Status sends a status, headers given as name, value, name, value, and a body.
func Status(code int, body string, headers ...string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// Wait blocks until a receive from ready succeeds or the client disconnects.
func Wait(ready <-chan struct{}) Step {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-ready:
		case <-r.Context().Done():
		}
	}
}

// Hang blocks until the client disconnects.
func Hang() Step { return Wait(nil) }

// Reached closes the channel.
func Reached(reached chan<- struct{}) Step {
	return func(http.ResponseWriter, *http.Request) { close(reached) }
}

// Gone blocks until the client disconnects, and then closes the channel.
func Gone(gone chan<- struct{}) Step {
	return func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	}
}

// Cut closes the connection before the end of the body.
func Cut() Step {
	return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
}

// Reset closes the connection with a TCP reset, as a crashed peer would.
func Reset() Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

const (
	// eventPrefix begins every event. It has the fields that servers send and clients ignore.
	eventPrefix = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"test",`
	// endEvents end a complete reply.
	endEvents = eventPrefix + `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
)

// deltaEvent returns an event with one piece of text.
func deltaEvent(name, text string) string {
	quoted, err := json.Marshal(map[string]string{name: text})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return eventPrefix + `"system_fingerprint":"fp_1","choices":[{"index":0,"delta":` + string(quoted) +
		`,"logprobs":null,"finish_reason":null}]}` + "\n\n"
}
