package extract

import (
	"context"
	"fmt"
	"mime"

	"parley/internal/extract/charset"
	"parley/internal/extract/html"
	"parley/internal/extract/prose"
)

// ReadPage reads the text of a web page: HTML without menus and the like, plain text, or a PDF. The content type is the
// header of the response, which may name the encoding. It returns the same errors as Read.
func (r Reader) ReadPage(ctx context.Context, file []byte, contentType string) (document prose.Document, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			document, err = prose.Document{}, prose.ErrBroken.WithCause(fmt.Errorf("panic: %v", fault))
		}
	}()
	mediaType, parameters, _ := mime.ParseMediaType(contentType)
	detected, err := detect(file[:min(len(file), HeadSize)], "")
	switch {
	case err != nil:
		return prose.Document{}, err
	case detected == typePDF:
		document, err = r.read(ctx, file, nil, typePDF)
	case detected == "" || detected == typeRTF:
		return prose.Document{}, prose.ErrUnsupported
	case mediaType == typeHTML || mediaType == "application/xhtml+xml":
		detected = typeHTML
		document, err = r.readArticle(charset.ToUTF8(file, parameters["charset"]))
	default:
		detected = plainText
		document, err = readText(charset.ToUTF8(file, parameters["charset"]), r.MaxText)
	}
	document.Type = detected
	return document, err
}

func (r Reader) readArticle(file []byte) (prose.Document, error) {
	out := &prose.Output{Limit: TextLimit(r.MaxText, int64(len(file)))}
	if err := html.ReadArticle(out, file); err != nil {
		return prose.Document{}, err
	}
	return out.Document(prose.ErrEmpty)
}
