package extract

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// readEPUB reads a book: the pages of its spine, in order.
func readEPUB(out *prose.Output, a *archive) error {
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
		page, err := a.readIfAny(name)
		if err != nil {
			return err
		}
		out.Page(fmt.Sprintf("section %d", i+1))
		if err := readPage(&htmlReader{out: out}, charset.Decode(page)); err != nil {
			return err
		}
		if out.Full {
			break
		}
	}
	return nil
}

// spineOf lists the pages of a book in reading order.
func spineOf(a *archive) ([]string, error) {
	container, err := a.read("META-INF/container.xml")
	if err != nil {
		return nil, err
	}
	book := ""
	err = visit(container, visitor{start: func(e element) bool {
		if e.name == "rootfile" && book == "" {
			book = e.attr("full-path")
		}
		return true
	}})
	if err != nil {
		return nil, err
	}
	content, err := a.read(book)
	if err != nil {
		return nil, err
	}
	items := make(map[string]string)
	var spine []string
	err = visit(content, visitor{start: func(e element) bool {
		switch e.name {
		case "item":
			if strings.Contains(e.attr("media-type"), "html") {
				items[e.attr("id")] = resolve(book, unescaped(e.attr("href")))
			}
		case "itemref":
			if name := items[e.attr("idref")]; name != "" && len(spine) < maxEntries {
				spine = append(spine, name)
				delete(items, e.attr("idref"))
			}
		}
		return true
	}})
	return spine, err
}

// lockedParts returns the names of the encrypted parts of a book.
func lockedParts(a *archive) (map[string]bool, error) {
	content, err := a.readIfAny("META-INF/encryption.xml")
	if err != nil {
		return nil, err
	}
	locked := make(map[string]bool)
	err = visit(bytes.TrimSpace(content), visitor{start: func(e element) bool {
		if e.name == "CipherReference" {
			locked[resolve("", unescaped(e.attr("URI")))] = true
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
