package extract

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// mainParts maps the type of an Office document's main part to the document's type.
var mainParts = map[string]string{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   typeDOCX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         typeXLSX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": typePPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":    typePPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml":     typePPTX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml":      typeXLSX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   typeDOCX,
	"application/vnd.ms-word.document.macroEnabled.main+xml":                             typeDOCX,
	"application/vnd.ms-word.template.macroEnabledTemplate.main+xml":                     typeDOCX,
	"application/vnd.ms-excel.sheet.macroEnabled.main+xml":                               typeXLSX,
	"application/vnd.ms-excel.template.macroEnabled.main+xml":                            typeXLSX,
	"application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml":                   typePPTX,
	"application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml":                      typePPTX,
	"application/vnd.ms-powerpoint.template.macroEnabled.main+xml":                       typePPTX,
}

const contentTypes = "[Content_Types].xml"

// packedType returns the media type of a document that is a zip archive.
func packedType(a *zipxml.Archive) (string, error) {
	declared, err := declaredType(a)
	if err != nil {
		return "", err
	}
	switch mediaType := strings.TrimSuffix(declared, "-template"); mediaType {
	case typeEPUB, typeODT, typeODS, typeODP:
		return mediaType, nil
	}
	if !a.Has(contentTypes) {
		return "", prose.ErrUnsupported
	}
	mediaType, _, err := mainPart(a)
	if err == nil && mediaType == "" {
		err = prose.ErrUnsupported
	}
	return mediaType, err
}

// declaredType returns the media type that an EPUB or OpenDocument file declares, or "". Some
// programs write only the manifest.
func declaredType(a *zipxml.Archive) (string, error) {
	if a.Has("mimetype") {
		declared, err := a.Read("mimetype")
		return strings.TrimSpace(string(declared)), err
	}
	manifest, err := a.ReadIfAny(odfManifest)
	if err != nil {
		return "", err
	}
	declared := ""
	err = zipxml.Visit(manifest, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		if e.Name == "file-entry" && e.Attr("full-path") == "/" {
			declared = e.Attr("media-type")
		}
		return true
	}})
	return declared, err
}

// mainPart finds the main part of an Office document. It returns "" if there is none.
func mainPart(a *zipxml.Archive) (mediaType, part string, err error) {
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
	content, err := a.Read(contentTypes)
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

// encryptedOr returns prose.ErrEncrypted if file is an Office document with a password, which
// is wrapped in a file of the old format, and err otherwise.
func encryptedOr(file []byte, err error) error {
	const compound = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	const stream = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
	if bytes.HasPrefix(file, []byte(compound)) && bytes.Contains(file, []byte(stream)) {
		return prose.ErrEncrypted
	}
	return err
}
