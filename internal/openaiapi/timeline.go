package openaiapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"parley"
	"parley/internal/limit"
)

// The kinds of events of a response.
const (
	eventCreated = iota
	eventInProgress
	eventItemAdded
	eventPartAdded
	eventDelta
	eventTextDone
	eventPartDone
	eventItemDone
	eventEnd
)

// mark is an event of a response without its content: its kind, the output item that it is about, and where it ends in
// the item's text, in bytes. Its place among the marks is its sequence number. The events are made of the response and
// its marks. A stream can be resumed without a log of events.
type mark struct{ kind, item, end int }

// MarshalJSON encodes a mark as an array, to save space.
func (m mark) MarshalJSON() ([]byte, error) { return json.Marshal([3]int{m.kind, m.item, m.end}) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (m *mark) UnmarshalJSON(data []byte) error {
	var numbers [3]int
	err := json.Unmarshal(data, &numbers)
	m.kind, m.item, m.end = numbers[0], numbers[1], numbers[2]
	return err
}

const (
	// manyMarks is the number of events from which the deltas of a stored response are longer.
	manyMarks = 8 << 10
	// longDelta is the length of those deltas in bytes.
	longDelta = 256
	// itemSize and markSize are what an item and a mark take beside their texts, about. The first marks are not counted.
	itemSize = 512
	markSize = 24
)

// timeline is a response in progress, with its events. It is safe for concurrent use.
type timeline struct {
	stored bool
	// hold is the memory of the response. It is released by the last user.
	hold *limit.Hold[int64]

	mu       sync.Mutex
	users    int
	bytes    int64 // without the marks
	response response
	texts    [][]byte // of the output items
	sent     []int    // how much of each text the marks cover
	marks    []mark
	begun    bool
	ended    bool
	err      error         // why it failed
	changed  chan struct{} // closed with the next change
}

// newTimeline returns a response with one user, who has to release it. hold may be nil.
func newTimeline(r response, hold *limit.Hold[int64]) *timeline {
	return &timeline{stored: r.Store, hold: hold, users: 1, bytes: r.size(), response: r, changed: make(chan struct{})}
}

// retain adds a user.
func (t *timeline) retain() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.users++
}

// release removes a user.
func (t *timeline) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users--; t.users == 0 {
		t.hold.Release()
	}
}

// begin adds the first events.
func (t *timeline) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
	t.mark(eventCreated, 0)
	t.mark(eventInProgress, 0)
	t.notify()
}

// open adds an output item and returns its index. A message ends with the next item.
func (t *timeline) open(item outputItem) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.texts) - 1; last >= 0 && (t.response.Output[last].Type == typeMessage || item.Type == typeMessage) {
		t.closeItems(completed)
	}
	index := len(t.texts)
	prefix := "msg_"
	if item.Type == typeCall {
		prefix = "fc_"
	}
	item.ID = prefix + t.response.ID[len(responsePrefix):] + "_" + strconv.Itoa(index)
	t.response.Output = append(t.response.Output, item.withText("", inProgress))
	t.texts, t.sent = append(t.texts, nil), append(t.sent, 0)
	t.bytes += int64(itemSize + len(item.CallID) + len(item.Name))
	t.mark(eventItemAdded, index)
	if item.Type == typeMessage {
		t.mark(eventPartAdded, index)
	}
	t.notify()
	return index
}

// write adds to the text of an item.
func (t *timeline) write(index int, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.texts[index] = append(t.texts[index], text...)
	t.bytes += int64(len(text))
	if !t.stored || len(t.marks) < manyMarks || len(t.texts[index])-t.sent[index] >= longDelta {
		t.markDelta(index)
		t.notify()
	}
}

func (t *timeline) markDelta(index int) {
	if t.sent[index] < len(t.texts[index]) {
		t.sent[index] = len(t.texts[index])
		t.mark(eventDelta, index)
	}
}

// closeItems ends the items that are in progress, which are then completed or cut short.
func (t *timeline) closeItems(status string) {
	for index, item := range t.response.Output {
		if item.Status != inProgress {
			continue
		}
		t.markDelta(index)
		t.response.Output[index] = item.withText(string(t.texts[index]), status)
		t.mark(eventTextDone, index)
		if item.Type == typeMessage {
			t.mark(eventPartDone, index)
		}
		t.mark(eventItemDone, index)
	}
}

// settle completes the response. Its last event is sent by end: the response can be stored before. finish is the
// finish_reason of the model.
func (t *timeline) settle(finish string, usage parley.Usage, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
	if !t.begun {
		return
	}
	r := &t.response
	switch {
	case err != nil:
		r.Status = hasFailed
		r.Error = &responseError{Code: "server_error", Message: inStream(err).Text}
	case finish == "length":
		r.Status, r.IncompleteDetails = cutShort, &incomplete{Reason: "max_output_tokens"}
	case finish == "content_filter":
		r.Status, r.IncompleteDetails = cutShort, &incomplete{Reason: "content_filter"}
	default:
		r.Status = completed
	}
	if r.Status == completed {
		t.closeItems(completed)
	} else {
		t.closeItems(cutShort)
	}
	cached := int64(0)
	r.Usage = &responseUsage{
		InputTokens: usage.InputTokens, OutputTokens: usage.OutputTokens,
		TotalTokens:        usage.InputTokens + usage.OutputTokens,
		InputTokensDetails: tokenDetail{Cached: &cached}, OutputDetails: tokenDetail{Reasoning: &usage.ThinkingTokens},
	}
	t.notify()
}

// end ends the response.
func (t *timeline) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begun {
		t.mark(eventEnd, 0)
	}
	t.ended = true
	t.notify()
}

func (t *timeline) mark(kind, item int) {
	end := 0
	if kind == eventDelta {
		end = len(t.texts[item])
	}
	t.marks = append(t.marks, mark{kind: kind, item: item, end: end})
}

func (t *timeline) notify() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// size returns how many bytes the response takes, about.
func (t *timeline) size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes + markSize*int64(max(0, len(t.marks)-manyMarks))
}

// snapshot returns the response as it is now.
func (t *timeline) snapshot() response {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.response
	r.Output = append([]outputItem{}, r.Output...)
	for i, item := range r.Output {
		if item.Status == inProgress {
			r.Output[i] = item.withText(string(t.texts[i]), inProgress)
		}
	}
	return r
}

// next returns the events from a sequence number on, whether they are the last, and a channel that closes when there
// are more. It returns at most a few at once, and only one long one.
func (t *timeline) next(from int) (events []event, last bool, changed <-chan struct{}) {
	const batch, batchSize = 64, 64 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	size := 0
	for from < len(t.marks) && len(events) < batch && size < batchSize {
		e := t.render(from)
		events = append(events, e)
		size += len(e.data)
		from++
	}
	return events, t.ended && from >= len(t.marks), t.changed
}

// storedResponse is a response in a form from which its events can be made.
type storedResponse struct {
	Response response `json:"response"`
	Marks    []mark   `json:"marks"`
}

// encode returns the response for the store, with its last event if it is complete.
func (t *timeline) encode() ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	marks := t.marks
	if t.response.Status != inProgress {
		marks = append(slices.Clone(marks), mark{kind: eventEnd})
	}
	return encode(storedResponse{Response: t.response, Marks: marks})
}

// decodeTimeline returns a stored response that has ended.
func decodeTimeline(data []byte) (*timeline, error) {
	var stored storedResponse
	if err := json.Unmarshal(data, &stored); err != nil {
		return nil, err
	}
	t := newTimeline(stored.Response, nil)
	t.marks, t.begun, t.ended = stored.Marks, true, true
	for _, item := range stored.Response.Output {
		t.texts = append(t.texts, []byte(item.text()))
		t.bytes += int64(itemSize + len(item.text()))
	}
	return t, nil
}
