package extract

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// ReadPage reads the text of a web page: HTML without menus and the like, plain text, or a PDF. The content type is the
// header of the response, which may name the encoding. Errors are those of Read.
func (r Reader) ReadPage(ctx context.Context, file []byte, contentType string) (document Document, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			document, err = Document{}, errBroken.WithCause(fmt.Errorf("panic: %v", fault))
		}
	}()
	mediaType, parameters, _ := mime.ParseMediaType(contentType)
	detected, err := detect(file[:min(len(file), HeadSize)], "")
	switch {
	case err != nil:
		return Document{}, err
	case detected == typePDF:
		document, err = r.read(ctx, file, nil, typePDF)
	case detected == "" || detected == typeRTF:
		return Document{}, errUnsupported
	case mediaType == typeHTML || mediaType == "application/xhtml+xml":
		detected = typeHTML
		document, err = r.readArticle(toUTF8(file, parameters["charset"]))
	default:
		detected = plainText
		document, err = readText(toUTF8(file, parameters["charset"]), r.MaxText)
	}
	document.Type = detected
	return document, err
}

func (r Reader) readArticle(file []byte) (Document, error) {
	out := &output{limit: TextLimit(r.MaxText, int64(len(file)))}
	if err := readArticle(out, file); err != nil {
		return Document{}, err
	}
	return out.document(errEmpty)
}

// toUTF8 converts a page from the encoding that its response has declared. It returns the page as it is, to have its
// encoding detected, if it is in UTF-8 or not in the declared encoding. A declared Latin-1 says little: it is the
// default of old servers, and any bytes are valid in it.
func toUTF8(file []byte, declared string) []byte {
	charset, err := htmlindex.Get(declared)
	if err != nil || charset == unicode.UTF8 || charset == charmap.Windows1252 ||
		byMark(file) != nil || utf8.Valid(trimIncomplete(file)) && !isUTF16(charset) {
		return file
	}
	decoded, err := charset.NewDecoder().Bytes(file)
	if err != nil {
		return file
	}
	broken := bytes.Count(decoded, []byte(string(utf8.RuneError)))
	if broken*tolerance > utf8.RuneCount(decoded)-asciiCount(decoded) {
		return file
	}
	return decoded
}

// isUTF16 reports whether the encoding is UTF-16, whose bytes can be valid UTF-8 too.
func isUTF16(charset encoding.Encoding) bool {
	name, err := htmlindex.Name(charset)
	return err == nil && (name == "utf-16le" || name == "utf-16be")
}

func asciiCount(text []byte) int {
	n := 0
	for _, b := range text {
		if b < utf8.RuneSelf {
			n++
		}
	}
	return n
}
