// Package extract finds out what a document is and reads its text.
package extract

import (
	"bytes"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/text/encoding"

	"parley"
)

// HeadSize is how many of a document's first bytes Detect needs.
const HeadSize = 4096

const (
	plainText = "text/plain"
	markdown  = "text/markdown"
)

// Detect says what a document is, as a media type without parameters, from its first
// bytes (HeadSize of them, or all where it is shorter). The name only tells one kind
// of text from another. What Text can't read is parley.ErrFormatUnsupported.
func Detect(head []byte, name string) (string, error) {
	head = inUTF8(head)
	found := mimetype.Detect(head)
	named := namedType(name)
	switch {
	case isText(found), soundsBinary(found) && printable(head):
		return named, nil
	case found.Is("text/html") && named == markdown && !wholePage(head):
		return markdown, nil
	}
	return "", unsupported()
}

// Text writes the text of a document, of a type that Detect gave, to w: valid UTF-8
// with "\n" at line ends and no control characters but tabs. An empty document, and
// one whose text is over limit bytes, is parley.ErrFileUnreadable; one that turns out
// to be no text is parley.ErrFormatUnsupported. After an error what w got is to be
// thrown away.
func Text(w io.Writer, r io.ReadSeeker, mediaType string, limit int64) error {
	if isTextType(mediaType) {
		return readText(w, r, limit)
	}
	return unsupported()
}

// isText reports whether bytes are text that needs no format of its own to be read.
func isText(found *mimetype.MIME) bool {
	for m := found; m != nil; m = m.Parent() {
		switch {
		case m.Is(plainText):
			return true
		case m.Is("text/html"), m.Is("text/xml"), m.Is("text/rtf"), strings.HasPrefix(m.String(), "image/"):
			return false
		}
	}
	return false
}

// soundsBinary names the formats that are known by two or three letters, so that
// ordinary words can begin like them.
func soundsBinary(found *mimetype.MIME) bool {
	return found.Is("application/vnd.microsoft.portable-executable") ||
		found.Is("application/x-shockwave-flash") ||
		found.Is("application/x-bzip2")
}

func printable(head []byte) bool {
	return utf8.Valid(head[:len(head)-len(cutRune(head))]) &&
		!bytes.ContainsFunc(head, func(r rune) bool { return isJunk(r) && r != utf8.RuneError })
}

// wholePage tells a page from Markdown that begins with a tag or a comment.
func wholePage(head []byte) bool {
	start := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))))
	for _, tag := range []string{"<!doctype", "<html", "<head", "<body"} {
		if bytes.HasPrefix(start, []byte(tag)) {
			return true
		}
	}
	return false
}

// inUTF8 turns the beginning of a UTF-16 document into UTF-8, so that it is looked at
// like any other.
func inUTF8(head []byte) []byte {
	charset := byMark(head)
	if charset == nil || charset == encoding.Nop {
		return head
	}
	decoded, err := charset.NewDecoder().Bytes(head)
	if err != nil {
		return head
	}
	return decoded
}

// namedType is the kind of text that a name's ending stands for.
func namedType(name string) string {
	if t, ok := typesByEnding[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return plainText
}

func isTextType(mediaType string) bool {
	if mediaType == plainText {
		return true
	}
	for _, t := range typesByEnding {
		if t == mediaType {
			return true
		}
	}
	return false
}

// typesByEnding are the kinds of text that are read as they stand.
var typesByEnding = map[string]string{
	".c":        "text/x-c",
	".cc":       "text/x-c++",
	".cpp":      "text/x-c++",
	".cs":       "text/x-csharp",
	".css":      "text/css",
	".csv":      "text/csv",
	".go":       "text/x-go",
	".h":        "text/x-c",
	".hpp":      "text/x-c++",
	".java":     "text/x-java",
	".js":       "text/javascript",
	".json":     "application/json",
	".jsonl":    "application/x-ndjson",
	".kt":       "text/x-kotlin",
	".lua":      "text/x-lua",
	".markdown": markdown,
	".md":       markdown,
	".mjs":      "text/javascript",
	".ndjson":   "application/x-ndjson",
	".php":      "text/x-php",
	".py":       "text/x-python",
	".rb":       "text/x-ruby",
	".rs":       "text/x-rust",
	".rst":      "text/x-rst",
	".sh":       "text/x-shellscript",
	".sql":      "application/sql",
	".srt":      "application/x-subrip",
	".swift":    "text/x-swift",
	".tex":      "text/x-tex",
	".toml":     "application/toml",
	".ts":       "text/x-typescript",
	".tsv":      "text/tab-separated-values",
	".vtt":      "text/vtt",
	".yaml":     "application/yaml",
	".yml":      "application/yaml",
}

func unsupported() *parley.Error {
	e := *parley.ErrFormatUnsupported
	e.Message = "the file format is not supported; plain text, Markdown, CSV, JSON, YAML and source code are"
	return &e
}

func unreadable(message string) *parley.Error {
	e := *parley.ErrFileUnreadable
	e.Message = message
	return &e
}
