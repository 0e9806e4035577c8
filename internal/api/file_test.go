package api_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/extract/prose"
	"parley/internal/library"
)

func TestFiles(t *testing.T) {
	shared(t, []part{
		{"upload", upload},
		{"download gives the bytes", downloadGivesTheBytes},
		{"download gives a part", downloadGivesAPart},
		{"deleting a file removes it", deletingAFileRemovesIt},
		{"a file's text is read by page", aFilesTextIsReadByPage},
		{"an invented quote is told", anInventedQuoteIsTold},
	})
}

// formType is the Content-Type of the bodies that form returns.
const formType = "Content-Type: multipart/form-data; boundary=the-boundary"

// form returns a multipart body. parts are name, value, name, value. A name such as file=notes.txt makes a file.
func form(parts ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(parts); i += 2 {
		name, filename, isFile := strings.Cut(parts[i], "=")
		b.WriteString("--the-boundary\r\nContent-Disposition: form-data; name=\"" + name + `"`)
		if isFile {
			b.WriteString("; filename=\"" + filename + "\"")
		}
		b.WriteString("\r\n\r\n" + parts[i+1] + "\r\n")
	}
	return b.String() + "--the-boundary--\r\n"
}

func upload(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "")
	for _, test := range []struct {
		name, content string
		kept, kind    string
	}{
		{"notes.txt", "hello", "notes.txt", "text/plain"},
		{"notes", "hello", "notes", "text/plain"},
		{"README.md", "# Title", "README.md", "text/markdown"},
		{"时间表.md", "# 渡船", "时间表.md", "text/markdown"},
		{"data.csv", "a,b\n1,2\n", "data.csv", "text/csv"},
		{"data.json", `{"a":1}`, "data.json", "application/json"},
		{"main.go", "package main\n", "main.go", "text/x-go"},
		{"page.exe", "just text", "page.exe", "text/plain"},
		{"../../etc/passwd", "hello", "passwd", "text/plain"},
		{`C:\Users\ada\notes.txt`, "hello", "notes.txt", "text/plain"},
		{"CON.txt", "hello", "_CON.txt", "text/plain"},
		{`a".txt"; filename="b.exe`, "hello", "a_.txt_; filename=_b.exe", "text/plain"},
		{"page.txt", "<!DOCTYPE html><p>hello</p>", "page.txt", "text/html"},
		{strings.Repeat("长", 200) + ".txt", "hello", strings.Repeat("长", 83) + ".txt", "text/plain"},
	} {
		file, err := ada.Upload(ctx, session, test.name, strings.NewReader(test.content))
		w.must(err)
		if file.Filename != test.kept || file.FileType != test.kind || file.FileSize != int64(len(test.content)) ||
			file.FileID == "" {
			w.Errorf("%q: got %+v, want %q of %s", test.name, file, test.kept, test.kind)
		}
	}
	files, err := ada.Files(ctx, session)
	w.must(err)
	if len(files.Files) != 14 || files.Files[0].Filename != "notes.txt" || files.Files[2].Filename != "README.md" {
		w.Errorf("got %+v, want all files, oldest first", files)
	}
}

func TestUploadInputs(t *testing.T) {
	eachWith(t, func(w *world) { w.MaxUpload = 1000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		const path = "/api/files/upload"
		upload := func(name, body string, status int, code parley.Code, says string) scenario {
			return scenario{
				name: name, path: path, body: body, headers: []string{formType}, status: status, code: code,
				says: says,
			}
		}
		limit := strings.Repeat("x", 1000)
		w.play(ada, []scenario{
			upload("the session first", form("session_id", session, "file=a.txt", "text"), 200, 0, ""),
			upload("the file first", form("file=a.txt", "text", "session_id", session), 200, 0, ""),
			upload("other parts are passed over", form("colour", "red", "file=a.txt", "text", "session_id", session), 200, 0,
				""),
			upload("the limit", form("session_id", session, "file=a.txt", limit), 200, 0, ""),
			upload("a byte over the limit", form("session_id", session, "file=a.txt", limit+"x"), 413, 2005, "1000 B"),
			upload("over the limit, the file first", form("file=a.txt", limit+"x", "session_id", session), 413, 2005, ""),
			// The session comes later and is not known yet. The server does not read the rest of the body.
			upload("over the limit, the file first, an unknown session", form("file=a.txt", limit+"x", "session_id", "x"), 413,
				2005, ""),
			upload("over the limit, an unknown session first", form("session_id", "x", "file=a.txt", limit+"x"), 404, 2001, ""),
			upload("an image, an unknown session", form("file=a.txt", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "session_id",
				"x"), 404, 2001, ""),
			upload("no session", form("file=a.txt", "text"), 400, 1001, "session_id is required"),
			upload("no file", form("session_id", session), 400, 1001, "file is required"),
			upload("two files", form("session_id", session, "file=a.txt", "text", "file=b.txt", "text"), 400, 1001, "each once"),
			upload("two sessions", form("session_id", session, "session_id", session, "file=a.txt", "text"), 400, 1001,
				"each once"),
			upload("no name", form("session_id", session, "file", "text"), 400, 1001, "file"),
			upload("an unknown session", form("session_id", "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10", "file=a.txt", "text"), 404,
				2001, ""),
			upload("an unknown session, the file first", form("file=a.txt", "text", "session_id", "x"), 404, 2001, ""),
			upload("an empty file", form("session_id", session, "file=a.txt", ""), 422, 2003, "empty"),
			upload("blank text", form("session_id", session, "file=a.txt", " \n\t"), 422, 2003, ""),
			upload("an image named as text", form("session_id", session, "file=a.txt", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
				415, 2004, "pictures"),
			upload("a program named as text", form("session_id", session, "file=a.txt", "\x7fELF\x02\x01\x01\x00\x00\x00"),
				415, 2004, "format"),
			upload("cut in the middle", strings.TrimSuffix(form("session_id", session, "file=a.txt", "text"),
				"\r\n--the-boundary--\r\n"), 400, 1001, "multipart"),
			upload("16 parts", form(append(slices.Repeat([]string{"colour", "red"}, 14), "file=a.txt", "text", "session_id",
				session)...), 200, 0, ""),
			upload("17 parts", form(append(slices.Repeat([]string{"colour", "red"}, 15), "file=a.txt", "text", "session_id",
				session)...), 400, 1001, "multipart"),
			upload("too many parts", form(slices.Repeat([]string{"colour", "red"}, 100_000)...), 400, 1001, "multipart"),
			upload("too much beside the file", form("colour", strings.Repeat("red", 1<<19), "session_id", session,
				"file=a.txt", "text"), 400, 1001, "multipart"),
			{
				name: "a boundary of 70", path: path, body: strings.ReplaceAll(form("session_id", session, "file=a.txt", "text"),
					"the-boundary", strings.Repeat("b", 70)),
				headers: []string{"Content-Type: multipart/form-data; boundary=" + strings.Repeat("b", 70)}, status: 200,
			},
			{
				name: "a boundary of 71", path: path, body: strings.ReplaceAll(form("session_id", session, "file=a.txt", "text"),
					"the-boundary", strings.Repeat("b", 71)),
				headers: []string{"Content-Type: multipart/form-data; boundary=" + strings.Repeat("b", 71)}, status: 400,
				code: 1001, says: "multipart/form-data",
			},
			{
				name: "a long boundary", path: path, body: strings.ReplaceAll(form("session_id", session, "file=a.txt", "text"),
					"the-boundary", strings.Repeat("b", 10_000)),
				headers: []string{"Content-Type: multipart/form-data; boundary=" + strings.Repeat("b", 10_000)}, status: 400,
				code: 1001, says: "multipart/form-data",
			},
			{
				name: "JSON", path: path, body: `{"session_id":"` + session + `"}`, status: 400, code: 1001,
				says: "multipart/form-data",
			},
			{
				name: "no boundary", path: path, body: form("session_id", session),
				headers: []string{"Content-Type: multipart/form-data"}, status: 400, code: 1001, says: "multipart/form-data",
			},
			{name: "no body", path: path, status: 400, code: 1001, says: "multipart/form-data"},
		})
		files, err := ada.Files(w.Context(), session)
		w.must(err)
		if len(files.Files) != 6 {
			w.Errorf("got %d files, want the 6 accepted ones", len(files.Files))
		}
		w.eventually("nothing is left of the others",
			func() bool { return w.blobs() == 6*3 && w.count("file_intents", "") == 0 })
	})
}

// blobs counts the stored blobs in the data folder.
func (w *world) blobs() (n int) {
	w.Helper()
	w.must(filepath.WalkDir(filepath.Join(w.Dir, "files"), func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			n++
		}
		return nil
	}))
	return n
}

func TestAnUploadOverTheLimitIsNotReadToItsEnd(t *testing.T) {
	eachWith(t, func(w *world) { w.MaxUpload = 1000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		endless := &countingReader{}
		_, err := ada.Upload(w.Context(), session, "a.txt", endless)
		w.wants(err, parley.CodeFileTooLarge, 413)
		if n := endless.read.Load(); n > 64<<20 {
			w.Errorf("%d bytes were sent", n)
		}
	})
}

func TestAClientThatLeavesInTheMiddleLeavesNothing(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		ctx, leave := context.WithCancel(w.Context())
		content, more := io.Pipe()
		uploaded := make(chan error, 1)
		go func() {
			_, err := ada.Upload(ctx, session, "a.txt", content)
			uploaded <- err
		}()
		_, err := more.Write(bytes.Repeat([]byte("half a file "), 10_000))
		w.must(err)
		w.eventually("the bytes come in", func() bool { return w.count("file_intents", "") == 1 })
		leave()
		more.CloseWithError(context.Canceled) // a plain end of the file could still reach the server
		if err := <-uploaded; err == nil {
			w.Error("the upload succeeded")
		}
		w.eventually("nothing is left", func() bool {
			return w.blobs() == 0 && w.count("file_intents", "") == 0 &&
				w.count("files", "") == 0
		})
	})
}

// storedSize returns how much of its user's storage a text of repeated letters takes, with its extracted text and
// index.
func storedSize(t *testing.T, size int) int64 {
	t.Helper()
	index, err := library.Index(prose.Document{Text: strings.Repeat("x", size)})
	if err != nil {
		t.Fatal(err)
	}
	return int64(2*size + len(index))
}

func TestAUserStoresNoMoreThanAllowed(t *testing.T) {
	first := storedSize(t, 600)
	allowed := first + storedSize(t, 400)
	eachWith(t, func(w *world) { w.UserStorage = allowed }, func(w *world) {
		ctx := w.Context()
		ada, bob := w.user("ada"), w.user("bob")
		session, other := w.session(ada, ""), w.session(ada, "")
		upload := func(as *client.Client, session string, size int) (parley.File, error) {
			return as.Upload(ctx, session, "a.txt", strings.NewReader(strings.Repeat("x", size)))
		}
		sixHundred, err := upload(ada, session, 600)
		w.must(err)
		_, err = upload(ada, other, 401)
		w.wants(err, parley.CodeFileTooLarge, 413)
		if !strings.Contains(err.Error(), parley.FormatSize(first)+" of the "+parley.FormatSize(allowed)) {
			w.Errorf("the error is %v", err)
		}
		_, err = upload(ada, other, 400)
		w.must(err)
		_, err = upload(ada, session, 1)
		w.wants(err, parley.CodeFileTooLarge, 413)
		for _, size := range []int{600, 400} {
			_, err = upload(bob, w.session(bob, ""), size)
			w.must(err)
		}

		w.must(ada.ClearSession(ctx, other)) // its files stay
		_, err = upload(ada, other, 1)
		w.wants(err, parley.CodeFileTooLarge, 413)
		w.must(ada.DeleteFile(ctx, sixHundred.FileID))
		_, err = upload(ada, session, 600)
		w.must(err)
		w.must(ada.DeleteSession(ctx, other))
		_, err = upload(ada, session, 400)
		w.must(err)
		w.eventually("the bytes of what was refused or deleted are gone",
			func() bool { return w.blobs() == 4*3 && w.count("file_intents", "") == 0 })
	})
}

func TestUploadsAtOnceStayWithinTheStorage(t *testing.T) {
	eachWith(t, func(w *world) { w.UserStorage = 10 * storedSize(t, 300) / 3 }, func(w *world) {
		ada := w.user("ada")
		sessions := []string{w.session(ada, ""), w.session(ada, "")}
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				_, errs[i] = ada.Upload(w.Context(), sessions[i%2], "a.txt", strings.NewReader(strings.Repeat("x", 300)))
			})
		}
		all.Wait()
		taken := 0
		for _, err := range errs {
			if err == nil {
				taken++
				continue
			}
			w.wants(err, parley.CodeFileTooLarge, 413)
		}
		if taken != 3 {
			w.Errorf("%d files of 300 bytes were accepted", taken)
		}
	})
}

// TestAUserHasAFewUploadsAtOnce checks that many uploads of one user do not block uploads of others.
func TestAUserHasAFewUploadsAtOnce(t *testing.T) {
	each(t, func(w *world) {
		const most = 8
		ada, bob := w.user("ada"), w.user("bob")
		session := w.session(ada, "")
		upload := func(c *client.Client, session string, rest io.Reader) error {
			_, err := c.Upload(w.Context(), session, "a.txt", io.MultiReader(strings.NewReader("The beginning"), rest))
			return err
		}
		ends := make([]*io.PipeWriter, most)
		done := make(chan error, most)
		for i := range ends {
			var rest io.Reader
			rest, ends[i] = io.Pipe()
			go func() { done <- upload(ada, session, rest) }()
		}
		w.eventually("all have begun", func() bool { return w.count("file_intents", "") == most })
		err := upload(ada, session, strings.NewReader(" and the end"))
		w.wants(err, parley.CodeInternal, 503)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Message != parley.ErrTooManyUploads.Message ||
			refused.RetryAfter != time.Second {
			w.Errorf("the next: %+v", refused)
		}
		w.must(upload(bob, w.session(bob, ""), strings.NewReader(" and the end")))

		for i, end := range ends {
			w.must(end.Close())
			w.must(<-done)
			if i == 0 {
				w.must(upload(ada, session, strings.NewReader(" and the end")))
			}
		}
	})
}

// countingReader never ends.
type countingReader struct{ read atomic.Int64 }

func (r *countingReader) Read(p []byte) (int, error) {
	r.read.Add(int64(len(p)))
	return copy(p, bytes.Repeat([]byte("x"), len(p))), nil
}

func downloadGivesTheBytes(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "")
	const content = "\xef\xbb\xbfline one\r\nline two\r\n"
	for _, name := range []string{"notes.txt", "时间表.md", "data.json"} {
		file, err := ada.Upload(ctx, session, name, strings.NewReader(content))
		w.must(err)
		download, err := ada.Download(ctx, file.FileID)
		w.must(err)
		text, err := io.ReadAll(download)
		w.must(err)
		w.must(download.Close())
		if string(text) != content || download.Filename != name || download.FileType != file.FileType ||
			download.FileSize != int64(len(content)) {
			w.Errorf("%s: got %+v with %q", name, download, text)
		}
		got := w.request("GET", "/api/files/"+file.FileID, "", as(ada))
		if !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") ||
			got.Header.Get("Content-Security-Policy") != "sandbox" {
			w.Errorf("%s: headers %v", name, got.Header)
		}
	}
}

func downloadGivesAPart(w *world) {
	ada := w.user("ada")
	file, err := ada.Upload(w.Context(), w.session(ada, ""), "a.txt", strings.NewReader("0123456789"))
	w.must(err)
	path := "/api/files/" + file.FileID
	for _, test := range []struct {
		header, content string
		status          int
	}{
		{"Range: bytes=2-4", "234", 206},
		{"Range: bytes=-3", "789", 206},
		{"Range: bytes=8-100", "89", 206},
		{"Range: lines=1-2", "", 416},
		{"Range: bytes=4-2", "", 416},
		{"Range: bytes=x", "", 416},
		{"Range: bytes=10-", "", 416},
		{`If-Match: "another"`, "", 412},
		{"If-Unmodified-Since: Mon, 02 Jan 2006 15:04:05 GMT", "", 412},
		{"If-Modified-Since: Tue, 01 Jan 2999 00:00:00 GMT", "", 304},
	} {
		got := w.request("GET", path, "", as(ada), test.header)
		if got.StatusCode != test.status {
			w.Errorf("%s: status %d, want %d", test.header, got.StatusCode, test.status)
		}
		if got.StatusCode < 400 {
			if got.text != test.content {
				w.Errorf("%s: got %q", test.header, got.text)
			}
			continue
		}
		if got.code() != parley.CodeInvalidParameter || got.message() == "" || got.Header.Get("Content-Disposition") != "" {
			w.Errorf("%s: got %s with %v", test.header, got.text, got.Header)
		}
		if size := got.Header.Get("Content-Range"); test.header == "Range: bytes=10-" && size != "bytes */10" {
			w.Errorf("%s: Content-Range is %q", test.header, size)
		}
	}
}

func deletingAFileRemovesIt(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	own := w.property(ada)
	w.must(ada.DeleteFile(ctx, own["file_id"]))
	w.wants(ada.DeleteFile(ctx, own["file_id"]), parley.CodeUploadFailed, 404)
	_, err := ada.Download(ctx, own["file_id"])
	w.wants(err, parley.CodeUploadFailed, 404)
	if files, err := ada.Files(ctx, own["session_id"]); err != nil || len(files.Files) != 0 {
		w.Errorf("got %+v, %v", files, err)
	}
	w.eventually("its bytes are gone", func() bool { return !w.onDisk(own["file_id"]) })
}

func aFilesTextIsReadByPage(w *world) {
	ctx := w.Context()
	ada, bob := w.user("ada"), w.user("bob")
	session := w.session(ada, "Files")
	text := strings.Repeat("Nothing of note happens in this paragraph.\n\n", 500) + "The hydrofoil leaves at nine.\n"
	file, err := ada.Upload(ctx, session, "a.txt", strings.NewReader(text))
	w.must(err)
	first, err := ada.FileText(ctx, file.FileID, parley.FileTextInput{})
	w.must(err)
	if first.FileID != file.FileID || first.Filename != "a.txt" || first.Page != 1 || first.Pages != 3 ||
		!strings.HasPrefix(text, first.Text) {
		w.Errorf("the first page is %+v", first)
	}
	found, err := ada.FileText(ctx, file.FileID, parley.FileTextInput{Find: "the hydrofoil leaves"})
	w.must(err)
	if found.Page != 3 || found.Match == nil || found.Offset+found.Match.Start != int64(len(text)-30) {
		w.Errorf("the page with the passage is %+v", found)
	}
	_, err = ada.FileText(ctx, file.FileID, parley.FileTextInput{Page: 4})
	w.wants(err, parley.CodeInvalidParameter, 400)
	_, err = ada.FileText(ctx, file.FileID, parley.FileTextInput{Find: "a\x00b"})
	w.wants(err, parley.CodeInvalidParameter, 400)
	_, err = ada.FileText(ctx, file.FileID, parley.FileTextInput{Find: strings.Repeat("a", parley.MaxFind+1)})
	w.wants(err, parley.CodeInvalidParameter, 400)
	_, err = bob.FileText(ctx, file.FileID, parley.FileTextInput{})
	w.wants(err, parley.CodeUploadFailed, 404)
}

func anInventedQuoteIsTold(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "Contract")
	text := strings.NewReader("The tenant pays the rent on the third of the month.\n")
	_, err := ada.Upload(ctx, session, "contract.txt", text)
	w.must(err)
	w.Model.Script(aitest.Say("contract.txt says “the tenant pays the rent on the third”.\n\n" +
		"contract.txt also says “the tenant pays the landlord a deposit”.")...)
	sent, err := ada.Send(ctx, parley.SendInput{SessionID: session, Content: "What does it say?"})
	w.must(err)
	want := []parley.Quote{{Text: "the tenant pays the landlord a deposit", Filename: "contract.txt"}}
	if got := sent.AIResponse.NotFound; !slices.Equal(got, want) {
		w.Errorf("quotes not found are %+v", got)
	}
	page, err := ada.Messages(ctx, session, parley.Page{})
	w.must(err)
	if got := page.Messages[1].NotFound; !slices.Equal(got, want) {
		w.Errorf("the stored quotes are %+v", got)
	}
	w.Model.Script(aitest.Say("contract.txt says “the tenant pays the rent on the third”.")...)
	again, err := ada.Regenerate(ctx, session, parley.RegenerateInput{})
	w.must(err)
	if got := again.AIResponse.NotFound; got != nil {
		w.Errorf("after another version: %+v", got)
	}
}
