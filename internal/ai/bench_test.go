package ai

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/ai/aitest"
)

// pieces are the words of a reply of 200 chunks, some of them with escapes.
func pieces() []string {
	words := strings.SplitAfter("The ferry to \"Capri\" leaves\n at 九点 from Naples daily, ", " ")[:10]
	return slices.Repeat(words, 20)
}

// BenchmarkReply reads a reply of 200 chunks without a network.
func BenchmarkReply(b *testing.B) {
	stream := aitest.Stream(pieces()...)
	model := newModel(b, "http://upstream/v1", func(c *OpenAIConfig) {
		c.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(stream))}, nil
		})
	})
	benchmark(b, model)
}

// BenchmarkReplyOverHTTP reads it from a server in the same process, whose
// allocations count as well.
func BenchmarkReplyOverHTTP(b *testing.B) {
	server := httptest.NewServer(aitest.Prepared(pieces()...))
	b.Cleanup(server.Close)
	benchmark(b, newModel(b, server.URL))
}

func benchmark(b *testing.B, model *OpenAI) {
	b.ReportAllocs()
	for b.Loop() {
		chunks := 0
		err := model.Reply(b.Context(), Prompt{Question: "Which ferry?"}, func(Chunk) { chunks++ })
		if err != nil || chunks != 200 {
			b.Fatalf("%d chunks, error %v", chunks, err)
		}
	}
}

// BenchmarkOpenReplies says what one of 1,000 replies under way keeps in memory while
// nothing comes, through our connections and through net/http's. The server is in the
// same process and keeps no more than a net.Conn for each.
func BenchmarkOpenReplies(b *testing.B) {
	ours := NewTransport()
	for _, test := range []struct {
		name      string
		transport http.RoundTripper
	}{{"direct", ours}, {"nethttp", ours.other}} {
		b.Run(test.name, func(b *testing.B) {
			for b.Loop() {
				heap, stack := keptByOpenReplies(b, test.transport, 1000)
				b.ReportMetric(heap, "heap-B/reply")
				b.ReportMetric(stack, "stack-B/reply")
			}
		})
	}
}

func keptByOpenReplies(b *testing.B, transport http.RoundTripper, n int) (heap, stack float64) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	model := newModel(b, "http://"+listener.Addr().String()+"/v1", func(c *OpenAIConfig) { c.Transport = transport })
	heapBefore, stackBefore := inUse()
	var replies, begun, server sync.WaitGroup
	begun.Add(n)
	conns := make([]net.Conn, 0, n)
	server.Go(func() { conns = holdReplies(b, listener, conns) })
	for range n {
		replies.Go(func() {
			_ = model.Reply(b.Context(), Prompt{Question: "Which ferry?"}, func(Chunk) { begun.Done() })
		})
	}
	begun.Wait()
	server.Wait()
	heapAfter, stackAfter := inUse()
	for _, conn := range conns {
		conn.Close()
	}
	listener.Close()
	replies.Wait()
	return float64(heapAfter-heapBefore) / float64(n), float64(stackAfter-stackBefore) / float64(n)
}

// holdReplies answers cap(conns) requests with the first event of a reply, one after
// the other, and leaves their connections open.
func holdReplies(b *testing.B, listener net.Listener, conns []net.Conn) []net.Conn {
	in := bufio.NewReader(nil)
	for len(conns) < cap(conns) {
		conn, err := listener.Accept()
		if err != nil {
			b.Error(err)
			return conns
		}
		conns = append(conns, conn)
		in.Reset(conn)
		request, err := http.ReadRequest(in)
		if err == nil {
			_, err = io.Copy(io.Discard, request.Body)
		}
		if err != nil {
			b.Error(err)
		}
		event, _, _ := strings.Cut(aitest.Stream("one"), "\n\n")
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nDate: Sat, 01 Jan 2000 00:00:00 GMT\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\n\n\r\n", len(event)+2, event)
	}
	return conns
}

// inUse returns the bytes of the heap and of all stacks after a collection.
func inUse() (heap, stack uint64) {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc, stats.StackInuse
}
