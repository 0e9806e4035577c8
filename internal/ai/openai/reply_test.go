package openai

import (
	"strings"
	"testing"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

type steps = []aitest.Step

var finish = aitest.Event(`{"choices":[{"delta":{},"finish_reason":"stop"}]}`)

func TestReplyTellsThinkingFromText(t *testing.T) {
	blank := strings.Repeat("\n", 300)
	twoNames := aitest.Event(`{"choices":[{"delta":{"content":"","reasoning":"hm","reasoning_content":"hm"}}]}`)
	tests := []struct {
		name           string
		steps          steps
		thinking, text string
	}{
		{
			"reasoning_content",
			steps{aitest.Delta("reasoning_content", "hm"), aitest.Text("yes"), aitest.End()},
			"hm", "yes",
		},
		{"reasoning", steps{aitest.Delta("reasoning", "hm"), aitest.Text("yes"), aitest.End()}, "hm", "yes"},
		{"thinking", steps{aitest.Delta("thinking", "hm"), aitest.Text("yes"), aitest.End()}, "hm", "yes"},
		{"two names at once", steps{twoNames, aitest.Text("yes"), aitest.End()}, "hm", "yes"},
		{"tag", aitest.Say("<think>hm</think>yes"), "hm", "yes"},
		{"tag in pieces", aitest.Say("\n", " <th", "ink>", "\nh", "m</", "thi", "nk>\n", "\nyes"), "hm", "yes"},
		{"empty tag", aitest.Say("<think>\n\n</think>\n\nyes"), "", "yes"},
		{"tag in the middle", aitest.Say("Write <think>hm</think>."), "", "Write <think>hm</think>."},
		{"similar tag", aitest.Say(" <thi", "s>"), "", " <this>"},
		{
			"tag after a page of white space",
			aitest.Say(blank, "<think>hm</think>yes"),
			"", blank + "<think>hm</think>yes",
		},
		{"NUL", steps{aitest.Thinking("h\x00m"), aitest.Text("y\x00es"), aitest.End()}, "h\uFFFDm", "y\uFFFDes"},
		{"half a tag at the end", aitest.Say("<thi"), "", "<thi"},
		{"no opening tag", aitest.Say("hm\n</think>\n\nyes"), "hm\n", "yes"},
		{"no opening tag, in pieces", aitest.Say("h", "m", "\n", "</", "think", ">", "\n", "\n", "y", "es"), "hm\n", "yes"},
		{"no opening tag, at once", aitest.Say("</think>yes"), "", "yes"},
		{"a closing tag after thinking of its own", steps{
			aitest.Thinking("hm"), aitest.Text("yes\n</think>\n"), aitest.End(),
		}, "hm", "yes\n</think>\n"},
		{"no opening tag, in one line", aitest.Say("hm", ".</th", "ink>", " yes"), "hm.", "yes"},
		{"no opening tag, in one line, after a letter", aitest.Say("渡</think>yes"), "渡", "yes"},
		{"no opening tag, after code", aitest.Say("`x` it is</think>yes"), "`x` it is", "yes"},
		{"a closing tag after an opening one", aitest.Say("So <think>hm</think>\n"), "", "So <think>hm</think>\n"},
		{"a closing tag as a word", aitest.Say("It ends with </think> then."), "", "It ends with </think> then."},
		{"a closing tag in quotes", aitest.Say("It ends with “</think>”."), "", "It ends with “</think>”."},
		{"a closing tag in code", aitest.Say("Like `hm", "</think>yes`."), "", "Like `hm</think>yes`."},
		{"a closing tag behind a tag", aitest.Say("<p>", "hm</", "thin>"), "", "<p>hm</thin>"},
		{"a closing tag within a line", aitest.Say("It ends with `</think>`.\n"), "", "It ends with `</think>`.\n"},
		{
			"a closing tag in a code block",
			aitest.Say("So:\n``", "`\nhm\n</think>\n```\n"),
			"", "So:\n```\nhm\n</think>\n```\n",
		},
		{"half a closing tag at the end", aitest.Say("yes\n</thi"), "", "yes\n</thi"},
		{"parts of Mistral", steps{
			aitest.Event(`{"choices":[{"delta":{"content":[{"type":"thinking",` +
				`"thinking":[{"type":"text","text":"h"},{"type":"text","text":"m"}]}]}}]}`),
			aitest.Event(`{"choices":[{"delta":{"content":[{"type":"text","text":"y"},` +
				`{"type":"reference","reference_ids":[1]},{"type":"text","text":"e"}]}}]}`),
			aitest.Text("s"), aitest.End(),
		}, "hm", "yes"},
		{"a refusal", steps{
			aitest.Event(`{"choices":[{"delta":{"content":null,"refusal":"I can't "}}]}`),
			aitest.Delta("refusal", "do that."), aitest.End(),
		}, "", "I can't do that."},
	}
	server := aitest.New(t)
	model := newModel(t, server.URL)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server.Script(test.steps...)
			var got received
			if err := model.Reply(t.Context(), &ai.Prompt{Question: "Is it?"}, got.emit); err != nil {
				t.Fatal(err)
			}
			if got.thinking != test.thinking || got.text != test.text {
				t.Errorf("thinking %q, text %q, want %q, %q", got.thinking, got.text, test.thinking, test.text)
			}
		})
	}
}

func TestCompleteRepliesOfEveryForm(t *testing.T) {
	text := aitest.Text("yes")
	tests := []struct {
		name  string
		steps steps
	}{
		{"no [DONE]", steps{text, finish}},
		{"[DONE] only", steps{text, aitest.Event("[DONE]")}},
		{"[DONE] without an empty line", steps{text, aitest.Raw("data: [DONE]")}},
		{"connection cut after finish_reason", steps{text, finish, aitest.Cut()}},
		{"held open after [DONE]", steps{text, aitest.End(), aitest.Hang()}},
		{
			"usage after finish_reason",
			steps{text, finish, aitest.Event(`{"choices":[],"usage":{"total_tokens":9}}`), aitest.Event("[DONE]")},
		},
		{
			"stopped by the server's own limit",
			steps{aitest.Event(`{"choices":[{"delta":{"content":"yes"},"finish_reason":"length"}]}`)},
		},
		{"comments, names, CRLF, no space", steps{
			aitest.Raw(": waiting\r\n\r\nevent: message\r\nid: 1\r\n" +
				"data:{\"choices\":[{\"delta\":{\"content\":\"yes\"}}]}\r\n\r\n"),
			aitest.End(),
		}},
		{"data over two lines", steps{
			aitest.Raw("data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"yes\"}}]}\n\n"),
			aitest.End(),
		}},
		{"null error", steps{aitest.Event(`{"error":null,"choices":[{"delta":{"content":"yes"}}]}`), aitest.End()}},
		{"one JSON document", steps{aitest.Status(200, `{"object":"chat.completion","choices":[`+
			`{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}`)}},
		{"one JSON document after empty lines", steps{
			aitest.Raw("\n\n\n"),
			aitest.Raw(`{"choices":[{"message":{"content":"<think>hm</think>yes"},"finish_reason":"stop"}]}`),
		}},
	}
	server := aitest.New(t)
	model := newModel(t, server.URL)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server.Script(test.steps...)
			var got received
			err := model.Reply(t.Context(), &ai.Prompt{Question: "Is it?"}, got.emit)
			if err != nil || got.text != "yes" {
				t.Errorf("received %+v, error %v", got, err)
			}
		})
	}
}

func TestReplySaysWhyItEnds(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL)
	for finish, want := range map[string]string{
		"stop": "", "end_turn": "", "length": "length", "content_filter": "content_filter", "sensitive": "sensitive",
		"insufficient_system_resource": "insufficient_system_resource", strings.Repeat("x", 100): "",
	} {
		server.Script(aitest.Text("ye"), aitest.Event(`{"choices":[{"delta":{"content":"s"},"finish_reason":"`+finish+`"}]}`))
		var got received
		err := model.Reply(t.Context(), &ai.Prompt{Question: "Is it?"}, got.emit)
		if err != nil || got.text != "yes" || got.finish != want {
			t.Errorf("%s: received %+v, error %v", finish, got, err)
		}
	}
}

func TestIncompleteRepliesFailWithoutAnotherTry(t *testing.T) {
	text := aitest.Text("ye")
	errorObject := aitest.Event(`{"object":"error","message":"out of memory"}`)
	tooLong := `{"error":{"message":"This model's maximum context length is 8192 tokens."}}`
	tests := []struct {
		name  string
		steps steps
		kind  FailureKind
	}{
		{"half a stream", steps{text}, Malformed},
		{"nothing at all", steps{aitest.Begin()}, Malformed},
		{"an empty reply", aitest.Say(), Malformed},
		{"a blank reply", aitest.Say(" \n"), Malformed},
		{"thinking only", steps{aitest.Thinking("hm"), aitest.End()}, Malformed},
		{
			"nothing but a filter",
			steps{aitest.Event(`{"choices":[{"delta":{"content":""},"finish_reason":"content_filter"}]}`)},
			Policy,
		},
		{
			"all tokens for thinking",
			steps{aitest.Thinking("hm"), aitest.Event(`{"choices":[{"delta":{},"finish_reason":"length"}]}`)},
			Malformed,
		},
		{"thinking without end", aitest.Say("<think>hm"), Malformed},
		{"HTML", steps{aitest.Status(200, "<!doctype html><title>Sign in</title>")}, Malformed},
		{"garbage", steps{aitest.Raw("\x00\xff\x1b garbage\n\n")}, Malformed},
		{"garbage as data", steps{text, aitest.Event("garbage")}, Malformed},
		{"a JSON document without a choice", steps{aitest.Status(200, `{"ok":true}`)}, Malformed},
		{
			"a JSON document that is not finished",
			steps{aitest.Status(200, `{"choices":[{"message":{"content":"yes"}}]}`)},
			Malformed,
		},
		{"compressed", steps{aitest.Status(200, "\x1f\x8b\x08", "Content-Encoding", "gzip")}, Malformed},
		{
			"an error inside a 200",
			steps{aitest.Event(`{"error":{"message":"overloaded ` + secret + `"}}`)},
			Aborted,
		},
		{"an error after some text", steps{text, aitest.Event(`{"error":"overloaded"}`), aitest.End()}, Aborted},
		{"an error event", steps{aitest.Raw("event: error\ndata: overloaded\n\n"), aitest.End()}, Aborted},
		{"an error object", steps{text, errorObject, aitest.Event("[DONE]")}, Aborted},
		{
			"an error as finish_reason",
			steps{aitest.Event(`{"choices":[{"delta":{"content":"ye"},"finish_reason":"error"}]}`)},
			Aborted,
		},
		{"an error document", steps{aitest.Status(200, `{"error":{"message":"no such model"}}`)}, UnknownModel},
		{
			"a too long prompt, reported in the stream",
			steps{aitest.Event(`{"error":{"code":"context_length_exceeded"}}`)},
			TooLong,
		},
		{"connection cut after the first token", steps{text, aitest.Cut()}, Unreachable},
		{"connection reset after the first token", steps{text, aitest.Reset()}, Unreachable},
		{"wrong key", steps{aitest.Status(401, `{"error":{"message":"wrong key `+secret+`"}}`)}, Key},
		{
			"wrong request",
			steps{aitest.Status(400, `{"error":{"message":"bad request with `+secret+`"}}`)},
			Rejected,
		},
		{"wrong address", steps{aitest.Status(404, "not found")}, Rejected},
		{"a too long prompt", steps{aitest.Status(400, tooLong)}, TooLong},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := aitest.New(t)
			server.Script(test.steps...)
			model := newModel(t, server.URL)
			err := model.Reply(t.Context(), &ai.Prompt{Question: "Is it?"}, func(ai.Chunk) {})
			wantFailure(t, err, test.kind)
			if n := len(server.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}
