package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// lookEvery is how often a reader looks for news of a reply that another replica
// makes, where no signal comes.
const lookEvery = time.Second

// Position is how far a reader has come in a reply: the attempt, and how many code
// points of thinking and of text it has. It is an event's id, so that any replica can
// go on from it with no log of events.
type Position struct {
	Attempt, Thinking, Text int64
}

// String is the form of an event's id.
func (p Position) String() string { return fmt.Sprintf("%d.%d.%d", p.Attempt, p.Thinking, p.Text) }

// ParsePosition reads an event's id; false where it is none.
func ParsePosition(s string) (Position, bool) {
	var p Position
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return p, false
	}
	for i, number := range []*int64{&p.Attempt, &p.Thinking, &p.Text} {
		var err error
		if *number, err = strconv.ParseInt(parts[i], 10, 64); err != nil {
			return Position{}, false
		}
	}
	if p.Attempt < 1 || p.Thinking < 0 || p.Text < 0 || p.String() != s {
		return Position{}, false
	}
	return p, true
}

// Event is something that happened to a reply. Data is what its name says.
type Event struct {
	At   Position
	Name string
	Data any
}

// Data of events beside parley.SendOutput (done).
type (
	startData struct {
		UserMessageID string `json:"user_message_id"`
		MessageID     string `json:"message_id"`
	}
	sourcesData struct {
		Results []parley.Source `json:"results"`
	}
	textData struct {
		Text string `json:"text"`
	}
	errorData struct {
		Error   parley.Code `json:"error"`
		Message string      `json:"message"`
	}
)

// view is a reply as a reader sees it at one moment.
type view struct {
	questionID string
	timestamp  int64
	attempt    int64
	text       string
	details    parley.Details
	behind     bool // its maker may be further than can be seen here
	ended      bool
	err        error // why it failed, once ended
}

func (v view) output(replyID string) parley.SendOutput {
	return parley.SendOutput{
		UserMessageID: v.questionID,
		AIResponse:    parley.AIResponse{ID: replyID, Content: v.text, Timestamp: v.timestamp, Details: v.details},
	}
}

// Follower reads a reply as it is made, wherever it is made.
type Follower struct {
	service *Service
	userID  int64
	replyID string
	turn    *turn // where this process makes it, or made it just now

	at       Position
	resuming bool // at is what the reader says: its place in the text is to be found
	started  bool // the reader knows the ids
	sourced  bool // the reader knows the sources
	thinking int  // bytes of thinking read
	text     int  // bytes of text read
	watching bool // the reply was open when this reader saw it in the database
	over     bool
}

// Follow reads a user's reply from a position on; the zero position is the beginning.
// A reply that never was, or is another user's, is parley.ErrNoSuchMessage.
func (s *Service) Follow(ctx context.Context, userID int64, replyID string, from Position) (*Follower, error) {
	f := &Follower{service: s, userID: userID, replyID: replyID}
	if _, _, err := f.look(ctx); err != nil {
		return nil, err
	}
	if from.Attempt > 0 {
		f.at, f.resuming, f.started = from, true, true
	}
	return f, nil
}

// place finds where the reader left off. It says no where that can't be told yet. A
// position that the reply never had is treated like one of another attempt:
// everything comes anew.
func (f *Follower) place(v view) bool {
	thinking, hasThinking := offset(v.details.Thinking, f.at.Thinking)
	text, hasText := offset(v.text, f.at.Text)
	switch {
	case v.attempt != f.at.Attempt:
	case hasThinking && hasText:
		f.thinking, f.text = thinking, text
		f.sourced = thinking+text > 0
	case v.behind:
		return false
	default:
		f.at.Attempt = 0 // no attempt has this number
	}
	f.resuming = false
	return true
}

// offset is where in text the given number of code points ends.
func offset(text string, points int64) (int, bool) {
	at := 0
	for ; points > 0; points-- {
		if at >= len(text) {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at, true
}

// Next waits for what happens next and returns it; nothing when tick comes first, and
// io.EOF after the last event, or where this process leaves the reply to another. A
// reply that is over is given to its end though ctx has ended, unless that has a cause:
// a server that shuts down has waited for it, and its readers must not miss it.
func (f *Follower) Next(ctx context.Context, tick <-chan time.Time) ([]Event, error) {
	for {
		if f.over {
			return nil, io.EOF
		}
		v, changed, err := f.look(ctx)
		if err != nil {
			return nil, err
		}
		if errors.Is(v.err, errShutdown) {
			return nil, io.EOF
		}
		if ctx.Err() != nil && (!v.ended || !errors.Is(context.Cause(ctx), context.Canceled)) {
			return nil, ctx.Err()
		}
		if events := f.advance(v); len(events) > 0 {
			return events, nil
		}
		select {
		case <-changed:
		case <-tick:
			return nil, nil
		case <-ctx.Done(): // look once more
		}
	}
}

// look sees the reply where it is: in this process, or in the database.
func (f *Follower) look(ctx context.Context) (view, <-chan struct{}, error) {
	if f.turn == nil {
		f.turn = f.service.liveTurn(f.replyID)
	}
	if f.turn != nil {
		if f.turn.UserID != f.userID {
			return view{}, nil, parley.ErrNoSuchMessage
		}
		v, changed := f.turn.look()
		if !errors.Is(v.err, errMoved) {
			return v, changed, nil
		}
		f.turn, f.started, f.watching = nil, true, true
	}
	if !id.Valid(f.replyID) {
		return view{}, nil, parley.ErrNoSuchMessage
	}
	changed := f.service.news.await(store.TurnChanged, f.replyID, lookEvery)
	r, err := f.service.Store.Reply(ctx, f.userID, f.replyID)
	var failed *parley.Error
	switch {
	case errors.Is(err, parley.ErrNoSuchMessage) && f.started: // it was there a moment ago
		return view{attempt: f.at.Attempt, ended: true, err: parley.ErrTurnEnded}, changed, nil
	case errors.As(err, &failed) && failed.Code != parley.CodeNoSuchSession:
		return view{attempt: f.at.Attempt, ended: true, err: failed}, changed, nil
	case err != nil:
		return view{}, nil, err
	}
	v := view{
		questionID: r.QuestionID, timestamp: r.Timestamp, attempt: r.Attempt,
		text: r.Content, details: r.Details, behind: r.Open, ended: !r.Open,
	}
	if v.ended && f.watching {
		// Where it was made anew in vain the old text stands again, as one attempt more.
		if failed, err = f.service.Store.RedoOutcome(ctx, f.userID, f.replyID, r.Attempt-1); err != nil {
			return view{}, nil, err
		}
		if failed != nil {
			v.err = failed
		}
	}
	f.watching = f.watching || r.Open
	return v, changed, nil
}

// advance moves the reader to what it sees, and returns the events on the way.
func (f *Follower) advance(v view) []Event {
	var events []Event
	if v.err == nil && f.resuming && !f.place(v) {
		return nil
	}
	if !f.started && (v.err == nil || v.questionID != "") { // a failed reply's question may be gone
		f.started = true
		f.at.Attempt = v.attempt
		events = append(events, f.event("start", startData{UserMessageID: v.questionID, MessageID: f.replyID}))
	}
	if v.err != nil {
		f.over = true
		return append(events, f.event("error", errorEvent(v.err)))
	}
	if f.at.Attempt != v.attempt {
		f.at, f.thinking, f.text, f.sourced = Position{Attempt: v.attempt}, 0, 0, false
		events = append(events, f.event("restart", struct{}{}))
	}
	if !f.sourced && len(v.details.Sources) > 0 {
		f.sourced = true
		events = append(events, f.event("sources", sourcesData{Results: v.details.Sources}))
	}
	if piece := v.details.Thinking[min(f.thinking, len(v.details.Thinking)):]; piece != "" {
		f.thinking += len(piece)
		f.at.Thinking += int64(utf8.RuneCountInString(piece))
		events = append(events, f.event("thinking", textData{Text: piece}))
	}
	if piece := v.text[min(f.text, len(v.text)):]; piece != "" {
		f.text += len(piece)
		f.at.Text += int64(utf8.RuneCountInString(piece))
		events = append(events, f.event("delta", textData{Text: piece}))
	}
	if v.ended {
		f.over = true
		events = append(events, f.event("done", v.output(f.replyID)))
	}
	return events
}

func (f *Follower) event(name string, data any) Event {
	return Event{At: f.at, Name: name, Data: data}
}

// Failed is the event that ends a stream for a reason that is not the reply's.
func Failed(reason *parley.Error) Event {
	return Event{Name: "error", Data: errorEvent(reason)}
}

// errorEvent is what a reader is told of a failed turn: never its cause.
func errorEvent(err error) errorData {
	var e *parley.Error
	if !errors.As(err, &e) {
		e = parley.ErrInternal
	}
	return errorData{Error: e.Code, Message: strings.TrimSpace(e.Message)}
}

// wait follows a reply to its end, or until ctx ends: then it is late.
func (f *Follower) wait(ctx context.Context) (parley.SendOutput, error) {
	var seen view
	for {
		v, changed, err := f.look(ctx)
		switch {
		case err != nil && ctx.Err() != nil && seen.questionID != "":
			return f.late(seen)
		case err != nil:
			return parley.SendOutput{}, err
		case errors.Is(v.err, errShutdown):
			return f.late(v)
		case v.err != nil:
			return parley.SendOutput{}, v.err
		case v.ended:
			return v.output(f.replyID), nil
		}
		seen, f.started = v, true
		if f.turn != nil {
			changed = f.turn.done // only the end matters
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if f.turn != nil {
				seen, _ = f.turn.look()
			}
			return f.late(seen)
		}
	}
}

// late is the answer where the reply goes on being made.
func (f *Follower) late(v view) (parley.SendOutput, error) {
	return parley.SendOutput{}, parley.ErrReplyLate.With(v.output(f.replyID))
}
