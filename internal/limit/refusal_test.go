package limit_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/limit"
)

const full = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nfull"

// refuse refuses everything that connections can refuse by themselves, and counts it.
func refuse(count *int) *limit.Refusal {
	return &limit.Refusal{Needed: func() bool { return true }, Prefix: "/api/", Answer: []byte(full), Count: func() { *count++ }}
}

// one is a listener for one connection.
type one chan net.Conn

func (l one) Accept() (net.Conn, error) {
	conn, open := <-l
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (l one) Close() error   { close(l); return nil }
func (l one) Addr() net.Addr { return &net.TCPAddr{} }

// talk is a connection to a server that says what it has read. It is in a bubble.
type talk struct {
	net.Conn
	said  []string
	ended chan struct{}
	web   *http.Server
}

func newTalk(most int, refusal *limit.Refusal) *talk {
	client, server := net.Pipe()
	listener := make(one, 1)
	listener <- server
	c := &talk{Conn: client, ended: make(chan struct{}), web: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, body)
		}),
		ConnContext: limit.Mark, ConnState: limit.Watch, ErrorLog: log.New(io.Discard, "", 0),
	}}
	go func() { _ = c.web.Serve(limit.NewListener(listener, most, time.Hour, refusal)) }()
	go c.listen()
	return c
}

func (c *talk) listen() {
	defer close(c.ended)
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		c.said = append(c.said, fmt.Sprint(response.StatusCode, " ", string(body)))
	}
}

// tell writes a piece, and waits until the server has done everything that it can.
func (c *talk) tell(piece string) {
	_, _ = io.WriteString(c, piece) // the server may have hung up
	synctest.Wait()
}

// end returns everything that was said.
func (c *talk) end() []string {
	synctest.Wait()
	c.Close()
	<-c.ended
	_ = c.web.Close()
	return c.said
}

// plain is a request that can be refused.
const plain = "GET /api/user HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive\r\n\r\n"

func post(fields, body string) string {
	return fmt.Sprintf("POST /api/chat HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", fields, len(body), body)
}

func TestPlainRequestsAreRefusedByTheConnection(t *testing.T) {
	for name, test := range map[string]struct {
		request string
		want    string // "" where the server has to look at it
	}{
		"no body":            {plain, "503 full"},
		"a body":             {post("", "{}"), "503 full"},
		"other cases":        {strings.ReplaceAll(post("", "{}"), "Content-Length", "content-length"), "503 full"},
		"another path":       {"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"a whole address":    {"GET http://x/api/user HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"HEAD has no body":   {"HEAD /api/user HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"OPTIONS":            {"OPTIONS /api/user HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		"HTTP/1.0":           {"GET /api/user HTTP/1.0\r\nHost: x\r\n\r\n", ""},
		"the last one":       {post("Connection: close\r\n", "{}"), ""},
		"another origin":     {post("Origin: https://x.example\r\n", "{}"), ""},
		"no length":          {"POST /api/chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""},
		"two lengths":        {post("Content-Length: 2\r\n", "{}"), ""},
		"a length of zero":   {post("Content-Length: 0\r\n", "{}"), ""},
		"a negative length":  {"POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n\r\n", ""},
		"a huge length":      {"POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", ""},
		"a space too many":   {"POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Length : 2\r\n\r\n", ""},
		"a bare line feed":   {"POST /api/chat HTTP/1.1\r\nHost: x\nContent-Length: 2\r\n\r\n", ""},
		"a folded line":      {"GET /api/user HTTP/1.1\r\nHost: x\r\n and more\r\n\r\n", ""},
		"body still to come": {"POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n", ""},
		"two at once":        {plain + plain, ""},
		"an expectation":     {post("Expect: 100-continue\r\n", "{}"), ""},
		"another protocol":   {"GET /api/user HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\n", ""},
		"no host":            {"GET /api/user HTTP/1.1\r\n\r\n", ""},
		"a tab":              {post("X-Note: a\tb\r\n", "{}"), "503 full"},
		"a control":          {post("X-Note: a\x00b\r\n", "{}"), ""},
		"a delete":           {post("X-Note: a\x7fb\r\n", "{}"), ""},
		"no colon":           {"GET /api/user HTTP/1.1\r\nHost: x\r\nand more\r\n\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				count := 0
				c := newTalk(1, refuse(&count))
				c.tell(plain) // the first of a connection is never refused
				c.tell(test.request)
				said := c.end()
				if said[0] != "200 GET /api/user " {
					t.Errorf("at first it said %q", said[0])
				}
				if test.want == "" && count > 0 || test.want != "" && (count != 1 || len(said) != 2 || said[1] != test.want) {
					t.Errorf("%d were refused, it said %q", count, said)
				}
			})
		})
	}
}

// TestNothingIsRefusedOnceARequestWasTorn sends bodies that look like requests.
func TestNothingIsRefusedOnceARequestWasTorn(t *testing.T) {
	head := fmt.Sprintf("POST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(plain))
	for name, pieces := range map[string][]string{
		"its body alone":                 {head, plain, plain},
		"the next begins with it":        {plain + head, plain, plain},
		"the next begins with it, by LF": {"GET /first HTTP/1.1\nHost: x\n\n" + head, plain, plain},
		"in the middle of a line":        {plain[:10], plain[10:], plain},
		"a byte":                         {plain + "G", plain[1:], plain},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				count := 0
				c := newTalk(1, refuse(&count))
				c.tell("GET /first HTTP/1.1\r\nHost: x\r\n\r\n")
				for _, piece := range pieces {
					c.tell(piece)
				}
				if said := c.end(); count != 0 || len(said) < 3 {
					t.Errorf("%d were refused, it said %q", count, said)
				}
			})
		})
	}
}

func TestNetHTTPSeesARequestNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := 0
		c := newTalk(1, refuse(&count))
		for range 1 + 100 + 1 + 100 {
			c.tell(plain)
		}
		if said := c.end(); count != 200 || said[0] == "503 full" || said[101] == "503 full" || said[102] != "503 full" {
			t.Errorf("%d were refused, it said %q", count, said)
		}
	})
}

func TestConnectionsRefuseOnlyWhereItIsNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		needed, count := false, 0
		refusal := refuse(&count)
		refusal.Needed = func() bool { return needed }
		c := newTalk(1, refusal)
		for i := range 6 {
			needed = i%2 == 1
			c.tell(plain)
		}
		const served = "200 GET /api/user "
		if said := c.end(); count != 3 || !slices.Equal(said, []string{served, "503 full", served, "503 full", served, "503 full"}) {
			t.Errorf("%d were refused, it said %q", count, said)
		}
	})
}

func TestConnectionsOverTheLimitRefuseNothingByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := 0
		c := newTalk(0, refuse(&count))
		c.tell(plain)
		c.tell(plain)
		if said := c.end(); count != 0 || len(said) != 2 {
			t.Errorf("%d were refused, it said %q", count, said)
		}
	})
}

// FuzzARefusalTakesThePlaceOfItsAnswer compares a server whose connections refuse with
// one that looks at everything: each answer is the same, or the refusal. Bytes are
// sent in pieces: after 0xFF the server has done all it can before the next comes.
func FuzzARefusalTakesThePlaceOfItsAnswer(f *testing.F) {
	f.Add(plain + "\xff" + plain + "\xff" + post("", "{}") + "\xff" + plain)
	f.Add(plain + "\xff" + post("", plain) + "\xfe" + plain + plain + "\xff" + plain[:20] + "\xff" + plain[20:])
	f.Add("GET / HTTP/1.1\nHost: x\n\n" + post("", plain) + "\xff" + plain)
	f.Add(plain + "\xffPOST /api/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n\xff" + plain + "\xff" + plain)
	f.Add(plain + "\xffPOST /api/chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\xff3c\r\n" + plain + "\r\n0\r\n\r\n\xff" + plain)
	f.Fuzz(func(t *testing.T, text string) {
		served, refused := converse(t, nil, text), converse(t, refuse(new(int)), text)
		served, hungUp := cutBadRequest(served)
		refused, _ = cutBadRequest(refused)
		if hungUp && len(refused) > len(served) {
			refused = refused[:len(served)] // only net/http finds fault with the request that was refused
		}
		if !slices.EqualFunc(served, refused, func(served, refused string) bool { return refused == served || refused == "503 full" }) {
			t.Errorf("%q\n%q", served, refused)
		}
	})
}

// cutBadRequest takes net/http's answer to what is no request away, after which it hangs up.
func cutBadRequest(said []string) ([]string, bool) {
	if last := len(said) - 1; last >= 0 && strings.HasPrefix(said[last], "400 ") {
		return said[:last], true
	}
	return said, false
}

func converse(t *testing.T, refusal *limit.Refusal, text string) (said []string) {
	synctest.Test(t, func(t *testing.T) {
		c := newTalk(1, refusal)
		for settled := range strings.SplitSeq(text, "\xff") {
			for piece := range strings.SplitSeq(settled, "\xfe") {
				_, _ = io.WriteString(c, piece)
			}
			synctest.Wait()
		}
		said = c.end()
	})
	return said
}
