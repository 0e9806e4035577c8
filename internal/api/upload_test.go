package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
)

// An endless header would fill the memory.
func TestAnEndlessHeaderOfAPartIsNotRead(t *testing.T) {
	a, _, ctx := uploader(t)
	a.maxUpload = 1 << 30
	body := &endless{}
	head := strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"")
	request := httptest.NewRequest(http.MethodPost, "/api/files/upload", io.MultiReader(head, body))
	request.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	u := a.newUpload(ctx)
	parts, err := u.open(&uploadRequest{request: request, writer: patient{httptest.NewRecorder()}})
	if err != nil {
		t.Fatal(err)
	}
	var refused *parley.Error
	if err := u.read(parts); !errors.As(err, &refused) || refused.Message != errBadUpload.Message {
		t.Errorf("error is %v", err)
	}
	if body.read == 0 || body.read > maxOther {
		t.Errorf("%d bytes were read", body.read)
	}
}

// endless is an endless reader.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

// patient is a response writer that accepts read deadlines.
type patient struct{ http.ResponseWriter }

func (patient) SetReadDeadline(time.Time) error { return nil }
