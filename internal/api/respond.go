package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/chat"
)

// piece writes the next piece of a response and reports whether more follow. The server makes and writes a long
// response piece by piece: a slow client then holds only one piece in memory.
type piece func(ctx context.Context, out *bytes.Buffer) (more bool, err error)

// pieces is a successful response.
type pieces struct {
	next        piece
	contentType string
	filename    string // empty if this is not an attachment
}

// onePiece returns an envelope as a response.
func onePiece(envelope any) pieces {
	return pieces{contentType: "application/json", next: func(_ context.Context, out *bytes.Buffer) (bool, error) {
		return false, encodeJSON(out, envelope)
	}}
}

// jsonList returns an envelope with a list. member is the name of the list. envelope returns the envelope with a part
// of the list in it.
func jsonList[T any](list *chat.List[T], member string, envelope func(part []T) any) pieces {
	if !list.More() {
		return onePiece(envelope(list.Batch))
	}
	return jsonEntries(list, member, encodeEntry, func() any { return envelope([]T{}) })
}

// encodeEntry writes an entry of a list.
func encodeEntry[T any](out *bytes.Buffer, entry *T) error {
	if err := encodeJSON(out, entry); err != nil {
		return err
	}
	out.Truncate(out.Len() - len("\n"))
	return nil
}

// jsonEntries is jsonList with a custom encode for the entries. envelope returns the envelope with an empty list.
func jsonEntries[T any](
	list *chat.List[T], member string, encode func(out *bytes.Buffer, entry *T) error, envelope func() any,
) pieces {
	begun := false
	return pieces{contentType: "application/json", next: func(ctx context.Context, out *bytes.Buffer) (bool, error) {
		if begun {
			if err := list.Next(ctx); err != nil {
				return false, err
			}
		} else if err := encodeAround(out, envelope(), member, true); err != nil {
			return false, err
		}
		for i := range list.Batch {
			if begun {
				out.WriteByte(',')
			}
			begun = true
			if err := encode(out, &list.Batch[i]); err != nil {
				return false, err
			}
		}
		list.Batch = nil
		if list.More() {
			return true, nil
		}
		return false, encodeAround(out, envelope(), member, false)
	}}
}

// encodeAround writes an envelope with an empty list: either the part before the list's content or the part after it.
// No text can look like the list because JSON escapes quotes within strings.
func encodeAround(out *bytes.Buffer, envelope any, member string, before bool) error {
	var all bytes.Buffer
	if err := encodeJSON(&all, envelope); err != nil {
		return err
	}
	name, _ := json.Marshal(member) // a string is always valid
	head, tail, _ := bytes.Cut(all.Bytes(), append(name, ":[]"...))
	if before {
		out.Write(head)
		out.Write(name)
		out.WriteString(":[")
	} else {
		out.WriteByte(']')
		out.Write(tail)
	}
	return nil
}

const (
	// FreeResponse is how much of a response does not count against the shares of users.
	FreeResponse = 16 << 10
	// maxKept is the largest buffer to reuse.
	maxKept = 128 << 10
)

// held returns how many bytes a buffer counts for. Of a reusable buffer, only the used part counts.
func held(b *bytes.Buffer) int64 {
	if b.Cap() <= maxKept {
		return int64(b.Len())
	}
	return int64(b.Cap())
}

// responder writes responses.
type responder struct {
	buffers   sync.Pool // of *bytes.Buffer, for the pieces
	timeLimit time.Duration
	journal   *journal
}

func newResponder(timeLimit time.Duration, j *journal) *responder {
	return &responder{
		buffers:   sync.Pool{New: func() any { return new(bytes.Buffer) }},
		timeLimit: timeLimit,
		journal:   j,
	}
}

func (s *responder) keepBuffer(b *bytes.Buffer) {
	if b.Cap() <= maxKept {
		b.Reset()
		s.buffers.Put(b)
	}
}

// respond makes the first piece of a response, which may still fail with an error. It returns the function that
// writes the response. If the memory for responses is used up, it refuses a read. It never refuses the response to a
// change, which is done already.
func (s *responder) respond(ctx context.Context, r route, p pieces) (*huma.StreamResponse, error) {
	first := s.buffers.Get().(*bytes.Buffer)
	more, err := p.next(ctx, first)
	if err != nil {
		s.keepBuffer(first)
		return nil, err
	}
	hold := infoOf(ctx).hold
	if r.method != http.MethodGet {
		hold.Force(held(first))
	} else if !hold.Resize(held(first)) {
		s.keepBuffer(first)
		return nil, parley.ErrOverloaded
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humachi.Unwrap(hctx)
		w.Header().Set("Content-Type", p.contentType)
		if p.filename != "" {
			w.Header().Set("Content-Disposition", attachment(p.filename))
		}
		s.writePieces(r.Context(), w, p.next, first, more)
	}}, nil
}

// writePieces writes a response. If it can't complete the response, it cuts the connection. Otherwise the client
// would take the response for complete.
func (s *responder) writePieces(ctx context.Context, w http.ResponseWriter, next piece, out *bytes.Buffer, more bool) {
	defer s.keepBuffer(out)
	for {
		_, err := w.Write(out.Bytes())
		if !more {
			return // even if the client has disconnected
		}
		if err == nil {
			more, err = s.nextPiece(ctx, next, out)
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// nextPiece makes the next piece of a response within the time limit. If this fails, it logs the reason.
func (s *responder) nextPiece(ctx context.Context, next piece, out *bytes.Buffer) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeLimit)
	defer cancel()
	if out.Cap() > maxKept {
		*out = bytes.Buffer{}
	}
	out.Reset()
	more, err = next(ctx, out)
	if err == nil && !infoOf(ctx).hold.Resize(held(out)) {
		err = parley.ErrOverloaded
	}
	if err != nil {
		return false, s.journal.fail(ctx, err)
	}
	return more, nil
}
