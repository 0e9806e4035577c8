package extract

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"parley/internal/extract/charset"
	"parley/internal/extract/eml"
	"parley/internal/extract/html"
	"parley/internal/extract/prose"
)

// headerLine is a line of a message's header.
var headerLine = regexp.MustCompile(`^([!-9;-~]+)[ \t]*:`)

// mailType returns the type of a message or of a saved page from its first bytes, or "". A text that only
// quotes a message has no technical header fields, so it needs a name that says what it is.
func mailType(head []byte, name string) string {
	fields := headerFields(withoutSeparator(head))
	has := func(name string) bool { return slices.Contains(fields, name) }
	technical := has("mime-version") || has("message-id") || has("received") || has("return-path")
	named := slices.Contains([]string{".eml", ".mht", ".mhtml"}, extension(name))
	switch {
	case len(fields) < 2, !technical && !named:
		return ""
	case has("snapshot-content-location"), extension(name) == ".mht", extension(name) == ".mhtml":
		return typeMHTML
	case has("from"), has("mime-version") && has("content-type"):
		return typeEML
	}
	return ""
}

// minFields is how many header fields must come before a line that is not one. With fewer, the text is not a mail.
const minFields = 3

// headerFields returns the names of the header fields that a text starts with, in lower case. It returns nil
// if they don't end in a blank line.
func headerFields(head []byte) []string {
	var fields []string
	for line := range bytes.Lines(head) {
		found := headerLine.FindSubmatch(line)
		switch {
		case found != nil:
			fields = append(fields, strings.ToLower(string(found[1])))
		case len(bytes.TrimSpace(line)) == 0:
			return fields
		case len(fields) == 0, line[0] != ' ' && line[0] != '\t' && len(fields) < minFields:
			return nil
		}
	}
	return fields
}

// withoutSeparator returns a message without its byte-order mark, and without the line that separates it from
// others in a mailbox.
func withoutSeparator(message []byte) []byte {
	message = bytes.TrimLeft(bytes.TrimPrefix(message, []byte("\ufeff")), "\r\n")
	if bytes.HasPrefix(message, []byte("From ")) && !headerLine.Match(message) {
		_, message, _ = bytes.Cut(message, []byte("\n"))
	}
	return message
}

// readMail reads a message: its header, its text and its attachments.
func (r Reader) readMail(ctx context.Context, out *prose.Output, file []byte) error {
	message, err := parseMail(file)
	if err != nil {
		return err
	}
	for _, field := range []string{"From", "To", "Cc", "Date", "Subject"} {
		if value := inOneEncoding(message.Header.Get(field)); strings.TrimSpace(value) != "" {
			out.Line()
			out.Write(field + ": " + value)
		}
	}
	out.Paragraph()
	if err := writeMailBody(out, message); err != nil {
		return err
	}
	for _, part := range message.Leaves() {
		if isAttached(part) || part == message && strings.HasPrefix(part.Type, "image/") {
			r.attach(ctx, out, attachmentName(part), partContent(part))
		}
	}
	return nil
}

// readMHTML reads a page that was saved with its pictures.
func readMHTML(out *prose.Output, file []byte) error {
	message, err := parseMail(file)
	if err != nil {
		return err
	}
	return writeMailBody(out, message)
}

func parseMail(file []byte) (*eml.Part, error) {
	message, err := eml.Parse(withoutSeparator(charset.WideInUTF8(file)))
	if err != nil {
		return nil, prose.ErrBomb.WithCause(err)
	}
	return message, nil
}

// writeMailBody writes the texts of a message, or its first page if it has none.
func writeMailBody(out *prose.Output, message *eml.Part) error {
	var texts []string
	var page *eml.Part
	for _, part := range message.Leaves() {
		switch {
		case isAttached(part) || len(part.Content) == 0:
		case part.Type == "text/html":
			if page == nil {
				page = part
			}
		case part.Type == "text/plain" && (len(texts) == 0 || message.Type != "multipart/alternative"):
			texts = append(texts, string(partContent(part)))
		}
	}
	if text := strings.Join(texts, "\n--\n"); strings.TrimSpace(text) != "" {
		out.Verbatim(text)
		return nil
	}
	if page == nil {
		return nil
	}
	return html.ReadDecoded(out, bytes.NewReader(partContent(page)))
}

// isAttached reports whether a part is a document of its own. Pictures within the text are not.
func isAttached(part *eml.Part) bool {
	switch {
	case len(part.Content) == 0:
		return false
	case part.Disposition == "attachment":
		return true
	case part.Type == "text/plain", part.Type == "text/html":
		return part.Disposition == "inline" && part.FileName != ""
	}
	return !strings.HasPrefix(part.Type, "image/")
}

// partContent returns the content of a part, in UTF-8 if it is a text.
func partContent(part *eml.Part) []byte {
	if !strings.HasPrefix(part.Type, "text/") {
		return part.Content
	}
	found := charset.OfDeclared(part.Content, part.Encoding)
	if part.Encoding == charmap.Windows1252 {
		// Programs that do not know their encoding declare this one.
		if likeliest := charset.Of(part.Content); !isSingleByte(likeliest) {
			found = likeliest
		}
	}
	text, err := found.NewDecoder().Bytes(part.Content)
	if err != nil {
		return part.Content
	}
	return text
}

func isSingleByte(found encoding.Encoding) bool {
	_, single := found.(*charmap.Charmap)
	return single
}

// inOneEncoding returns a text in UTF-8 that the message wrote in an encoding that it does not declare.
func inOneEncoding(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	decoded, err := charset.Of([]byte(text)).NewDecoder().String(text)
	if err != nil {
		return strings.ToValidUTF8(text, "")
	}
	return decoded
}

func attachmentName(part *eml.Part) string {
	switch {
	case part.FileName != "":
		return part.FileName
	case part.Type == typeEML:
		return "message.eml"
	}
	return ""
}

// mailSeparator is the line before a message in a file of several.
var mailSeparator = regexp.MustCompile(`(?m)^From \S+.* \d\d:\d\d`)

// isMailbox reports whether a file holds several messages, from its first bytes.
func isMailbox(head []byte) bool {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	return mailSeparator.Match(line) && mailType(rest, "") == typeEML
}

// maxMessages limits the messages of a mailbox.
const maxMessages = 5000

// readMailbox reads all messages of a file, each under an anchor.
func (r Reader) readMailbox(ctx context.Context, out *prose.Output, file []byte) error {
	starts := mailSeparator.FindAllIndex(file, maxMessages+1)
	if len(starts) > maxMessages {
		return prose.ErrTooLong
	}
	for i, start := range starts {
		if err := ctx.Err(); err != nil || out.Full {
			return err
		}
		end := len(file)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		_, message, _ := bytes.Cut(file[start[0]:end], []byte("\n"))
		out.Page(fmt.Sprintf("message %d", i+1))
		if err := r.readMail(ctx, out, message); err != nil {
			out.Note(fmt.Sprintf("message %d could not be read", i+1))
		}
	}
	return nil
}
