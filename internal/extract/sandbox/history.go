package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/extract/history"
)

// An export of conversations can be far larger than the memory of a child. So the child asks for the bytes that it
// needs, and sends one conversation after the other:
const (
	frameWant         = 'w' // from the child: an offset in eight bytes and a size in four
	frameBytes        = 'b' // from the parent: the bytes, fewer at the end of the file
	frameBegin        = 'n' // from the child: it begins to read the next conversation
	frameConversation = 'c' // the conversation without its messages, as historyEntry
	frameMessage      = 'm' // a message of it
	frameEnd          = 'e' // its end
	frameSkipped      = 's' // a skipped conversation, as historyEntry
)

const (
	// wantSize is how many bytes a child asks for at once.
	wantSize = 256 << 10
	// maxHistoryFrame is the largest frame of a message. JSON can take six bytes for one.
	maxHistoryFrame = 2*6*history.MaxReply + maxFrame
	// maxHistory limits the messages of a conversation together.
	maxHistory = 2 * history.MaxConversation
	// historyMemory is when a child begins to collect its garbage more often. The kernel's limit is higher, since it
	// counts more than what is in use.
	historyMemory = 72 << 20
	historyLimit  = 384 << 20
	// A child may wait for days, while the server stores what it has read. It is killed if it sends nothing for
	// historySilence while the server waits for it. A conversation takes seconds at most.
	historyTime    = 7 * 24 * time.Hour
	historyCPU     = time.Hour
	historySilence = 5 * time.Minute
	// A check reads only the beginning of an export, while its sender waits. Checks have their own places, because
	// documents must not wait for them.
	historyCheckTime = 20 * time.Second
	historyChecks    = 2
	// maxUnreadable is how many conversations of an export may kill their child.
	maxUnreadable = 10
)

// historyEntry is an entry on its way from the child.
type historyEntry struct {
	history.Conversation
	Reason  string `json:"reason,omitempty"`
	Percent int    `json:"percent"`
}

// History is an export to read.
type History struct {
	Bytes io.ReadSeeker
	Size  int64
	// MaxUnpacked limits the size of its JSON, if it is an archive.
	MaxUnpacked int64
}

// CheckHistory returns parley.ErrFormatUnsupported or parley.ErrFileUnreadable if the file is not an export of
// conversations, or if it can't be checked in time.
func (p *Pool) CheckHistory(ctx context.Context, file History) error {
	select {
	case p.checks <- struct{}{}:
		defer func() { <-p.checks }()
	case <-ctx.Done():
		return fmt.Errorf("wait for a reader: %w", ctx.Err())
	}
	return p.runHistory(ctx, checkRequest(file), file, nil)
}

// checkRequest returns the request for a check.
func checkRequest(file History) request {
	req := historyRequest(file)
	req.Check = true
	req.Limits.Time, req.Limits.CPU = historyCheckTime, historyCheckTime
	return req
}

// ReadHistory calls do with each conversation of an export but the first skip. One that kills its child, or takes too
// long, is skipped, up to maxUnreadable of them. If the export can't be read to its end, ReadHistory returns
// parley.ErrFileUnreadable with the reason. Errors of do, of the file and of ctx are wrapped. The caller limits how
// many exports are read at once: they can take long, so they take no slot of the pool.
func (p *Pool) ReadHistory(ctx context.Context, file History, skip int64, do func(history.Entry) error) error {
	percent := 0
	count := func(entry history.Entry) error {
		skip++
		percent = entry.Percent
		return do(entry)
	}
	for unreadable := 0; ; unreadable++ {
		req := historyRequest(file)
		req.Skip = skip
		err := p.runHistory(ctx, req, file, count)
		var died errReading
		if !errors.As(err, &died) || unreadable == maxUnreadable {
			return err
		}
		if err := count(history.Unreadable(skip+1, percent)); err != nil {
			return fmt.Errorf("skip a conversation: %w", err)
		}
		if _, err := file.Bytes.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("begin again: %w", err)
		}
	}
}

// errReading is why a child ended while it read a conversation, or sent an invalid one.
type errReading struct{ cause error }

func (e errReading) Error() string { return e.cause.Error() }

func (e errReading) Unwrap() error { return e.cause }

func historyRequest(file History) request {
	return request{
		History: true, Size: file.Size, MaxUnpacked: file.MaxUnpacked,
		Limits: processLimits{Memory: historyLimit, Time: historyTime, CPU: historyCPU},
	}
}

func (p *Pool) runHistory(ctx context.Context, req request, file History, do func(history.Entry) error) error {
	child, err := start(p.config.Command)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, child.kill)()
	total := newAllowance(req.Limits.Time, child.kill)
	reader := &historyReader{process: child, file: file, do: do}
	silence := time.AfterFunc(historySilence, func() {
		reader.silent.Store(true)
		child.kill()
	})
	defer silence.Stop()
	reader.silence = silence
	err = writeJSON(child.in, frameRequest, req)
	if err == nil {
		err = reader.receive()
	}
	late := total.stop()
	exit := child.end()
	var refused *parley.Error
	switch {
	case err == nil, errors.As(err, &refused), errors.Is(err, errInternal):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("read an export: %w", ctx.Err())
	}
	return reader.failure(errors.Join(err, exit), late || req.Limits.exceeded(child.cpuTime()))
}

// historyReader is the parent's side of an exchange. The child is not trusted.
type historyReader struct {
	*process
	file    History
	do      func(history.Entry) error
	silence *time.Timer
	silent  atomic.Bool

	at      int64 // position of the file
	buffer  [wantSize]byte
	begun   bool           // a conversation is being read
	entry   *history.Entry // the conversation that the next messages belong to
	entries int            // its bytes
}

// failure returns why the child ended early. The conversation that it was reading can be skipped, unless the time for
// the whole export is over.
func (r *historyReader) failure(died error, over bool) error {
	if r.begun && !over {
		died = errReading{died}
	}
	if over || r.silent.Load() {
		return errSlow.WithCause(died)
	}
	return errDied.WithCause(died)
}

func (r *historyReader) receive() error {
	in := bufio.NewReaderSize(r.out, frameSize)
	buffer := make([]byte, frameSize)
	for {
		r.silence.Reset(historySilence)
		kind, content, err := readFrameUpTo(maxHistoryFrame, in, buffer)
		r.silence.Stop()
		if err != nil {
			return fmt.Errorf("read the response: %w", err)
		}
		switch kind {
		case frameWant:
			err = r.send(content)
		case frameBegin:
			r.begun = true
		case frameConversation, frameSkipped, frameMessage, frameEnd:
			err = r.take(kind, content)
		case frameDone:
			return nil
		case frameRefused:
			if reason := history.Reason(string(content)); reason != nil {
				return reason
			}
			return errBadFrame
		case frameFailed:
			return fmt.Errorf("%w: %.500q", errInternal, content)
		default:
			return errBadFrame
		}
		if err != nil {
			return err
		}
	}
}

// send sends the bytes that the child wants.
func (r *historyReader) send(want []byte) error {
	if len(want) != 12 {
		return errBadFrame
	}
	offset, size := int64(binary.BigEndian.Uint64(want)), int64(binary.BigEndian.Uint32(want[8:]))
	if offset < 0 || offset > r.file.Size || size > wantSize {
		return errBadFrame
	}
	if offset != r.at {
		if _, err := r.file.Bytes.Seek(offset, io.SeekStart); err != nil {
			return fmt.Errorf("%w: read the file: %w", errInternal, err)
		}
	}
	n, err := io.ReadFull(r.file.Bytes, r.buffer[:min(size, r.file.Size-offset)])
	if err != nil {
		return fmt.Errorf("%w: read the file: %w", errInternal, err)
	}
	r.at = offset + int64(n)
	return writeFrame(r.in, frameBytes, r.buffer[:n])
}

// take takes a part of a conversation, and calls do at its end.
func (r *historyReader) take(kind byte, content []byte) error {
	if r.do == nil || (kind == frameMessage || kind == frameEnd) != (r.entry != nil) {
		return errBadFrame
	}
	switch kind {
	case frameMessage:
		var m history.Message
		if err := json.Unmarshal(content, &m); err != nil {
			return fmt.Errorf("%w: %w", errBadFrame, err)
		}
		r.entries += len(content)
		if r.entry.Messages = append(r.entry.Messages, m); r.entries > maxHistory {
			return errBadFrame
		}
		return nil
	case frameEnd:
		entry := *r.entry
		r.entry = nil
		return r.pass(entry)
	}
	var made historyEntry
	if err := json.Unmarshal(content, &made); err != nil || len(made.Messages) > 0 {
		return errors.Join(errBadFrame, err)
	}
	entry := history.Entry{Conversation: made.Conversation, Percent: made.Percent}
	if kind == frameSkipped {
		if entry.Skipped = history.Reason(made.Reason); entry.Skipped == nil {
			return errBadFrame
		}
		return r.pass(entry)
	}
	r.entry, r.entries = &entry, 0
	return nil
}

func (r *historyReader) pass(entry history.Entry) error {
	r.begun = false
	if err := r.do(entry.Check()); err != nil {
		return fmt.Errorf("%w: %w", errInternal, err)
	}
	return nil
}

// encodeFrame returns JSON without the escapes for HTML, which would make it longer.
func encodeFrame(content any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		return nil, fmt.Errorf("encode a frame: %w", err)
	}
	return out.Bytes(), nil
}
