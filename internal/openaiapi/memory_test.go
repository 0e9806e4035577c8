package openaiapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/limit"
	"parley/internal/metrics"
)

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestTooManyItemsAreNotDecoded has a list that would take a gigabyte.
func TestTooManyItemsAreNotDecoded(t *testing.T) {
	input := json.RawMessage(`[` + strings.Repeat(`{},`, 2_200_000) + `{}]`)
	var err error
	if taken := allocated(func() { _, err = inputItems(input) }); err == nil || taken > 1<<20 {
		t.Errorf("%d bytes were allocated, %v", taken, err)
	}
}

// TestManyToolsAndPartsTakeLittle has tools and parts of messages that are much larger in memory than as JSON.
func TestManyToolsAndPartsTakeLittle(t *testing.T) {
	tools := json.RawMessage(`[` + strings.Repeat(`{"type":"function"},`, 200_000) + `{}]`)
	var err error
	if taken := allocated(func() { err = addTools(fields{"tools": tools}, fields{}) }); err == nil || taken > 1<<20 {
		t.Errorf("too many tools: %d bytes were allocated, %v", taken, err)
	}
	for _, part := range []string{`{"type":"input_text","text":"a"}`, `{"type":"input_image","image_url":"a"}`} {
		content := json.RawMessage(`[` + strings.Repeat(part+`,`, maxItems-1) + part + `]`)
		taken := allocated(func() { _, err = contentOf(content, "content") })
		if most := uint64(25 * len(content)); err != nil || taken > most {
			t.Errorf("%s: %d bytes were allocated, want at most %d, %v", part, taken, most, err)
		}
	}
}

// TestAStoredResponseIsReadOnce refers to two items of one response, often.
func TestAStoredResponseIsReadOnce(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	content := []textPart{newTextPart(text)}
	output := []outputItem{
		{ID: "msg_1_0", Type: typeMessage, Content: &content}, {ID: "msg_1_1", Type: typeMessage, Content: &content},
	}
	reads := 0
	c := conversation{outputs: map[string][]outputItem{}, read: func(string) ([]outputItem, error) {
		reads++
		return output, nil
	}}
	var items []inputItem
	for range 300 {
		items = append(items, inputItem{Type: typeReference, ID: "msg_1_0"}, inputItem{Type: typeReference, ID: "msg_1_1"})
	}
	var err error
	taken := allocated(func() { err = c.addItems(items) })
	if !errors.Is(err, errConversationTooLarge) || reads != 1 || len(c.messages) > 17 || taken > 1<<20 {
		t.Errorf("%v after %d messages and %d reads, %d bytes were allocated", err, len(c.messages), reads, taken)
	}
}

// TestCallsWithoutClientsAreLimited has as many of them as are allowed.
func TestCallsWithoutClientsAreLimited(t *testing.T) {
	a := New(Config{})
	for range maxDetached {
		if err := a.detached.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, err := a.newGeneration(t.Context(), 1, &responseRequest{response: response{Store: true}})
	if !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("a stored response: %v", err)
	}
	request := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/responses", nil)
	err = a.once(httptest.NewRecorder(), request, Caller{}, "key", fields{}, nil)
	if !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("a call with a key: %v", err)
	}
	for range maxGenerating { // refused calls have taken no place
		if !a.generating.TryAcquire(1) {
			t.Fatal("a place is taken")
		}
	}
}

// TestWhatIsRecordedIsHeld records more than there is memory for.
func TestWhatIsRecordedIsHeld(t *testing.T) {
	shares := limit.NewByteShares[int64](1000, 0)
	shares.Hold(2).Force(200)
	r := &recorder{ResponseWriter: httptest.NewRecorder(), hold: shares.Hold(1)}
	piece := bytes.Repeat([]byte("x"), 300)
	_, _ = r.Write(piece)
	if shares.Used() != 501 || r.overflow {
		t.Errorf("%d bytes are held", shares.Used())
	}
	_, _ = r.Write(piece)
	if shares.Used() != 200 || !r.overflow || r.written.Len() != 0 {
		t.Errorf("%d bytes are held of %d", shares.Used(), r.written.Len())
	}
}

// beginner is a model that sends one event, and then tells how many fields of its call are still there.
type beginner struct {
	ai.Model
	left *int
}

func (b beginner) Pass(_ context.Context, call ai.Call, emit func([]byte) error) (parley.Usage, error) {
	err := emit([]byte(`{"choices":[]}`))
	*b.left = len(call.Body)
	return parley.Usage{}, err
}

// TestACallIsFreedWithTheFirstEvent has the memory of a body given back, so nothing may keep it.
func TestACallIsFreedWithTheFirstEvent(t *testing.T) {
	for _, instructions := range []string{"", "Be brief."} {
		left := -1
		model := ai.Offer{Name: "m", Model: beginner{left: &left}}
		a := New(Config{
			Models: ai.Offers{model}.Fixed, Metrics: metrics.New(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Instructions: func() string { return instructions },
			Begin: func(context.Context, int64, string, int) (func(context.Context, parley.Usage) error, error) {
				return func(context.Context, parley.Usage) error { return nil }, nil
			},
		})
		body := fields{"stream": json.RawMessage(`true`), "messages": json.RawMessage(`[{"role":"user","content":"Hello"}]`)}
		call, model, err := a.newCall(body)
		if err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/chat/completions", nil)
		err = a.complete(httptest.NewRecorder(), request, Caller{}, model, call)
		if err != nil || left != 0 || len(body) != 0 {
			t.Errorf("%d fields are left, and %d of the request, %v", left, len(body), err)
		}
	}
}

// TestALongTextIsEncodedOnce has a text. json.Marshal would take three times as much memory for it.
func TestALongTextIsEncodedOnce(t *testing.T) {
	const size = 8 << 20
	messages := []chatMessage{{Role: "user", Content: strings.Repeat("x", size)}}
	taken := allocated(func() { _, _ = encodeMessages(messages, size) })
	if taken > 3*size {
		t.Errorf("%d bytes were allocated", taken)
	}
}
