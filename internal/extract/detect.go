package extract

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/text/encoding"
)

// headSize is how many of a document's first bytes are looked at to tell what it is.
const headSize = 4096

// The types of documents that are more than text.
const (
	plainText = "text/plain"
	markdown  = "text/markdown"
	typeHTML  = "text/html"
	typeXML   = "text/xml"
	typePDF   = "application/pdf"
	typeRTF   = "application/rtf"
	typeEPUB  = "application/epub+zip"
	typeODT   = "application/vnd.oasis.opendocument.text"
	typeDOCX  = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	typeXLSX  = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	typePPTX  = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
)

// detect says what a document is, from its first bytes; what is packed is "" as long
// as nobody has looked inside. The name only tells one kind of text from another.
func detect(head []byte, name string) (string, error) {
	head = inUTF8(head)
	found := mimetype.Detect(head)
	named := namedType(name)
	switch {
	case isA(found, "application/zip"):
		return "", nil
	case isA(found, typePDF):
		return typePDF, nil
	case isA(found, "text/rtf"):
		return typeRTF, nil
	case found.Is(typeHTML) && named == markdown && !wholePage(head):
		return markdown, nil
	case isA(found, typeHTML), isA(found, "application/xhtml+xml"):
		return typeHTML, nil
	case isA(found, typeXML):
		return typeXML, nil
	case isText(found), soundsBinary(found) && printable(head):
		return named, nil
	}
	return "", errUnsupported
}

// isA reports whether a type is another one or a kind of it.
func isA(found *mimetype.MIME, mediaType string) bool {
	for m := found; m != nil; m = m.Parent() {
		if m.Is(mediaType) {
			return true
		}
	}
	return false
}

// isText reports whether bytes are text that needs no format of its own to be read.
func isText(found *mimetype.MIME) bool {
	return isA(found, plainText) && !strings.HasPrefix(found.String(), "image/")
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
