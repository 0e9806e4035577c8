package openai

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai"
)

func TestAModelServerIsAskedForItsModels(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   Listing
		failed FailureKind
	}{
		{"it is listed", 200, `{"data":[{"id":"other"},{"id":"the-model"}]}`, Listed, ""},
		{"it is not listed", 200, `{"data":[{"id":"other"},{"id":"the-model-2"}]}`, Unlisted, ""},
		{"Ollama", 200, `{"data":[{"id":"the-model:latest"}]}`, Listed, ""},
		{"Gemini", 200, `{"data":[{"id":"models/the-model"}]}`, Listed, ""},
		{"no list", 404, `not found`, NoList, ""},
		{"an empty list", 200, `{"data":[]}`, NoList, ""},
		{"something else", 200, `<html>`, NoList, ""},
		{"a wrong key", 401, `{"error":"your key hush-hush is wrong"}`, NoList, Key},
		{"out of order", 503, `no`, NoList, Busy},
		{"elsewhere", 302, ``, NoList, Rejected},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.URL.Path != "/v1/models" ||
				r.Header.Get("Authorization") != "Bearer hush-hush" {
				t.Errorf("%s: got %s %s with %q", test.name, r.Method, r.URL.Path, r.Header.Get("Authorization"))
			}
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		model, err := New(Config{BaseURL: server.URL + "/v1", APIKey: "hush-hush", Model: "the-model"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := model.Check(t.Context())
		var failure *Failure
		switch {
		case test.failed == "" && (err != nil || got != test.want):
			t.Errorf("%s: %v, %v", test.name, got, err)
		case test.failed == "":
		case !errors.As(err, &failure) || failure.Kind != test.failed || strings.Contains(err.Error(), "hush"):
			t.Errorf("%s: %v", test.name, err)
		}
		model.Close()
		server.Close()
	}
	model, err := New(Config{BaseURL: "http://127.0.0.1:1/v1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	var failure *Failure
	_, err = model.Check(t.Context())
	if !errors.As(err, &failure) || failure.Kind != Unreachable || ai.ReasonOf(err) != parley.ReasonUnreachable {
		t.Errorf("nobody there: %v", err)
	}
}
