package torture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"parley/internal/testdb"
)

// TestSiegeOfBrokenBodies has clients send bodies that break off or have a bad chunk. It is their fault, not the
// server's.
func TestSiegeOfBrokenBodies(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		b := besiege(t, databaseURL, nil)
		ada := b.visitor("ada", visitorAddress)
		var requests []string
		for _, route := range []string{
			"/api/auth/register", "/api/auth/login", "/api/chat/send", "/api/chat/stream", "/api/files/upload",
		} {
			head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n", route, ada.client.Token())
			body := `{"a":"`
			if route == "/api/files/upload" {
				head += "Content-Type: multipart/form-data; boundary=b\r\n"
				body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nThe ferry"
			}
			requests = append(requests,
				fmt.Sprintf("%sContent-Length: 1000\r\n\r\n%s", head, body),
				fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n1000\r\n%s", head, body),
				fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\nbad\r\n", head, len(body), body))
		}
		b.begin(siegeSize(t, 4, 1)*len(requests), func(i int, placed func()) {
			placed()
			b.breakOff(requests[i%len(requests)])
		})
		ada.stays()
		b.report()
		b.wantsOnly("a broken body", "HTTP 400, 1001")
		for line := range strings.Lines(b.logged()) {
			if strings.Contains(line, "level=ERROR") {
				t.Fatalf("the server takes it for its own fault: %s", line)
			}
		}
	})
}

// breakOff sends the beginning of a request and nothing more, and counts the response.
func (b *besieged) breakOff(request string) {
	conn, closeConn, err := b.dial(attackerAddress)
	if err != nil {
		return
	}
	defer closeConn()
	_, _ = io.WriteString(conn, request)
	_ = conn.(*net.TCPConn).CloseWrite()
	got := "no response"
	if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
		defer response.Body.Close()
		var envelope struct{ Error int }
		err = json.NewDecoder(response.Body).Decode(&envelope)
		got = fmt.Sprintf("HTTP %d, %d", response.StatusCode, envelope.Error)
		if err != nil {
			got += ", incomplete"
		}
	}
	if b.attack.Err() == nil {
		b.count("a broken body", got)
	}
}
