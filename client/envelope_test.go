package client

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley"
)

// read decodes an envelope of a response with the given status.
func read(status int, text io.Reader, limit int64, out any) error {
	answer := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(text)}
	return readEnvelope(answer, limit, out)
}

func TestAnAnswerIsReadUpToTheLimitOnly(t *testing.T) {
	text := `{"error":0,"message":"ok","success":true}`
	if err := read(200, strings.NewReader(text), int64(len(text)), nil); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	err := read(200, endlessReader{}, 1000, nil)
	if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Message, "too large") {
		t.Errorf("over the limit: %v", err)
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func FuzzEnvelope(f *testing.F) {
	f.Add(200, `{"error":0,"body":{"user_id":7},"message":"ok","success":true}`)
	f.Add(404, `{"error":2001,"message":"the session does not exist","success":false}`)
	f.Add(504, `{"error":5001,"body":{"ai_response":{"id":"m2"}},"message":"late","success":false}`)
	f.Add(200, `{"error":null,"success":true}`)
	f.Add(502, `<html>`)
	f.Fuzz(func(t *testing.T, status int, text string) {
		var out parley.UserInfo
		err := read(status, strings.NewReader(text), 1<<20, &out)
		if err == nil && status != http.StatusOK {
			t.Errorf("status %d is a success: %q", status, text)
		}
		if e, ok := errors.AsType[*Error](err); ok {
			e.Late()
		}
	})
}
