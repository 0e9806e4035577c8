package main_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/testtier"
)

// connect opens connections to the program and writes the same text to each.
func (p *process) connect(count int, says string) []net.Conn {
	p.t.Helper()
	var all []net.Conn
	for range count {
		conn, err := (&net.Dialer{}).DialContext(p.t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
		must(p.t, err)
		p.t.Cleanup(func() { conn.Close() })
		_, err = io.WriteString(conn, says)
		must(p.t, err)
		all = append(all, conn)
	}
	return all
}

// TestSlowClientsAreCutOffAndHarmNobody has a thousand clients send half a request.
func TestSlowClientsAreCutOffAndHarmNobody(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir())
	ada := p.user("ada")
	slow := p.connect(1000, "GET /api/user/info HTTP/1.1\r\nHost: parley\r\nX-Slow: ")
	for range 20 {
		if _, err := ada.User(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var ended sync.WaitGroup
	for _, conn := range slow {
		ended.Go(func() {
			_ = conn.SetReadDeadline(time.Now().Add(patience))
			if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
				t.Errorf("a slow client is still there: %v", err)
			}
		})
	}
	ended.Wait()
	if _, err := p.client(ada).User(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestOneAddressLeavesConnectionsForOthers has one address open more connections than allowed, with unfinished
// headers. Another address must be served.
func TestOneAddressLeavesConnectionsForOthers(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_MAX_CONNECTIONS=100", "PARLEY_MAX_CONNECTIONS_PER_ADDRESS=50")
	connect := func(address, says string) net.Conn {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
		must(t, err)
		t.Cleanup(func() { conn.Close() })
		_, _ = io.WriteString(conn, says) // fails if the connection is over the limit
		return conn
	}
	const begun = "GET /api/user/info HTTP/1.1\r\nHost: parley\r\n"
	for range 150 {
		connect("127.0.0.2", begun+"X-Slow: ")
	}
	response, err := http.ReadResponse(bufio.NewReader(connect("127.0.0.3", begun+"\r\n")), nil)
	must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("another address gets HTTP %d", response.StatusCode)
	}
}

// TestTheLimitOfDescriptorsIsSurvived opens more connections than the program may have file descriptors.
func TestTheLimitOfDescriptorsIsSurvived(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir())
	ada := p.user("ada")
	before := session(t, ada)
	limit := exec.CommandContext(t.Context(), "prlimit", "--pid", strconv.Itoa(p.cmd.Process.Pid), "--nofile=64:64")
	if out, err := limit.CombinedOutput(); err != nil {
		t.Fatalf("prlimit: %v, %s", err, out)
	}
	crowd := p.connect(200, "")
	// Requests that need no further descriptor still work over an open connection.
	if _, err := ada.Send(t.Context(), parley.SendInput{SessionID: before, Content: "Is anybody there?"}); err != nil {
		t.Error(err)
	}
	for _, conn := range crowd {
		conn.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := p.client(ada).User(ctx); err != nil {
		t.Errorf("after the crowd has left: %v", err)
	}
	if _, err := ada.Upload(ctx, before, "a.txt", strings.NewReader("The ferry leaves at nine.")); err != nil {
		t.Errorf("after the crowd has left: %v", err)
	}
}
