package client

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestFramesAreSplitAsTheStandardSays(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []frame
	}{
		{"one", "event: delta\nid: 1.0.2\ndata: {}\n\n", []frame{{"delta", []byte("{}"), "1.0.2"}}},
		{"no space", "event:delta\ndata:{}\n\n", []frame{{"delta", []byte("{}"), ""}}},
		{"one space only is dropped", "data:  x\n\n", []frame{{"message", []byte(" x"), ""}}},
		{"CRLF", "event: delta\r\ndata: {}\r\n\r\n", []frame{{"delta", []byte("{}"), ""}}},
		{"data over lines", "data: a\ndata\ndata: b\n\n", []frame{{"message", []byte("a\n\nb"), ""}}},
		{
			"comments and unknown fields", ": beat\n\n: beat\nretry: 5\nfoo: bar\ndata: x\n\n",
			[]frame{{"message", []byte("x"), ""}},
		},
		{
			"a name without data gives nothing and does not stay", "event: delta\n\ndata: x\n\n",
			[]frame{{"message", []byte("x"), ""}},
		},
		{
			"an id stays", "id: 7\ndata: a\n\ndata: b\n\n",
			[]frame{{"message", []byte("a"), "7"}, {"message", []byte("b"), "7"}},
		},
		{
			"an id with NUL is passed over", "id: 7\ndata: a\n\nid: 8\x00\ndata: b\n\n",
			[]frame{{"message", []byte("a"), "7"}, {"message", []byte("b"), "7"}},
		},
		{"cut off", "data: a\n\nid: 9\ndata: b\n", []frame{{"message", []byte("a"), ""}}},
		{"nothing", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			frames := newFrameReader(iotest.OneByteReader(strings.NewReader(test.text)), 1000)
			var got []frame
			for {
				f, err := frames.next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, f)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(frame{})); diff != "" {
				t.Errorf("frames (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnEventOverTheLimitEndsTheStream(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"one endless line":   io.MultiReader(strings.NewReader("data: "), endlessReader{}),
		"lines without end":  strings.NewReader(strings.Repeat("data: 0123456789\n", 1000)),
		"an endless comment": io.MultiReader(strings.NewReader(": "), endlessReader{}),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := newFrameReader(r, 1000).next(); !errors.Is(err, errEventTooLarge) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestHeartbeatsDoNotFillTheLimit(t *testing.T) {
	text := strings.Repeat(": beat\n", 1000) + "data: x\n\n"
	f, err := newFrameReader(strings.NewReader(text), 100).next()
	if err != nil || string(f.data) != "x" {
		t.Errorf("frame %q, error %v", f.data, err)
	}
}

func TestABrokenConnectionIsTold(t *testing.T) {
	broken := errors.New("broken")
	_, err := newFrameReader(io.MultiReader(strings.NewReader("data: a\n"), iotest.ErrReader(broken)), 100).next()
	if !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("event: start\nid: 1.0.0\ndata: {\"user_message_id\":\"m1\",\"message_id\":\"m2\"}\n\n")
	f.Add("event: delta\ndata: {\"text\":\"a\\nb\"}\n\nevent: error\ndata: {\"error\":5001,\"message\":\"no\"}\n\n")
	f.Add(": beat\n\nevent: done\ndata: {\"ai_response\":{}}\n\n")
	f.Add("data\r\ndata:\n\nid: \x00\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 64
		s := Stream{frames: newFrameReader(strings.NewReader(text), limit)}
		var last error
		for event, err := range s.Events() {
			if (event == nil) == (err == nil) {
				t.Fatalf("event %v with error %v", event, err)
			}
			last = err
		}
		if _, err := s.Wait(); err == nil {
			t.Error("a stream read to its end gives a reply")
		}
		if last != nil && last.Error() == "" {
			t.Error("an error without a text")
		}
	})
}
