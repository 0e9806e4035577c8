package html

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadEPUB reads a book: the pages of its spine, in order.
func ReadEPUB(out *prose.Output, a *zipxml.Archive) error {
	spine, err := spineOf(a)
	if err != nil {
		return err
	}
	locked, err := lockedParts(a)
	if err != nil {
		return err
	}
	for i, name := range spine {
		if locked[name] {
			return prose.ErrEncrypted
		}
		page, err := a.ReadIfAny(name)
		if err != nil {
			return err
		}
		out.Page(fmt.Sprintf("section %d", i+1))
		if err := readPage(&pageReader{out: out}, charset.Decode(page)); err != nil {
			return err
		}
		if out.Full {
			break
		}
	}
	return nil
}

// spineOf lists the pages of a book in reading order.
func spineOf(a *zipxml.Archive) ([]string, error) {
	container, err := a.Read("META-INF/container.xml")
	if err != nil {
		return nil, err
	}
	book := ""
	err = zipxml.Visit(container, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		if e.Name == "rootfile" && book == "" {
			book = e.Attr("full-path")
		}
		return true
	}})
	if err != nil {
		return nil, err
	}
	content, err := a.Read(book)
	if err != nil {
		return nil, err
	}
	items := make(map[string]string)
	var spine []string
	err = zipxml.Visit(content, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		switch e.Name {
		case "item":
			if strings.Contains(e.Attr("media-type"), "html") {
				items[e.Attr("id")] = zipxml.Resolve(book, unescaped(e.Attr("href")))
			}
		case "itemref":
			if name := items[e.Attr("idref")]; name != "" && len(spine) < zipxml.MaxEntries {
				spine = append(spine, name)
				delete(items, e.Attr("idref"))
			}
		}
		return true
	}})
	return spine, err
}

// lockedParts returns the names of the encrypted parts of a book.
func lockedParts(a *zipxml.Archive) (map[string]bool, error) {
	content, err := a.ReadIfAny("META-INF/encryption.xml")
	if err != nil {
		return nil, err
	}
	locked := make(map[string]bool)
	err = zipxml.Visit(bytes.TrimSpace(content), zipxml.Visitor{Start: func(e zipxml.Element) bool {
		if e.Name == "CipherReference" {
			locked[zipxml.Resolve("", unescaped(e.Attr("URI")))] = true
		}
		return true
	}})
	return locked, err
}

func unescaped(href string) string {
	if plain, err := url.PathUnescape(href); err == nil {
		return plain
	}
	return href
}
