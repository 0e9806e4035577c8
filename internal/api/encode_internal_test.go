package api

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"parley"
)

func pageOf(messages ...parley.Message) answer[parley.MessagesOutput] {
	return answer[parley.MessagesOutput]{
		Body: parley.MessagesOutput{Messages: messages, Total: int64(len(messages))}, Message: ok, Success: true,
	}
}

// FuzzPage compares our own text of a page with the standard library's.
func FuzzPage(f *testing.F) {
	for _, text := range []string{
		"", "plain", "seven b", "eight by", "a \"quoted\" \\ word in a longer line", "tab\tnew\nline\r\b\f\x00\x1f\x7f",
		"<script>&amp;</script>", "中文和 English", "emoji 😀 and \u2028 and \u2029", "broken \xff\xc3 bytes \xe2\x80", "12345678\"", "1234567\"8",
		strings.Repeat("é", 20), "\ufffd",
	} {
		f.Add(text, text, int64(len(text)), true)
	}
	f.Fuzz(func(t *testing.T, content, thinking string, number int64, marked bool) {
		page := pageOf(
			parley.Message{ID: "1", Role: parley.RoleUser, Content: content, Timestamp: number, IsFavorited: marked},
			parley.Message{ID: content, Role: thinking, Status: parley.StatusPending, Details: parley.Details{Thinking: thinking, ThinkingMS: number}},
			parley.Message{Details: parley.Details{Sources: []parley.Source{{Title: content, URL: thinking}}, Files: []parley.Passage{}}},
		)
		var want bytes.Buffer
		if err := encodeJSON(&want, page); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		var writer pages
		for range 2 { // the second time in the same buffer
			got.Reset()
			if err := writer.encode(&got, page); err != nil {
				t.Fatal(err)
			}
		}
		// The library writes the stand-in for what is not UTF-8 as an escape.
		spelt := strings.NewReplacer(`\ufffd`, "\ufffd")
		if spelt.Replace(got.String()) != spelt.Replace(want.String()) {
			t.Errorf("got  %q\nwant %q", &got, &want)
		}
	})
}

// TestEveryFieldOfAMessageIsWritten fails for a field that is new to the type.
func TestEveryFieldOfAMessageIsWritten(t *testing.T) {
	var m parley.Message
	for i := range reflect.TypeFor[parley.Message]().NumField() {
		switch field := reflect.ValueOf(&m).Elem().Field(i); field.Kind() {
		case reflect.String:
			field.SetString("text")
		case reflect.Int64:
			field.SetInt(7)
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Struct: // the details, which the library writes
		default:
			t.Fatalf("a field of another kind: %s", field.Type())
		}
	}
	var got, want bytes.Buffer
	var writer pages
	if err := errors.Join(writer.encode(&got, pageOf(m)), encodeJSON(&want, pageOf(m))); err != nil || got.String() != want.String() {
		t.Errorf("got %s, want %s, %v", &got, &want, err)
	}
}

func TestAnEmptyPageIsAnEmptyList(t *testing.T) {
	page := pageOf()
	page.Body.Messages = []parley.Message{}
	var got bytes.Buffer
	var writer pages
	if err := writer.encode(&got, page); err != nil || got.String() != `{"error":0,"body":{"messages":[],"total":0},"message":"ok","success":true}`+"\n" {
		t.Errorf("%s, %v", &got, err)
	}
}

func BenchmarkPage(b *testing.B) {
	for name, text := range map[string]string{
		"English": strings.Repeat("Which ferry goes from Naples to Capri, and when?\n", 20),
		"Chinese": strings.Repeat("从那不勒斯到卡普里岛的渡轮几点开，要多长时间？", 15),
	} {
		messages := make([]parley.Message, 50)
		for i := range messages {
			messages[i] = parley.Message{ID: "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f11", Role: parley.RoleUser, Content: text, Timestamp: 1767225600}
		}
		page := pageOf(messages...)
		var out bytes.Buffer
		b.Run(name+"/json", func(b *testing.B) {
			for b.Loop() {
				out.Reset()
				_ = encodeJSON(&out, page)
			}
		})
		b.Run(name+"/own", func(b *testing.B) {
			var writer pages
			for b.Loop() {
				out.Reset()
				_ = writer.encode(&out, page)
			}
		})
	}
}
