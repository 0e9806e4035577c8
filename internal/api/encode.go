package api

import (
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"parley"
)

// pages writes pages of messages: what json.Encoder would, but faster. They are most of
// what clients read, and nearly all text.
type pages struct{ buffers sync.Pool }

func (p *pages) encode(w io.Writer, page answer[parley.MessagesOutput]) error {
	buffer, _ := p.buffers.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer p.buffers.Put(buffer)
	text, err := appendPage((*buffer)[:0], page)
	*buffer = text
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func appendPage(b []byte, page answer[parley.MessagesOutput]) ([]byte, error) {
	b = append(b, `{"error":`...)
	b = strconv.AppendInt(b, int64(page.Error), 10)
	b = append(b, `,"body":{"messages":[`...)
	for i, m := range page.Body.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendMessage(b, m); err != nil {
			return b, err
		}
	}
	b = append(b, `],"total":`...)
	b = strconv.AppendInt(b, page.Body.Total, 10)
	b = append(b, `},"message":`...)
	b = appendString(b, page.Message)
	b = append(b, `,"success":`...)
	b = strconv.AppendBool(b, page.Success)
	return append(b, "}\n"...), nil
}

func appendMessage(b []byte, m parley.Message) ([]byte, error) {
	b = append(b, `{"id":`...)
	b = appendString(b, m.ID)
	b = append(b, `,"role":`...)
	b = appendString(b, m.Role)
	b = append(b, `,"content":`...)
	b = appendString(b, m.Content)
	b = append(b, `,"timestamp":`...)
	b = strconv.AppendInt(b, m.Timestamp, 10)
	b = append(b, `,"is_favorited":`...)
	b = strconv.AppendBool(b, m.IsFavorited)
	if m.Status != "" {
		b = append(b, `,"status":`...)
		b = appendString(b, m.Status)
	}
	if !reflect.ValueOf(m.Details).IsZero() { // few have any
		var details strings.Builder
		if err := encodeJSON(&details, m.Details); err != nil {
			return b, err
		}
		if members := strings.TrimSpace(details.String()); members != "{}" {
			b = append(append(b, ','), members[1:len(members)-1]...)
		}
	}
	return append(b, '}'), nil
}

// appendString adds a string as JSON. Stretches that need no escape, which is nearly
// all, are copied whole.
func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = replaceInvalid(s)
	}
	b = append(b, '"')
	copied := 0
	for i := plainLength(s); i < len(s); i += plainLength(s[i:]) {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if r < utf8.RuneSelf || r == '\u2028' || r == '\u2029' {
			b = appendEscape(append(b, s[copied:i]...), r)
			copied = i + size
		}
		i += size
	}
	return append(append(b, s[copied:]...), '"')
}

// replaceInvalid puts U+FFFD in place of each byte that is not UTF-8.
func replaceInvalid(s string) string {
	return strings.Map(func(r rune) rune { return r }, s)
}

// appendEscape adds the escape of a character that can't stand for itself. JavaScript
// once took U+2028 and U+2029 for ends of lines.
func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', hex[r>>12], hex[r>>8&0xF], hex[r>>4&0xF], hex[r&0xF])
}

// plainLength is how many bytes at the head of s, which is valid, surely need no escape.
// It looks at eight at a time, for one that is less than a blank, a quote, a backslash,
// or may begin U+2028.
func plainLength(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(s)-n >= 8; n += 8 {
		w := s[n : n+8]
		word := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		quote, backslash, e2 := word^ones*'"', word^ones*'\\', word^ones*0xE2
		// A byte less than n borrows from its high bit, which was not set, when n is
		// taken from it; so does a byte that is zero when one is.
		if ((word-ones*' ')&^word|(quote-ones)&^quote|(backslash-ones)&^backslash|(e2-ones)&^e2)&high != 0 {
			break
		}
	}
	for ; n < len(s); n++ {
		if c := s[n]; c < ' ' || c == '"' || c == '\\' || c == 0xE2 {
			break
		}
	}
	return n
}
