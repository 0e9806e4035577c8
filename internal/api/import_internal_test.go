package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/account"
	"parley/internal/library"
)

// receiving serves the upload of an import and discards the file. Then it calls next with the context of the request.
func receiving(next func(ctx context.Context, w http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		u := &upload{
			ctx: context.WithValue(r.Context(), keyIdentity, &account.Identity{}), limit: 1 << 40, bad: errBadImport,
			pace: pace{rate: importRate, total: importTime}, slow: errSlowImport,
			receive: func(_ context.Context, _ int64, _ string, file io.Reader) (*library.Draft, error) {
				_, err := io.Copy(io.Discard, file)
				return &library.Draft{}, err
			},
		}
		parts, err := u.open(&uploadRequest{request: r, writer: w})
		if err == nil {
			err = u.read(parts)
		}
		if err != nil {
			writeError(w, r, asError(u.cause(err)))
			return
		}
		next(r.Context(), w)
	}
}

const (
	formHead = "POST / HTTP/1.1\r\nHost: test\r\nContent-Type: multipart/form-data; boundary=b\r\n" +
		"Transfer-Encoding: chunked\r\n\r\n"
	fileHead = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
	fileEnd  = "\r\n--b--\r\n"
	bodyEnd  = "0\r\n\r\n"
)

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

// TestAClientThatLeavesIsNoticed has a client that disconnects while the server works on its upload. The end of the
// body comes separately, after the last part.
func TestAClientThatLeavesIsNoticed(t *testing.T) {
	working, left := false, false
	handle := receiving(func(ctx context.Context, _ http.ResponseWriter) {
		working = true
		select {
		case <-ctx.Done():
			left = true
		case <-time.After(10 * time.Minute):
		}
	})
	testPeer(t, handle, func(p *peer) {
		for _, text := range []string{formHead + chunk(fileHead+"x"+fileEnd), bodyEnd} {
			p.write(text)
		}
		synctest.Wait()
		if !working {
			p.Fatal("the upload is not complete")
		}
		p.conn.Close()
		synctest.Wait()
		if !left {
			p.Error("the server still works on the upload")
		}
	})
}

// write sends a text. It waits until the server has read it.
func (p *peer) write(text string) {
	p.Helper()
	if _, err := io.WriteString(p.conn, text); err != nil {
		p.Fatal(err)
	}
}

// sendSlowly sends a file in pieces, one each second. It returns after how many the server gave up, or pieces if it
// did not.
func (p *peer) sendSlowly(pieces, size int) int {
	p.Helper()
	p.write(formHead + chunk(fileHead))
	piece := chunk(strings.Repeat("x", size))
	for sent := range pieces {
		time.Sleep(time.Second)
		if _, err := io.WriteString(p.conn, piece); err != nil {
			return sent
		}
	}
	p.write(chunk(fileEnd) + bodyEnd)
	return pieces
}

func TestAnImportHasAPaceAndATimeLimit(t *testing.T) {
	const day = 24 * 60 * 60
	for name, c := range map[string]struct {
		pieces, size int
		least, most  int // seconds until it ends
		status       int
	}{
		"a crawl": {pieces: day, size: 6 << 10, least: 30, most: 40, status: http.StatusBadRequest},
		"steady":  {pieces: 300, size: importRate, least: 300, most: 300, status: http.StatusOK},
		"a day":   {pieces: day, size: importRate, least: 2*60*60 - 1, most: 2*60*60 + 10, status: http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			handle := receiving(func(context.Context, http.ResponseWriter) {})
			testPeer(t, handle, func(p *peer) {
				took := make(chan int, 1)
				go func() { took <- p.sendSlowly(c.pieces, c.size) }()
				status, _, text := p.receive()
				if status != http.StatusOK {
					p.gone()
				}
				_ = p.conn.Close()
				if got := <-took; got < c.least || got > c.most || status != c.status {
					p.Errorf("it ended after %d s with HTTP %d, %s", got, status, text)
				}
				if status != http.StatusOK && !strings.Contains(text, errSlowImport.Message) {
					p.Errorf("the response is %s", text)
				}
			})
		})
	}
}
