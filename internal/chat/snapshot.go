package chat

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"parley"
)

// sharePartBytes is about how much text a part of a share has. A reader holds one part in memory.
const sharePartBytes = 64 << 10

// shareWriter turns the messages of a session into the parts of a share: lists of messages in JSON, compressed.
type shareWriter struct {
	thinking bool

	parts    [][]byte
	messages int64

	question *parley.SharedMessage // not added before its reply
	part     []parley.SharedMessage
	size     int // of part, in bytes of text
	total    int
}

// begin starts a share of a session with a number of messages. The last turn may be in progress.
func (w *shareWriter) begin(messages int64) error {
	*w = shareWriter{thinking: w.thinking}
	if messages > parley.MaxShareMessages+2 {
		return parley.ErrShareTooLarge
	}
	return nil
}

// add adds the next message. An empty reply is in progress: it and its question are left out.
func (w *shareWriter) add(m parley.Message) error {
	shared := w.shared(m)
	if m.Role == parley.RoleUser {
		w.question = &shared
		return nil
	}
	if m.Content == "" {
		return nil
	}
	for _, message := range []*parley.SharedMessage{w.question, &shared} {
		if message == nil {
			continue
		}
		size := len(message.Content) + len(message.Thinking)
		for _, source := range message.Sources {
			size += len(source.Title) + len(source.URL)
		}
		w.total, w.messages = w.total+size, w.messages+1
		if w.total > parley.MaxShareBytes || w.messages > parley.MaxShareMessages {
			return parley.ErrShareTooLarge
		}
		w.part = append(w.part, *message)
		w.size += size
	}
	w.question = nil
	if w.size >= sharePartBytes {
		return w.flush()
	}
	return nil
}

// end completes the last part.
func (w *shareWriter) end() error {
	if w.messages == 0 {
		return parley.ErrNothingToShare
	}
	return w.flush()
}

func (w *shareWriter) flush() error {
	if len(w.part) == 0 {
		return nil
	}
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	if err := json.NewEncoder(packed).Encode(w.part); err != nil {
		return fmt.Errorf("encode share: %w", err)
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("compress share: %w", err)
	}
	w.parts = append(w.parts, out.Bytes())
	w.part, w.size = nil, 0
	return nil
}

func decodePart(data []byte) (messages []parley.SharedMessage, err error) {
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		err = json.NewDecoder(packed).Decode(&messages)
	}
	if err != nil {
		return nil, fmt.Errorf("decode share: %w", err)
	}
	return messages, nil
}

// shared returns what others may see of a message.
func (w *shareWriter) shared(m parley.Message) parley.SharedMessage {
	shared := parley.SharedMessage{
		Role: m.Role, Content: m.Content, Timestamp: m.Timestamp, Status: m.Status, Pictures: int64(len(m.Images)),
	}
	if w.thinking {
		shared.Thinking, shared.ThinkingMS = m.Thinking, m.ThinkingMS
	}
	for _, source := range m.Sources {
		if !isPublic(source.URL) { // it keeps its place, since replies cite sources by number
			source = parley.Source{}
		}
		shared.Sources = append(shared.Sources, source)
	}
	return shared
}

// isPublic reports whether an address belongs to a page on the web, as far as its name tells: not to a machine in a
// private network, and without a password.
func isPublic(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsGlobalUnicast() && !ip.IsPrivate()
	}
	if !strings.Contains(host, ".") {
		return false
	}
	return !slices.ContainsFunc(localNames, func(local string) bool { return strings.HasSuffix(host, local) })
}

// localNames are the ends of names that private networks use.
var localNames = []string{
	".local", ".localhost", ".internal", ".intranet", ".lan", ".corp", ".home", ".home.arpa",
}
