package api

import (
	"bytes"
	"context"
	"log/slog"
	"mime/multipart"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/account"
	"parley/internal/blob"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/library"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// FuzzJSON decodes a body as huma does: once for the schema, once for the input. Both results must be equal, and
// every text must be exactly what was sent.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"session_id":"a","content":"b","deep_thinking":true}`, `{"Content":"x","content":"y","CONTENT":"z"}`,
		`{"content":null}`,
		`null`, `[]`, `"x"`, `{"content":"\ud83d\ude00"}`, `{"content":"\ud83d"}`, `{"content":"\u0000"}`,
		`{"content":"\\u0000"}`,
		`{"content":"a"} {}`, `{"content":1e999}`, "{\"content\":\"\xff\"}", strings.Repeat("[", 20000), `{"content":"` +
			"\x00" + `"}`,
	} {
		f.Add([]byte(seed))
	}
	var decoder bodyDecoder
	f.Fuzz(func(t *testing.T, data []byte) {
		var generic any
		if decoder.decode(data, &generic) != nil {
			return
		}
		members, ok := generic.(map[string]any)
		if !ok {
			return
		}
		var in parley.SendInput
		err := decoder.decode(data, &in)
		content, given := members["content"]
		text, isText := content.(string)
		switch {
		case given && !isText:
			return // the schema refuses it
		case err != nil:
			return // another member has a wrong type, which the schema refuses too
		case in.Content != text:
			t.Fatalf("the input holds %q, the checked value %q", in.Content, text)
		}
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Fatalf("%q was accepted", text)
		}
		if strings.ContainsRune(text, utf8.RuneError) && !bytes.ContainsRune(data, utf8.RuneError) &&
			!bytes.Contains(bytes.ToLower(data), []byte(`\ufffd`)) {
			t.Fatalf("%q was changed to %q", data, text)
		}
	})
}

// FuzzUpload reads an arbitrary multipart body. A refused upload must leave nothing behind.
func FuzzUpload(f *testing.F) {
	const head, file = "--b\r\nContent-Disposition: form-data; name=", "\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n"
	for _, seed := range []string{
		head + file + head + "\"session_id\"\r\n\r\nx\r\n--b--\r\n", head + "\"session_id\"\r\n\r\nx\r\n" + head + file +
			"--b--\r\n",
		head + file + head + file + "--b--\r\n", head + file, head + "\"other\"\r\n\r\nx\r\n--b--\r\n", "--b--\r\n", "",
		strings.Repeat(head+"\"x\"\r\n\r\n\r\n", 40),
	} {
		f.Add([]byte(seed))
	}
	a, database, ctx := uploader(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		u := a.newUpload(ctx)
		u.body = &uploadReader{ended: true} // the parts come from elsewhere
		err := u.read(multipart.NewReader(bytes.NewReader(body), "b"))
		if err == nil && (u.draft == nil || u.sessionID == nil) {
			t.Fatal("an upload without its parts was accepted")
		}
		u.discard()
		left, err := database.StaleFileIntents(ctx, time.Now().Add(time.Hour), "", 10)
		if err != nil || len(left) > 0 {
			t.Fatalf("%v is left behind, error %v", left, err)
		}
	})
}

// uploader returns an API that accepts uploads of up to 1 KB.
func uploader(t testing.TB) (*API, *store.Store, context.Context) {
	t.Helper()
	database := storetest.Open(t, t.TempDir(), "")
	blobs, err := blob.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	books := library.New(library.Config{
		Store: database, Blobs: blobs, Log: slog.New(slog.DiscardHandler), MaxUpload: 1 << 10, Now: time.Now,
		Reader: sandbox.Inline{Reader: extract.Reader{MaxText: 4 << 10, MaxUnpacked: 8 << 10}, Index: library.Index},
	})
	return &API{library: books}, database, context.WithValue(context.Background(), keyIdentity, &account.Identity{})
}
