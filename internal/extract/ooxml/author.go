package ooxml

import "parley/internal/extract/zipxml"

// readNames returns the names of authors by their ids, from the elements of this name.
func readNames(content []byte, name, attr string) (map[string]string, error) {
	names := make(map[string]string)
	err := zipxml.Visit(content, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		if e.Name == name {
			names[e.Attr("id")] = e.Attr(attr)
		}
		return true
	}})
	return names, err
}
