package extract

import (
	"bytes"
	"cmp"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// HeadSize is the number of bytes that tell what a file is. The header of a message that has passed many servers
// can have more than 10,000.
const HeadSize = 64 << 10

// Media types that Read handles specially.
const (
	plainText = "text/plain"
	markdown  = "text/markdown"
	typeHTML  = "text/html"
	typeXML   = "text/xml"
	typePDF   = "application/pdf"
	typeRTF   = "application/rtf"
	typeEPUB  = "application/epub+zip"
	typeEML   = "message/rfc822"
	typeMHTML = "multipart/related"
	typeMbox  = "application/mbox"
	typeSVG   = "image/svg+xml"

	typeNotebook = "application/x-ipynb+json"
	typeFB2      = "application/x-fictionbook+xml"

	// Documents in a single XML file: of OpenDocument, and of Word and Excel 2003.
	typeFlatODF  = "application/vnd.oasis.opendocument.flat+xml"
	typeWordXML  = "application/vnd.ms-word.2003+xml"
	typeSheetXML = "application/vnd.ms-excel.2003+xml"
)

// detect returns the media type of a document from its first bytes, or "" for a zip
// archive, which has to be opened first. The name only refines the type of a text.
func detect(head []byte, name string) (string, error) {
	head = charset.InUTF8(head)
	found := mimetype.Detect(head)
	named := namedType(name)
	root := rootElement(head)
	switch {
	case rootTypes[root] == typeSheetXML && !bytes.Contains(head, []byte("schemas-microsoft-com:office:spreadsheet")):
		return typeXML, nil
	case rootTypes[root] != "":
		return rootTypes[root], nil
	case isA(found, "application/zip"):
		return "", nil
	case isA(found, typePDF):
		return typePDF, nil
	case isA(found, "text/rtf"), bytes.HasPrefix(head, []byte(`{\rtf`)): // also if it has NULs
		return typeRTF, nil
	case found.Is(typeHTML) && named == markdown && !wholePage(head):
		return markdown, nil
	case isA(found, typeHTML), isA(found, "application/xhtml+xml"), root == "html":
		return typeHTML, nil
	case isA(found, typeXML):
		if named == typeHTML { // a part of a page
			return typeHTML, nil
		}
		return typeXML, nil
	case found.Is(typeSVG):
		return typeSVG, nil
	case isText(found):
		return textType(head, name), nil
	case hasShortMagic(found) && printable(head):
		return named, nil
	case found.Is("application/octet-stream") && isTextWithJunk(head):
		return textType(head, name), nil
	}
	return "", prose.ErrUnsupported
}

// textType returns the type of a text from its first bytes and its name.
func textType(head []byte, name string) string {
	switch {
	case isMailbox(head):
		return typeMbox
	case isNotebook(head, name):
		return typeNotebook
	}
	return cmp.Or(mailType(head, name), namedType(name))
}

// isA reports whether found is mediaType or derived from it.
func isA(found *mimetype.MIME, mediaType string) bool {
	for m := found; m != nil; m = m.Parent() {
		if m.Is(mediaType) {
			return true
		}
	}
	return false
}

// isText reports whether found is plain text or derived from it. SVG is an image.
func isText(found *mimetype.MIME) bool {
	return isA(found, plainText) && !strings.HasPrefix(found.String(), "image/")
}

// hasShortMagic reports whether found is detected by only two or three letters, which
// ordinary text can start with too.
func hasShortMagic(found *mimetype.MIME) bool {
	return found.Is("application/vnd.microsoft.portable-executable") ||
		found.Is("application/x-shockwave-flash") ||
		found.Is("application/x-bzip2")
}

// isTextWithJunk reports whether data is a text in UTF-8 with a stray control character here and there, for example one
// copied from a PDF. NUL does not count.
func isTextWithJunk(head []byte) bool {
	text := head[:len(head)-len(charset.CutRune(head))]
	junk := 0
	for _, r := range string(text) {
		if charset.IsJunk(r) {
			junk++
		}
	}
	return junk*strayShare <= len(text) && utf8.Valid(text) && !bytes.ContainsRune(text, 0)
}

// strayShare is the number of bytes of a text for one control character.
const strayShare = 50

func printable(head []byte) bool {
	return utf8.Valid(head[:len(head)-len(charset.CutRune(head))]) &&
		!bytes.ContainsFunc(head, func(r rune) bool { return charset.IsJunk(r) && r != utf8.RuneError })
}

// wholePage reports whether HTML is a whole page, not Markdown that starts with a tag.
func wholePage(head []byte) bool {
	start := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))))
	for _, tag := range []string{"<!doctype", "<html", "<head", "<body"} {
		if bytes.HasPrefix(start, []byte(tag)) {
			return true
		}
	}
	return false
}

// rootTypes are the types of documents by their first element.
var rootTypes = map[string]string{
	"fictionbook":     typeFB2,
	"office:document": typeFlatODF,
	"w:worddocument":  typeWordXML,
	"workbook":        typeSheetXML,
	"ss:workbook":     typeSheetXML,
}

// rootElement returns the name of the first element of XML or HTML, in lower case, or "" if the text begins with
// something else than markup.
func rootElement(head []byte) string {
	rest := head
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n\ufeff]>") // declarations within the document type end in ]>
		end := endOfDeclaration(rest)
		if end == "" {
			break
		}
		_, after, found := bytes.Cut(rest, []byte(end))
		if !found {
			return ""
		}
		rest = after
	}
	after, opens := bytes.CutPrefix(rest, []byte("<"))
	if !opens {
		return ""
	}
	inName := func(r rune) bool { return unicode.IsLetter(r) || r == ':' }
	name := after[:len(after)-len(bytes.TrimLeftFunc(after, inName))]
	return strings.ToLower(string(name))
}

// endOfDeclaration returns what ends the declaration or comment that markup begins with, or "" if there is none.
func endOfDeclaration(markup []byte) string {
	switch {
	case bytes.HasPrefix(markup, []byte("<!--")):
		return "-->"
	case bytes.HasPrefix(markup, []byte("<?")):
		return "?>"
	case bytes.HasPrefix(markup, []byte("<!")):
		return ">"
	}
	return ""
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

// namedType returns the type of a text from the extension of its name.
func namedType(name string) string {
	if t, ok := typesByExtension[extension(name)]; ok {
		return t
	}
	return plainText
}

// typesByExtension are the types of texts. All but HTML are read as plain text.
var typesByExtension = map[string]string{
	".c":        "text/x-c",
	".cc":       "text/x-c++",
	".cpp":      "text/x-c++",
	".cs":       "text/x-csharp",
	".css":      "text/css",
	".csv":      "text/csv",
	".go":       "text/x-go",
	".h":        "text/x-c",
	".htm":      typeHTML,
	".html":     typeHTML,
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
	".xhtml":    typeHTML,
	".yml":      "application/yaml",
}

// IsPDF reports whether a file may be a PDF, from its first bytes.
func IsPDF(file []byte) bool {
	return bytes.Contains(file[:min(len(file), pdfHead)], []byte("%PDF-"))
}

// pdfHead is how far into a file the mark of a PDF may begin.
const pdfHead = 1024
