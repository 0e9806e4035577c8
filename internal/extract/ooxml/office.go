// Package ooxml reads the documents of Office since 2007: DOCX, XLSX and PPTX.
package ooxml

import (
	"maps"
	"path"
	"slices"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// The media types of Office documents.
const (
	DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
)

// mainParts maps the type of an Office document's main part to the document's type.
var mainParts = map[string]string{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   DOCX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         XLSX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":    PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml":     PPTX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml":      XLSX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   DOCX,
	"application/vnd.ms-word.document.macroEnabled.main+xml":                             DOCX,
	"application/vnd.ms-word.template.macroEnabledTemplate.main+xml":                     DOCX,
	"application/vnd.ms-excel.sheet.macroEnabled.main+xml":                               XLSX,
	"application/vnd.ms-excel.template.macroEnabled.main+xml":                            XLSX,
	"application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml":                   PPTX,
	"application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml":                      PPTX,
	"application/vnd.ms-powerpoint.template.macroEnabled.main+xml":                       PPTX,
}

// ContentTypes is the part that has the types of the others.
const ContentTypes = "[Content_Types].xml"

// MainPart finds the main part of an Office document. It returns "" if there is none.
func MainPart(a *zipxml.Archive) (mediaType, part string, err error) {
	types, err := readPartTypes(a)
	if err != nil {
		return "", "", err
	}
	relations, err := relationsOf(a, "")
	if err != nil && !prose.IsBroken(err) {
		return "", "", err
	}
	for _, r := range relations {
		if t := mainParts[types.of(r.target)]; r.kind == "officeDocument" && t != "" {
			return t, r.target, nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types.byName)) {
		if t := mainParts[types.byName[name]]; t != "" {
			return t, name, nil
		}
	}
	return "", "", nil
}

// partTypes are the content types of the parts of an Office document.
type partTypes struct {
	byName      map[string]string // by name in lower case
	byExtension map[string]string // for the parts that are not in byName
}

func readPartTypes(a *zipxml.Archive) (partTypes, error) {
	types := partTypes{make(map[string]string), make(map[string]string)}
	content, err := a.Read(ContentTypes)
	if err != nil {
		return types, err
	}
	err = zipxml.Visit(content, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		switch e.Name {
		case "Override":
			types.byName[strings.ToLower(zipxml.Resolve("", e.Attr("PartName")))] = e.Attr("ContentType")
		case "Default":
			types.byExtension[strings.ToLower(e.Attr("Extension"))] = e.Attr("ContentType")
		}
		return true
	}})
	return types, err
}

// of returns the content type of a part, or "".
func (t partTypes) of(part string) string {
	part = strings.ToLower(part)
	if declared, ok := t.byName[part]; ok {
		return declared
	}
	return t.byExtension[strings.TrimPrefix(path.Ext(part), ".")]
}
