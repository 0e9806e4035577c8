package api

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"
)

// detached is an answer that has left its handler: the connection is ours, and what
// net/http keeps for a request (a goroutine, three buffers, the request itself) is
// gone. Streams are many and long, and that is most of what each would cost.
type detached struct {
	conn net.Conn
	sent int // bytes of the body
}

// detach lets run write an answer, whose headers are set, after its handler has
// returned, and calls left when its reader leaves. It says no where that can't be done:
// with HTTP/2, which shares its connections, and with HTTP/1.0, which has no chunks.
func (a *API) detach(w http.ResponseWriter, r *http.Request, run func(*detached), left func()) bool {
	if r.ProtoMajor != 1 || r.ProtoMinor < 1 {
		return false
	}
	head := answerHead(w.Header())
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	about := aboutRequest(r.Context())
	about.leave(r)
	d := &detached{conn: conn}
	a.detached.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				a.log.Error("panic", "error", fmt.Sprint(p), "stack", string(debug.Stack()), "request", about.id)
			}
			_ = conn.Close()
			a.logRequest(about, http.StatusOK, d.sent)
		}()
		if _, err := conn.Write(head); err == nil {
			run(d)
		}
	})
	a.detached.Go(func() {
		untilClosed(conn)
		left()
	})
	return true
}

// Wait waits for the answers that have left their handlers. Streams end with Stopping.
func (a *API) Wait() { a.detached.Wait() }

// untilClosed reads what nobody should send until either side closes the connection.
func untilClosed(conn net.Conn) {
	var ignored [64]byte
	for {
		if _, err := conn.Read(ignored[:]); err != nil {
			return
		}
	}
}

func answerHead(header http.Header) []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\nDate: " + time.Now().UTC().Format(http.TimeFormat) +
		"\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n")
	_ = header.WriteSubset(&b, map[string]bool{"Connection": true}) // a buffer takes everything
	b.WriteString("\r\n")
	return b.Bytes()
}

// Write sends a chunk.
func (d *detached) Write(p []byte) (int, error) {
	const frame = 16 // of a chunk, at most
	chunk := strconv.AppendInt(make([]byte, 0, len(p)+frame), int64(len(p)), 16)
	chunk = append(append(append(chunk, "\r\n"...), p...), "\r\n"...)
	d.sent += len(p)
	_, err := d.conn.Write(chunk)
	return len(p), err
}

// lastWords is how long a reader has to take what it is told when the server stops.
const lastWords = time.Second

// closeSoon closes the connection, also under a write that stands still: the server
// waits for it, and nobody may keep it from stopping.
func (d *detached) closeSoon() {
	time.AfterFunc(lastWords, func() { _ = d.conn.Close() })
}

// end says that the answer is whole.
func (d *detached) end() {
	_, _ = d.conn.Write([]byte("0\r\n\r\n")) // the reader may have gone
}
