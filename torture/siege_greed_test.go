package torture

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

const (
	// deadlyMemory is how much memory, in MB, a server may take before it is killed. A successful attack must not harm
	// this machine.
	deadlyMemory = 3 * siegeMemory
	// memoryInterval is the time between two looks at the server's memory.
	memoryInterval = 50 * time.Millisecond
)

// eachGreed runs an attack of greedy users: in full on both databases, in small on SQLite.
func eachGreed(t *testing.T, attack func(t *testing.T, databaseURL string)) {
	t.Helper()
	t.Parallel()
	if siegeSize(t, 1, 0) == 1 {
		testdb.Each(t, attack)
		return
	}
	t.Run("sqlite", func(t *testing.T) { attack(t, "") })
}

// greedyReply is a reply in pieces of 32 KiB. The last one may never come.
type greedyReply struct {
	text    string
	pause   time.Duration // before each piece
	endless bool
}

// besiegeModel starts a server with a model that replies to the last of the given words in a request. All other
// questions have a short reply.
func besiegeModel(t *testing.T, databaseURL string, replies map[string]greedyReply, settings ...string) *besieged {
	t.Helper()
	model := httptest.NewServer(greedyModel(replies))
	t.Cleanup(model.Close)
	return besiege(t, databaseURL, append(settings,
		"PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=test", "PARLEY_AI_CONTEXT_TOKENS=100000000"))
}

func greedyModel(replies map[string]greedyReply) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the server has left
		}
		reply, last := greedyReply{text: "A short reply."}, -1
		for word, candidate := range replies {
			if at := bytes.LastIndex(body, []byte(word)); at > last {
				reply, last = candidate, at
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		reply.write(r.Context(), w)
	})
}

// write writes the events of a reply until ctx ends.
func (g greedyReply) write(ctx context.Context, w http.ResponseWriter) {
	const piece = 32 << 10
	var all []string
	for text := g.text; len(text) > 0; text = text[min(len(text), piece):] {
		all = append(all, text[:min(len(text), piece)])
	}
	for event := range strings.SplitAfterSeq(aitest.Stream(all...), "\n\n") {
		if g.endless && strings.Contains(event, "finish_reason\":\"stop") {
			<-ctx.Done()
			return
		}
		if g.pause > 0 {
			select {
			case <-time.After(g.pause):
			case <-ctx.Done():
				return
			}
		}
		_, _ = io.WriteString(w, event) // it fails if the server has left
		_ = http.NewResponseController(w).Flush()
	}
}

// words returns a text of a size.
func words(size int) string { return strings.Repeat("Words. ", size/7) }

// watchMemory looks at the server's memory from outside until the returned function is called, which fails the test if
// it was ever more than siegeMemory. A server that takes deadlyMemory is killed.
func (b *besieged) watchMemory() (check func(attack string)) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan struct{})
	var peak atomic.Int64
	go func() {
		defer close(ended)
		ticker := time.NewTicker(memoryInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-b.ended:
				return
			case <-ticker.C:
			}
			now := int64(resident(b.server))
			if peak.Store(max(peak.Load(), now)); now > deadlyMemory {
				b.kill()
				return
			}
		}
	}()
	b.Cleanup(func() { cancel(); <-ended })
	return func(attack string) {
		b.Helper()
		cancel()
		<-ended
		most := max(peak.Load(), int64(resident(b.server)))
		b.Logf("%s: %d MB at most", attack, most)
		if most > siegeMemory {
			b.Errorf("%s: the server took %d MB", attack, most)
		}
	}
}

// post sends a JSON body as a user. It returns the status, or 0 if there is no response.
func (v *visitor) post(ctx context.Context, path, body string) (status int, response string) {
	request, err := v.request(ctx, v.client.Token(), path, body)
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	return v.exchange(request)
}

// get sends a request without a body as a user. It returns the status, or 0 if there is no response.
func (v *visitor) get(ctx context.Context, path string) (status int, response string) {
	request, err := v.request(ctx, v.client.Token(), path, "")
	if err != nil {
		return 0, err.Error()
	}
	request.Method = http.MethodGet
	return v.exchange(request)
}

func (v *visitor) exchange(request *http.Request) (status int, text string) {
	response, err := v.http.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

// serves fails unless a status is one with which a server may answer a greedy request.
func (b *besieged) serves(what string, status int, allowed ...int) {
	b.Helper()
	b.count(what, statusName(status))
	for _, one := range allowed {
		if status == one {
			return
		}
	}
	b.Errorf("%s: %s", what, statusName(status))
}

func statusName(status int) string {
	if status == 0 {
		return "no response"
	}
	return fmt.Sprint("HTTP ", status)
}
