package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"parley"
	"parley/client"

	"github.com/google/go-cmp/cmp"
)

const fileAnswer = `{"file_id":"d1","filename":"a.md","file_size":3,"file_type":"text/markdown","upload_time":6}`

func TestUploadSendsTheTwoPartsOfTheContract(t *testing.T) {
	const name = `a "quoted" 渡.md`
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" || r.RequestURI != "/api/files/upload" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("sent %s %s as %q", r.Method, r.RequestURI, r.Header.Get("Authorization"))
		}
		form, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		type part struct{ Name, Filename, Text string }
		var got []part
		for {
			p, err := form.NextPart()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Error(err)
				return
			}
			text, err := io.ReadAll(p)
			if err != nil {
				t.Error(err)
			}
			got = append(got, part{p.FormName(), p.FileName(), string(text)})
		}
		if diff := cmp.Diff([]part{{"session_id", "", "s1"}, {"file", name, "# A\n"}}, got); diff != "" {
			t.Errorf("parts (-want +got):\n%s", diff)
		}
		io.WriteString(w, success(fileAnswer))
	})
	out, err := c.Upload(t.Context(), "s1", name, iotest.OneByteReader(strings.NewReader("# A\n")))
	if err != nil {
		t.Fatal(err)
	}
	want := parley.File{FileID: "d1", Filename: "a.md", FileSize: 3, FileType: "text/markdown", UploadTime: 6}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestUploadTakesConstantMemory(t *testing.T) {
	const size = 16 << 20
	var received int64
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		received, _ = io.Copy(io.Discard, r.Body)
		io.WriteString(w, success(fileAnswer))
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := c.Upload(t.Context(), "s1", "a.txt", io.LimitReader(letters{}, size)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if received < size {
		t.Errorf("%d bytes arrived", received)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 2<<20 {
		t.Errorf("uploading %d bytes allocated %d", size, grown)
	}
}

func TestARefusalMidwayIsToldAndTheReaderIsGivenBack(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.CopyN(io.Discard, r.Body, 1<<16); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		io.WriteString(w, `{"error":2005,"message":"the file is larger than the limit","success":false}`)
	})
	content := &counted{Reader: io.LimitReader(letters{}, 1<<30)}
	_, err := c.Upload(t.Context(), "s1", "a.txt", content)
	wantError(t, err, client.Error{
		Code: parley.CodeFileTooLarge, Message: "the file is larger than the limit", Status: http.StatusRequestEntityTooLarge,
	})
	// Not atomic: the race detector must find a Read after Upload has returned.
	if content.reads == 0 {
		t.Error("nothing was read")
	}
}

func TestAReaderThatFailsFailsTheUpload(t *testing.T) {
	broken := errors.New("disk gone")
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			t.Error("the server saw a whole body")
		}
	})
	_, err := c.Upload(t.Context(), "s1", "a.txt", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}

func TestAnUploadEndsWithItsContextThoughTheReaderHangs(t *testing.T) {
	arrived := make(chan struct{})
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			t.Error("the server saw a whole body")
		}
	})
	hanging, end := io.Pipe()
	defer end.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := c.Upload(ctx, "s1", "a.txt", hanging); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestDownloadGivesBytesNameAndType(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" || r.RequestURI != "/api/files/d%2F1" {
			t.Errorf("sent %s %s", r.Method, r.RequestURI)
		}
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''%E6%B8%A1.md")
		io.WriteString(w, "# A\n")
	})
	d, err := c.Download(t.Context(), "d/1")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := io.ReadAll(d)
	if err != nil || string(text) != "# A\n" {
		t.Errorf("read %q, %v", text, err)
	}
	if d.Filename != "渡.md" || d.FileType != "text/markdown" || d.FileSize != 4 {
		t.Errorf("got %q, %q, %d bytes", d.Filename, d.FileType, d.FileSize)
	}
}

func TestAFileThatIsNotThereIsAnError(t *testing.T) {
	c, _ := responding(t, http.StatusNotFound, `{"error":2003,"message":"the file does not exist","success":false}`)
	_, err := c.Download(t.Context(), "d1")
	wantError(t, err, client.Error{
		Code: parley.CodeUploadFailed, Message: "the file does not exist",
		Status: http.StatusNotFound,
	})
}

func TestExportMarkdownGivesTheDocument(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI != "/api/chat/session/s1/export?format=markdown" {
			t.Errorf("sent %s", r.RequestURI)
		}
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		io.WriteString(w, "# Capri\n")
	})
	document, err := c.ExportMarkdown(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	defer document.Close()
	if text, err := io.ReadAll(document); err != nil || string(text) != "# Capri\n" {
		t.Errorf("read %q, %v", text, err)
	}
}

// letters is an endless reader.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// counted counts reads, without a lock.
type counted struct {
	io.Reader
	reads int
}

func (c *counted) Read(p []byte) (int, error) {
	c.reads++
	return c.Reader.Read(p)
}
