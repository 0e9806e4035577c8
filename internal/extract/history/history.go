// Package history reads conversations that were exported by ChatGPT, Open WebUI, LibreChat or
// Parley itself.
//
// A file is JSON, or a zip with JSON files in it. It is read as a stream: one conversation is in
// memory at a time, so a file of any size needs about the same memory.
package history

import (
	"errors"
	"io"
	"math"
	"strconv"

	"parley"
)

// Limits of a conversation. A larger one is skipped.
const (
	// MaxConversation is the largest JSON text of a conversation in bytes, without its pictures.
	MaxConversation = 16 << 20
	// MaxMessages is how many messages a conversation can have.
	MaxMessages = 10_000
	// MaxReply is the largest reply in bytes. Questions are limited by parley.MaxContent.
	MaxReply = 1 << 20
)

// maxChecked is how many bytes of JSON a check reads. The first conversations of an export are within it.
const maxChecked = 128 << 20

// Conversation is one conversation of a file. Questions and replies take turns in it, and it
// ends with a reply.
type Conversation struct {
	// SessionID is the id of the session if Parley has exported it.
	SessionID string `json:"session_id,omitempty"`
	// Title may be empty.
	Title string `json:"title,omitempty"`
	// CreatedAt is in microseconds, or 0 if it is not known.
	CreatedAt int64     `json:"created_at,omitempty"`
	Archived  bool      `json:"archived,omitempty"`
	Messages  []Message `json:"messages,omitempty"`
	// Left counts what the messages leave out of the conversation.
	Left Left `json:"left"`
}

// Left counts what is left out of a conversation.
type Left struct {
	Pictures int `json:"pictures,omitempty"`
	// Others are files, recordings, canvases, outputs of programs and values of an unexpected type.
	Others int `json:"others,omitempty"`
}

// Message is a question or a reply.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	// At is in microseconds, or 0 if it is not known.
	At       int64           `json:"at,omitempty"`
	Status   string          `json:"status,omitempty"`
	Model    string          `json:"model,omitempty"`
	Thinking string          `json:"thinking,omitempty"`
	Sources  []parley.Source `json:"sources,omitempty"`

	left Left
}

// Entry is a conversation of a file, or what is known of a skipped one.
type Entry struct {
	Conversation
	// Skipped is why it is skipped, or nil.
	Skipped *parley.Error
	// Percent is how much of the file has been read.
	Percent int
}

// Why a conversation is skipped, as users see it.
var (
	errNoTurns     = parley.ErrFileUnreadable.Case("it has no question with a reply")
	errTooLarge    = parley.ErrFileUnreadable.Case("it is larger than the limit of a conversation")
	errLongMessage = parley.ErrFileUnreadable.Case("one of its messages is longer than the limit")
	errUnknown     = parley.ErrFileUnreadable.Case("it is not a conversation in a known format")
	errCircle      = parley.ErrFileUnreadable.Case("its messages are linked in a circle")
	errUnreadable  = parley.ErrFileUnreadable.Case("it is broken, or needs too much memory or time")
	errBrokenPart  = parley.ErrFileUnreadable.Case("this file of the archive is broken")
)

// Why a whole file is refused, as users see it.
var (
	errUnsupported = parley.ErrFormatUnsupported.Case("the file is no export that can be imported; those of " +
		"ChatGPT, Open WebUI, LibreChat and this service are, as JSON or zip")
	// ErrBroken is for a file with another syntax from some place on.
	ErrBroken    = parley.ErrFileUnreadable.Case("the file can't be read: it is broken")
	errEncrypted = parley.ErrFileUnreadable.Case("the file can't be read: it is encrypted or needs a password")
	errBomb      = parley.ErrFileUnreadable.Case("the file can't be read: it unpacks to more than the limit")
)

// Reason returns the error with the given message that this package returns, or nil. It checks
// messages that come from a child process.
func Reason(message string) *parley.Error {
	for _, e := range []*parley.Error{
		errNoTurns, errTooLarge, errLongMessage, errUnknown, errCircle, errBrokenPart,
		errUnsupported, ErrBroken, errEncrypted, errBomb,
	} {
		if e.Message == message {
			return e
		}
	}
	return nil
}

// File is an export.
type File struct {
	Bytes io.ReaderAt
	Size  int64
	// MaxUnpacked limits the JSON of an archive, in bytes.
	MaxUnpacked int64
	// Begin is called before Each reads a conversation, unless it is nil. Its error ends Each.
	Begin func() error
}

// errStop ends the reading of a file.
var errStop = errors.New("stop reading")

// maxForeign is how many other elements may come before the first conversation of a part.
const maxForeign = 1000

// Check returns a *parley.Error if Each can't read the file as an export. If the file is large, it reads only the
// beginning.
func (f File) Check() error {
	found := false
	err := f.parts(maxChecked, func(p part) error {
		if p.shut {
			return nil
		}
		elements := p.elements()
		for range maxForeign + 1 {
			raw, err := elements.next()
			switch {
			case errors.Is(err, errTooLarge):
				found = looksKnown(raw)
			case errors.Is(err, errEnough):
				found = looksKnown(raw)
				return errStop
			case err != nil:
				return nil // there may be another part
			default:
				found = formatOf(raw) != nil
			}
			if found {
				return errStop
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return err
	}
	if !found {
		return errUnsupported
	}
	return nil
}

// Each calls do with each conversation of the file but the first skip, in the order of the file. An element that is not
// a conversation becomes a skipped entry. It returns the errors of do, and a *parley.Error if the file can't be read to
// its end.
func (f File) Each(skip int64, do func(Entry) error) error {
	number := int64(0)
	return f.parts(math.MaxInt64, func(p part) error {
		return p.each(func(entry func() Entry) error {
			if number++; number <= skip {
				return nil
			}
			if f.Begin != nil {
				if err := f.Begin(); err != nil {
					return err
				}
			}
			made := entry()
			made.Percent = p.percent()
			if made.Skipped != nil && made.Title == "" {
				made.Title = titleOf(number)
			}
			return do(made)
		})
	})
}

// titleOf stands for the title of an entry without one. Numbers begin with 1.
func titleOf(number int64) string { return "#" + strconv.FormatInt(number, 10) }

// Unreadable returns the entry with a number that its reader could not survive.
func Unreadable(number int64, percent int) Entry {
	return Entry{Conversation: Conversation{Title: titleOf(number)}, Skipped: errUnreadable, Percent: percent}
}

// each calls do with each element of a part, or with none if the part has no conversation. One that can't be opened is
// an entry by itself.
func (p part) each(do func(entry func() Entry) error) error {
	if p.shut {
		return do(p.broken)
	}
	elements := p.elements()
	var foreign []Entry // elements before the first conversation
	for known := false; ; {
		raw, err := elements.next()
		large := errors.Is(err, errTooLarge)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !large && p.name == "":
			return ErrBroken.WithCause(err)
		case err != nil && !large && !known && !looksKnown(raw):
			return nil
		case err != nil && !large:
			return do(p.broken)
		}
		read := formatOf(raw)
		if known = known || read != nil || large && looksKnown(raw); !known {
			if foreign = append(foreign, newEntry(raw, read, large)); len(foreign) > maxForeign {
				return nil
			}
			continue
		}
		for _, entry := range foreign {
			if err := do(func() Entry { return entry }); err != nil {
				return err
			}
		}
		foreign = nil
		if err := do(func() Entry { return newEntry(raw, read, large) }); err != nil {
			return err
		}
	}
}

// Check returns the entry as Each could have returned it. It is for entries that come from a child process.
func (e Entry) Check() Entry {
	e.Title = cleanTitle(e.Title)
	if e.Skipped == nil {
		e.Messages, e.Skipped = arrange(e.Messages)
	}
	e.Percent = max(0, min(e.Percent, 100))
	e.Left.Pictures, e.Left.Others = max(0, e.Left.Pictures), max(0, e.Left.Others)
	return e
}

// newEntry reads a conversation. If it is too large, raw is its beginning.
func newEntry(raw []byte, read format, large bool) Entry {
	skipped := func(c Conversation, reason *parley.Error) Entry {
		title := c.Title
		if title == "" {
			title = cleanTitle(titleIn(raw))
		}
		return Entry{Conversation: Conversation{Title: title}, Skipped: reason}
	}
	if large {
		return skipped(Conversation{}, errTooLarge)
	}
	if read == nil {
		return skipped(Conversation{}, errUnknown)
	}
	c, odd := read(raw)
	c.Title = cleanTitle(c.Title)
	turns, reason := arrange(c.Messages)
	var known *parley.Error
	switch {
	case errors.As(odd, &known):
		return skipped(c, known)
	case odd != nil && reason != nil:
		return skipped(c, errUnknown)
	case reason != nil:
		return skipped(c, reason)
	}
	for _, m := range c.Messages {
		c.Left.Pictures += m.left.Pictures
		c.Left.Others += m.left.Others
	}
	if odd != nil {
		c.Left.Others++
	}
	c.Messages = turns
	return Entry{Conversation: c}
}
