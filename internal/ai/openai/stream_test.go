package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

// events reads all events of a stream through a buffer of the given size.
func events(in io.Reader, buffer int) ([]string, error) {
	r := eventReader{in: bufio.NewReaderSize(in, buffer), maxEvent: 1000, maxStream: 5000, onLine: func() {}}
	var all []string
	for {
		data, isError, err := r.next()
		if err != nil {
			return all, err
		}
		if isError {
			all = append(all, "error")
		}
		all = append(all, string(data))
	}
}

func FuzzEventReader(f *testing.F) {
	f.Add([]byte("data: one\n\ndata: two\ndata: lines\n\n: comment\n\nevent: error\ndata: x\n\ndata: [DONE]"))
	f.Add([]byte("data:x\r\n\r\ndata\n\nid: 1\nretry: 5\n\n\n\n"))
	f.Add([]byte("data: " + strings.Repeat("x", 2000) + "\n\n"))
	f.Add([]byte("data: " + strings.Repeat("x", 998) + "\n\n"))
	f.Add([]byte(strings.Repeat(": waiting\n", 600)))
	f.Fuzz(func(t *testing.T, stream []byte) {
		want, wantErr := events(bytes.NewReader(stream), 4096)
		got, err := events(iotest.OneByteReader(bytes.NewReader(stream)), 16)
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, wantErr) {
			t.Errorf("byte by byte: %v, %v\n%s", err, wantErr, diff)
		}
		if !errors.Is(wantErr, io.EOF) && !errors.Is(wantErr, errTooLarge) {
			t.Errorf("error %v", wantErr)
		}
	})
}

// split passes a text to a splitter in pieces of the given lengths, which are repeated.
func split(text string, lengths []byte) (thinking, reply string) {
	var s thinkSplitter
	take := func(t, r string) {
		thinking += t
		reply += r
	}
	for i := 0; text != ""; i++ {
		n := len(text)
		if len(lengths) > 0 {
			n = min(n, 1+int(lengths[i%len(lengths)]))
		}
		take(s.add(text[:n]))
		text = text[n:]
	}
	take(s.rest())
	return thinking, reply
}

func FuzzThinkSplitter(f *testing.F) {
	f.Add("<think>hm</think>yes", []byte{0})
	f.Add(" \n<think>\n a < b </thin </think>\n\nyes </think> <think>", []byte{1, 3})
	f.Add(strings.Repeat(" ", 300)+"<think>hm</think>", []byte{200})
	f.Add("<thinker>", []byte{2})
	f.Add("<think></think>", []byte{0})
	f.Fuzz(func(t *testing.T, text string, lengths []byte) {
		thinking, reply := split(text, nil)
		if t2, r2 := split(text, lengths); t2 != thinking || r2 != reply {
			t.Errorf("in pieces: %q, %q; whole: %q, %q", t2, r2, thinking, reply)
		}
		if !strings.Contains(text, thinkOpen) && reply != text {
			t.Errorf("a text without the tag became %q", reply)
		}
		if strings.Contains(thinking, thinkClose) {
			t.Errorf("the thinking contains its end: %q", thinking)
		}
	})
}

// splitBare passes a text to bareThinking in pieces of the given lengths, which are repeated.
func splitBare(text string, lengths []byte) (thinking, reply string) {
	var b bareThinking
	for i := 0; text != ""; i++ {
		n := len(text)
		if len(lengths) > 0 {
			n = min(n, 1+int(lengths[i%len(lengths)]))
		}
		for n < len(text) && !utf8.RuneStart(text[n]) { // texts come in whole characters
			n++
		}
		before, after, found := b.add(text[:n])
		if reply += before; found {
			thinking, reply = reply, after
		}
		text = text[n:]
	}
	return thinking, reply + b.rest()
}

func FuzzBareThinking(f *testing.F) {
	f.Add("hm\n</think>\n\nyes", []byte{0})
	f.Add("h`m` 渡</think>\nyes </think>", []byte{1, 3})
	f.Add("```\nhm\n</think>\n```\n<think>`</think>` <</think>", []byte{0, 7})
	f.Fuzz(func(t *testing.T, text string, lengths []byte) {
		thinking, reply := splitBare(text, nil)
		if t2, r2 := splitBare(text, lengths); t2 != thinking || r2 != reply {
			t.Errorf("in pieces: %q, %q; whole: %q, %q", t2, r2, thinking, reply)
		}
		if thinking == "" && reply != text && !strings.HasPrefix(text, thinkClose) ||
			!strings.HasPrefix(text, thinking) || !strings.HasSuffix(text, reply) {
			t.Errorf("%q became %q and %q", text, thinking, reply)
		}
	})
}

// plainDelta parses an event with encoding/json.
func plainDelta(data []byte) delta {
	var d delta
	fields := func(data []byte) (m map[string]json.RawMessage) {
		_ = json.Unmarshal(data, &m)
		return m
	}
	str := func(data []byte) (s string) {
		_ = json.Unmarshal(data, &s)
		return s
	}
	event := fields(data)
	var choices []json.RawMessage
	_ = json.Unmarshal(event["choices"], &choices)
	if len(choices) > 0 {
		choice := fields(choices[0])
		d.finish = str(choice["finish_reason"])
		message := fields(choice["delta"])
		d.text = str(message["content"])
		for _, name := range []string{"thinking", "reasoning", "reasoning_content"} {
			if s := str(message[name]); s != "" {
				d.thinking = s
			}
		}
	}
	failure := event["error"]
	d.failed = failure != nil && string(failure) != "null" || string(event["object"]) == `"error"`
	return d
}

func FuzzParseDelta(f *testing.F) {
	f.Add([]byte(`{"id":"1","choices":[` +
		`{"index":0,"delta":{"role":"assistant","content":"a\n\"b\" \u00e9 \ud83d\udea2 \ud83d"},` +
		`"logprobs":null,"finish_reason":"stop"},{"delta":{"content":"no"}}],"usage":{"n":[1,-2.5e3,{}]}}`))
	f.Add([]byte(`{"choices":[{"delta":` +
		`{"content":null,"reasoning":"r","reasoning_content":"","thinking":"t","tool_calls":[]}}]}`))
	f.Add([]byte(`{"error":{"message":"x"},"object":"error"}`))
	f.Add([]byte(`{"\u0063hoices":[{"delta":{"content":"\\\/\b\f\r\t\u0000"}}]}`))
	f.Add([]byte(" { } "))
	f.Add([]byte(`{"x":` + strings.Repeat("[", 1000)))
	f.Add([]byte("{\"choices\":[{\"delta\":{\"content\":\"\xff\\u12\"}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := parseDelta(data)
		if !utf8.ValidString(got.text) || !utf8.ValidString(got.thinking) {
			t.Errorf("invalid text in %+v", got)
		}
		trimmed := bytes.TrimSpace(data)
		// No known server repeats a field, or sends both delta and message.
		if !json.Valid(data) || trimmed[0] != '{' || repeats(data) {
			return
		}
		if err != nil {
			t.Fatalf("valid JSON is refused: %v", err)
		}
		if want := plainDelta(data); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// repeats reports whether the event has one of the parsed names more than once, or message.
func repeats(data []byte) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	seen := map[string]int{}
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		if s, ok := token.(string); ok {
			seen[s]++
		}
	}
	names := []string{
		"choices", "delta", "content", "reasoning", "reasoning_content", "thinking",
		"finish_reason", "error", "object",
	}
	return seen["message"] > 0 || slices.ContainsFunc(names, func(name string) bool { return seen[name] > 1 })
}

func FuzzReply(f *testing.F) {
	f.Add([]byte(aitest.Stream("Hello", " world")))
	f.Add([]byte(`{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}]}`))
	f.Add([]byte("<html>"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\nevent: error\ndata: x"))
	var body []byte
	model := newModel(f, "http://upstream/v1", func(c *Config) {
		c.MaxReply = 1000
		c.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(body))}, nil
		})
	})
	f.Fuzz(func(t *testing.T, stream []byte) {
		body = stream
		var got received
		err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, got.emit)
		var failure *Failure
		if err != nil && !errors.As(err, &failure) {
			t.Errorf("error %v", err)
		}
		if err == nil && strings.TrimSpace(got.text) == "" {
			t.Error("an empty reply is taken as complete")
		}
		if len(got.text)+len(got.thinking) > 3*1000 || !utf8.ValidString(got.text) || strings.Contains(got.text, "\x00") {
			t.Errorf("received %q", got.text)
		}
	})
}

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
