package extract

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"parley/internal/extract/html"
	"parley/internal/extract/ole"
	"parley/internal/extract/prose"
	"parley/internal/extract/rtf"
)

// Properties of a message that are read.
const (
	msgSubject     = 0x0037
	msgSubmitted   = 0x0039
	msgSender      = 0x0C1A
	msgSenderEmail = 0x0C1F
	msgSenderSMTP  = 0x5D01
	msgCc          = 0x0E03
	msgTo          = 0x0E04
	msgDelivered   = 0x0E06
	msgBody        = 0x1000
	msgRTF         = 0x1009
	msgHTML        = 0x1013
	msgData        = 0x3701
	msgShortName   = 0x3704
	msgLongName    = 0x3707
	msgCodePage    = 0x3FFD

	msgNarrow  = 0x001E
	msgWide    = 0x001F
	msgBinary  = 0x0102
	msgTime    = 0x0040
	msgInteger = 0x0003
	msgObject  = 0x000D
)

// msgReader reads a message of Outlook in a folder of a compound file.
type msgReader struct {
	file   *ole.Compound
	folder string
	fixed  map[int]uint64 // the values of properties of a fixed size, by tag
}

// readMSG reads a message of Outlook: its header, its text and its attachments.
func (r Reader) readMSG(ctx context.Context, out *prose.Output, c *ole.Compound, folder string) error {
	m := &msgReader{c, folder, make(map[int]uint64)}
	if err := m.readFixed(); err != nil {
		return err
	}
	for _, field := range []struct{ name, value string }{
		{"From", m.sender()},
		{"To", m.text(msgTo)},
		{"Cc", m.text(msgCc)},
		{"Date", m.date()},
		{"Subject", m.text(msgSubject)},
	} {
		if value := strings.TrimSpace(field.value); value != "" {
			out.Line()
			out.Write(field.name + ": " + value)
		}
	}
	out.Paragraph()
	if err := m.writeBody(out); err != nil {
		return err
	}
	for _, attachment := range m.attachments() {
		r.attachMSG(ctx, out, attachment)
	}
	return nil
}

// readFixed reads the properties of a fixed size. Those of the file have a longer header than those of an
// attached message.
func (m *msgReader) readFixed() error {
	content, err := m.file.Read(path.Join(m.folder, ole.MessageProperties))
	if err != nil {
		return err
	}
	header := 24
	if m.folder == "" {
		header = 32
	}
	for entry := ole.Data(content).From(header, len(content)); len(entry) >= 16; entry = entry.From(16, len(entry)) {
		m.fixed[entry.U32(0)] = entry.U64(8)
	}
	return nil
}

// stream returns the value of a property of variable size, or nil.
func (m *msgReader) stream(id, kind int) ole.Data {
	return m.file.ReadIfAny(path.Join(m.folder, fmt.Sprintf("__substg1.0_%04X%04X", id, kind)))
}

func (m *msgReader) text(id int) string {
	if wide := m.stream(id, msgWide); wide != nil {
		return strings.TrimRight(wide.Wide(), "\x00")
	}
	narrow := m.stream(id, msgNarrow)
	if page := int(m.fixed[msgCodePage<<16|msgInteger]); page != 0 && page != 1200 {
		return narrow.Narrow(page)
	}
	return inOneEncoding(string(narrow))
}

func (m *msgReader) sender() string {
	name, address := m.text(msgSender), m.text(msgSenderSMTP)
	if address == "" {
		address = m.text(msgSenderEmail)
	}
	if address == "" || address == name || !strings.Contains(address, "@") {
		return name
	}
	return strings.TrimSpace(name + " <" + address + ">")
}

func (m *msgReader) date() string {
	ticks := m.fixed[msgSubmitted<<16|msgTime]
	if ticks == 0 {
		ticks = m.fixed[msgDelivered<<16|msgTime]
	}
	const perSecond, before1970 = 10_000_000, 11_644_473_600 // ticks since 1601
	if ticks == 0 || ticks/perSecond > 1<<38 {
		return ""
	}
	return time.Unix(int64(ticks/perSecond)-before1970, 0).UTC().Format(time.RFC1123Z)
}

// writeBody writes the plain text of a message, else its page, else its rich text.
func (m *msgReader) writeBody(out *prose.Output) error {
	if text := m.text(msgBody); strings.TrimSpace(text) != "" {
		out.Verbatim(strings.ReplaceAll(text, "\r\n", "\n"))
		return nil
	}
	if page := m.stream(msgHTML, msgBinary); page != nil {
		return html.Read(out, page)
	}
	if page := m.text(msgHTML); page != "" {
		return html.ReadDecoded(out, strings.NewReader(page))
	}
	if packed := m.stream(msgRTF, msgBinary); packed != nil {
		rich, err := unpackRTF(packed, m.file.Remaining())
		if err != nil {
			return err
		}
		return rtf.Read(out, rich)
	}
	return nil
}

// attachments returns the folders of the attachments, in order.
func (m *msgReader) attachments() []*msgReader {
	var all []*msgReader
	for name := range m.file.Names() {
		folder, base := path.Split(name)
		if path.Clean("/"+folder) == path.Clean("/"+m.folder) && strings.HasPrefix(base, "__attach_version1.0_#") {
			all = append(all, &msgReader{m.file, name, m.fixed})
		}
	}
	slices.SortFunc(all, func(a, b *msgReader) int { return strings.Compare(a.folder, b.folder) })
	return all
}

// attachMSG reads an attachment, which may be a message in the same file.
func (r Reader) attachMSG(ctx context.Context, out *prose.Output, a *msgReader) {
	name := a.text(msgLongName)
	if name == "" {
		name = a.text(msgShortName)
	}
	inner := path.Join(a.folder, fmt.Sprintf("__substg1.0_%04X%04X", msgData, msgObject))
	if !a.file.Has(path.Join(inner, ole.MessageProperties)) {
		r.attach(ctx, out, name, a.stream(msgData, msgBinary))
		return
	}
	if name == "" {
		name = "message"
	}
	r.attachBy(out, name, func(r Reader) (prose.Document, error) {
		nested := &prose.Output{Limit: r.MaxText}
		if err := r.readMSG(ctx, nested, a.file, inner); err != nil {
			return prose.Document{}, err
		}
		document, err := nested.Document(prose.ErrEmpty)
		document.Type = ole.MSG
		return document, err
	})
}
