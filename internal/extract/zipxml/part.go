package zipxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// Visitor receives the tokens of an XML part. Any of its functions may be nil.
type Visitor struct {
	// Start reports whether to visit the content of an element. If not, End is not called
	// for the element.
	Start func(e Element) bool
	End   func(name string)
	Text  func(s string)
}

// Element is the start of an XML element. Its name is without the namespace.
type Element struct {
	Name  string
	Attrs []xml.Attr
}

// Attr returns the value of an attribute, by its name without the namespace.
func (e Element) Attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Visit parses an XML part of a document. The decoder does not support entities that the
// part declares, and fetches nothing.
func Visit(part []byte, v Visitor) error {
	if bytes.IndexByte(part[:min(len(part), 4)], 0) >= 0 { // a mark and "<", or "<?", in UTF-16
		part = charset.WideInUTF8(part)
	}
	d := xml.NewDecoder(bytes.NewReader(part))
	d.CharsetReader = declared
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return prose.ErrBroken.WithCause(err)
		}
		if err := v.token(d, token); err != nil {
			return prose.ErrBroken.WithCause(err)
		}
	}
}

// declared decodes XML as its declaration says. UTF-16 is decoded already: otherwise nobody could read the declaration.
func declared(name string, r io.Reader) (io.Reader, error) {
	found, err := htmlindex.Get(name)
	if err != nil {
		return nil, err
	}
	if charset.IsUTF16(found) {
		return r, nil
	}
	return found.NewDecoder().Reader(r), nil
}

func (v Visitor) token(d *xml.Decoder, token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if v.Start != nil && !v.Start(Element{t.Name.Local, t.Attr}) {
			return d.Skip()
		}
	case xml.EndElement:
		if v.End != nil {
			v.End(t.Name.Local)
		}
	case xml.CharData:
		if v.Text != nil {
			v.Text(string(t))
		}
	}
	return nil
}

// Resolve returns the name in the archive of a path that a part refers to.
func Resolve(part, target string) string {
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return path.Join(path.Dir(part), target)
}
