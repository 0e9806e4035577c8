package aitest

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
)

// Step is one thing that a scripted answer does. The request's context ends when the
// client leaves or the server closes; from then on what is sent is lost, and waits end
// at once.
type Step func(w http.ResponseWriter, r *http.Request)

// Say is a whole reply in the given pieces.
func Say(pieces ...string) []Step {
	steps := make([]Step, 0, len(pieces)+1)
	for _, piece := range pieces {
		steps = append(steps, Text(piece))
	}
	return append(steps, End())
}

// Echo is a whole reply that repeats the question. With deep thinking it thinks first.
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

// Event sends one event with the given data.
func Event(data string) Step { return Raw("data: " + data + "\n\n") }

// Raw sends bytes as they are, at once.
func Raw(bytes string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		_, _ = io.WriteString(w, bytes)
		_ = http.NewResponseController(w).Flush()
	}
}

// Begin sends status 200 and the header of a stream, but nothing of it.
func Begin() Step { return Raw("") }

// Status answers with a status, a body, and headers given as name, value, name, value.
func Status(code int, body string, headers ...string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// Wait holds the answer until gate is closed or gives a value, or the client leaves.
func Wait(gate <-chan struct{}) Step {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	}
}

// Hang holds the answer until the client leaves.
func Hang() Step { return Wait(nil) }

// Reached closes the channel, to tell a test that the answer has come so far.
func Reached(mark chan<- struct{}) Step {
	return func(http.ResponseWriter, *http.Request) { close(mark) }
}

// Gone waits for the client to leave, and then closes the channel.
func Gone(mark chan<- struct{}) Step {
	return func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(mark)
	}
}

// Cut ends the answer in the middle: the connection closes without the end of its body.
func Cut() Step {
	return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
}

// Reset ends the connection as a crashed peer would, with a TCP reset.
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

// endEvents are what a complete reply ends with.
const endEvents = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"test","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` +
	"\n\ndata: [DONE]\n\n"

// deltaEvent is an event as servers send it, with all that a client passes over.
func deltaEvent(name, text string) string {
	quoted, err := json.Marshal(map[string]string{name: text})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"test","system_fingerprint":"fp_1","choices":[{"index":0,"delta":` +
		string(quoted) + `,"logprobs":null,"finish_reason":null}]}` + "\n\n"
}
