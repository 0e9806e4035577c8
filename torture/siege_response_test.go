package torture

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"parley"
	"parley/client"
	"parley/internal/testdb"
)

// longPage makes a session with a first page of 22 MiB.
func (s *siege) longPage(c *client.Client) string {
	s.Helper()
	session := s.session(c)
	for range parley.MaxPageSize / 2 {
		s.send(c, session, 22<<20/(parley.MaxPageSize/2))
	}
	return session
}

// slowly opens readers of a response, each over its own connection. They read 8 KiB per second until the test ends.
// Those who are refused try again. It returns when each has got the beginning of a response.
func (s *siege) slowly(count int, c *client.Client, path string) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	var reading sync.WaitGroup
	s.Cleanup(reading.Wait)
	s.Cleanup(cancel)
	statuses := make(chan string, count)
	for range count {
		reading.Go(func() {
			status := statuses
			for ctx.Err() == nil && s.readSlowly(ctx, c, path, status) {
				status = make(chan string, 1) // only the first status is of interest
				time.Sleep(attackPause)
			}
		})
	}
	got := map[string]int{}
	for range count {
		got[<-statuses]++
	}
	s.Logf("%d slow readers: %v", count, got)
}

// readSlowly reports whether the server refused to respond.
func (s *siege) readSlowly(ctx context.Context, c *client.Client, path string, status chan<- string) (refused bool) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(s.server.url, "http://"))
	if err != nil {
		status <- err.Error()
		return false
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n\r\n", path, c.Token())
	in := bufio.NewReaderSize(conn, 512)
	line, err := in.ReadString('\n')
	if err != nil {
		status <- err.Error()
		return false
	}
	status <- strings.TrimSpace(line)
	if strings.Contains(line, " 503 ") {
		return true
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
		if _, err := io.CopyN(io.Discard, in, 4<<10); err != nil {
			return false
		}
	}
}

func TestSiegeOfSlowReadersOfAPage(t *testing.T) {
	eachSiege(t, func(s *siege) {
		ada := s.user("ada")
		s.slowly(60, ada, "/api/chat/messages?page_size=200&session_id="+s.longPage(ada))
		s.goOn("60 slow readers of a page of 22 MiB")
	})
}

func TestSiegeOfSlowReadersOfExports(t *testing.T) {
	eachSiege(t, func(s *siege) {
		ada := s.user("ada")
		session := s.longPage(ada)
		s.slowly(30, ada, "/api/chat/session/"+session+"/export?format=json")
		s.slowly(30, ada, "/api/chat/session/"+session+"/export")
		s.goOn("60 slow readers of exports of 22 MiB")
	})
}

func TestSiegeOfSlowReadersOfFavorites(t *testing.T) {
	eachSiege(t, func(s *siege) {
		ada := s.user("ada")
		session := s.longPage(ada)
		page, err := ada.Messages(s.Context(), session, parley.Page{Number: 1, Size: 200})
		must(s.T, err)
		for _, m := range page.Messages {
			_, err := ada.AddFavorite(s.Context(), parley.AddFavoriteInput{SessionID: session, MessageID: m.ID})
			must(s.T, err)
		}
		s.slowly(30, ada, "/api/favorites/list?page_size=200")
		s.slowly(30, ada, "/api/favorites/list?page_size=200&keyword=words")
		s.goOn("60 slow readers of favorites of 22 MiB")
	})
}

func TestSiegeOfSlowReadersOfAReply(t *testing.T) {
	eachSiege(t, func(s *siege) {
		ada := s.user("ada")
		s.slowly(400, ada, "/api/chat/stream/"+s.send(ada, s.session(ada), 1<<20-100))
		s.goOn("400 slow readers of a reply of 1 MiB")
	})
}

func TestSiegeOfManyUsersWhoReadSlowly(t *testing.T) {
	eachSiege(t, func(s *siege) {
		const users = 16
		for i := range users {
			c := s.user(fmt.Sprint("user", i))
			s.slowly(400/users, c, "/api/chat/stream/"+s.send(c, s.session(c), 1<<20-100))
		}
		s.goOn("400 slow readers of replies of 1 MiB, of 16 users")
	})
}

func TestSiegeOfClosedWindows(t *testing.T) {
	needsSiege(t)
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		cert, key, roots := testCertificate(t)
		s := newSiege(t, databaseURL, roots, "PARLEY_TLS_CERT="+cert, "PARLEY_TLS_KEY="+key)
		ada := s.user("ada")
		s.closedWindows(100, roots, ada, "/api/chat/messages?page_size=200&session_id="+s.longPage(ada))
		s.goOn("100 HTTP/2 streams with a closed window")
	})
}

// closedWindows makes requests over one connection of HTTP/2 and does not read the responses. It returns when each has
// a status.
func (s *siege) closedWindows(count int, roots *x509.CertPool, c *client.Client, path string) {
	s.Helper()
	address := strings.TrimPrefix(s.server.url, "https://")
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, NextProtos: []string{"h2"}}}
	conn, err := dialer.DialContext(s.Context(), "tcp", address)
	must(s.T, err)
	s.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, http2.ClientPreface)
	must(s.T, err)
	frames := http2.NewFramer(conn, conn)
	must(s.T, frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for i := range count {
		block.Reset()
		for _, field := range [][2]string{
			{":method", http.MethodGet},
			{":scheme", "https"},
			{":authority", address},
			{":path", path},
			{"authorization", "Bearer " + c.Token()},
		} {
			must(s.T, encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
		}
		must(s.T, frames.WriteHeaders(http2.HeadersFrameParam{
			StreamID: uint32(2*i + 1), BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true,
		}))
	}
	for answered := 0; answered < count; {
		frame, err := frames.ReadFrame()
		must(s.T, err)
		if frame.Header().Type == http2.FrameHeaders {
			answered++
		}
	}
}

// testCertificate stores the certificate of package httptest.
func testCertificate(t *testing.T) (certPath, keyPath string, roots *x509.CertPool) {
	t.Helper()
	lender := httptest.NewTLSServer(http.NotFoundHandler())
	defer lender.Close()
	key, err := x509.MarshalPKCS8PrivateKey(lender.TLS.Certificates[0].PrivateKey)
	must(t, err)
	dir := t.TempDir()
	certPath, keyPath = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(t, os.WriteFile(certPath, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lender.Certificate().Raw}),
		0o600))
	must(t, os.WriteFile(keyPath, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	roots = x509.NewCertPool()
	roots.AddCert(lender.Certificate())
	return certPath, keyPath, roots
}
