package ooxml

import (
	"path"

	"parley/internal/extract/zipxml"
)

// relation is a reference from a part of an Office document to another.
type relation struct {
	kind   string // the last element of its type, such as "slide"
	target string // the name of the other part in the archive
}

// relationsOf reads the relations of a part, by id.
func relationsOf(a *zipxml.Archive, part string) (map[string]relation, error) {
	folder, base := path.Split(part)
	content, err := a.ReadIfAny(folder + "_rels/" + base + ".rels")
	if err != nil {
		return nil, err
	}
	found := make(map[string]relation)
	err = zipxml.Visit(content, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		if e.Name == "Relationship" && e.Attr("TargetMode") != "External" {
			found[e.Attr("Id")] = relation{path.Base(e.Attr("Type")), zipxml.Resolve(part, e.Attr("Target"))}
		}
		return true
	}})
	return found, err
}
