package main_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley"
)

// TestNoSecretIsShown sets a secret in every setting that takes one. It checks all output of the program: help, log,
// errors, the doctor's report and responses.
func TestNoSecretIsShown(t *testing.T) {
	t.Parallel()
	const secret = "hush-hush-5f1c"
	// The services repeat the key in their errors, as some real ones do.
	rude := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"bad key `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
	}))
	defer rude.Close()
	at := strings.Replace(rude.URL, "http://", "http://user:"+secret+"@", 1)
	settings := []string{
		"PARLEY_DATA=" + t.TempDir(), "PARLEY_LOG_LEVEL=debug",
		"PARLEY_AI_BASE_URL=" + at + "/v1", "PARLEY_AI_API_KEY=" + secret, "PARLEY_AI_MODEL=m",
		"PARLEY_SEARCH_PROVIDER=tavily", "PARLEY_SEARCH_URL=" + at, "PARLEY_SEARCH_API_KEY=" + secret,
		"PARLEY_OIDC_ISSUER=" + rude.URL, "PARLEY_OIDC_CLIENT_ID=parley", "PARLEY_OIDC_CLIENT_SECRET=" + secret,
		"PARLEY_PUBLIC_URL=http://127.0.0.1:8080",
		"PARLEY_EMBED_BASE_URL=" + at + "/v1", "PARLEY_EMBED_API_KEY=" + secret, "PARLEY_EMBED_MODEL=m",
	}
	shown := map[string]string{}
	for _, database := range []string{
		"postgres://user:" + secret + "@127.0.0.1:1/db",
		"postgres://user:" + secret + "@%zz/db", "mysql://user:" + secret + "@h/db",
	} {
		shown["a database that does not answer: "+database[:8]] = everythingSaid(t,
			append(settings, "PARLEY_DATABASE_URL="+database))
	}
	for _, files := range []string{
		"s3://key:" + secret + "@bucket?endpoint=http://127.0.0.1:1&region=r",
		"s3://key:" + secret + "@bucket?secret=" + secret,
	} {
		shown["a store that does not answer: "+files[len(files)-8:]] = everythingSaid(t,
			append(settings, "PARLEY_FILES_URL="+files))
	}
	shown["a key that is none"] = everythingSaid(t, append(settings, "PARLEY_AI_API_KEY="+secret+" "))
	shown["the help"] = everythingSaid(t, settings, "--help")
	p := start(t, settings...)
	shown["the doctor"] = everythingSaid(t, settings, "doctor")
	ada := p.user("ada")
	for _, search := range []bool{false, true} {
		_, err := ada.Send(t.Context(), parley.SendInput{
			SessionID: session(t, ada), Content: "Hello",
			ReplyOptions: parley.ReplyOptions{WebSearch: search},
		})
		if err == nil {
			t.Fatal("a refused key is not an error")
		}
		shown["a response"] += err.Error()
	}
	shown["the log"] = p.said()
	for where, text := range shown {
		if text == "" || strings.Contains(text, secret) {
			t.Errorf("%s is empty or contains the secret: %q", where, text)
		}
	}
}

// everythingSaid returns all output of a command, which may fail.
func everythingSaid(t *testing.T, settings []string, args ...string) string {
	t.Helper()
	stdout, stderr, _ := operate(t, settings, args...)
	return stdout + stderr
}
