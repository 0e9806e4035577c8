package extract

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

// visitor receives the tokens of an XML part. Any of its functions may be nil.
type visitor struct {
	// start reports whether to visit the content of an element. If not, end is not called
	// for the element.
	start func(e element) bool
	end   func(name string)
	text  func(s string)
}

// element is the start of an XML element. Its name is without the namespace.
type element struct {
	name  string
	attrs []xml.Attr
}

// attr returns the value of an attribute, by its name without the namespace.
func (e element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// visit parses an XML part of a document. The decoder does not support entities that the
// part declares, and fetches nothing.
func visit(part []byte, v visitor) error {
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

func (v visitor) token(d *xml.Decoder, token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if v.start != nil && !v.start(element{t.Name.Local, t.Attr}) {
			return d.Skip()
		}
	case xml.EndElement:
		if v.end != nil {
			v.end(t.Name.Local)
		}
	case xml.CharData:
		if v.text != nil {
			v.text(string(t))
		}
	}
	return nil
}

// relation is a reference from a part of an Office document to another.
type relation struct {
	kind   string // the last element of its type, such as "slide"
	target string // the name of the other part in the archive
}

// relations reads the relations of a part, by id.
func (a *archive) relations(part string) (map[string]relation, error) {
	folder, base := path.Split(part)
	content, err := a.readIfAny(folder + "_rels/" + base + ".rels")
	if err != nil {
		return nil, err
	}
	found := make(map[string]relation)
	err = visit(content, visitor{start: func(e element) bool {
		if e.name == "Relationship" && e.attr("TargetMode") != "External" {
			found[e.attr("Id")] = relation{path.Base(e.attr("Type")), resolve(part, e.attr("Target"))}
		}
		return true
	}})
	return found, err
}

// resolve returns the name in the archive of a path that a part refers to.
func resolve(part, target string) string {
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return path.Join(path.Dir(part), target)
}
