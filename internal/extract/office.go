package extract

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"parley/internal/extract/prose"
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

// kind returns the media type of a document that is a zip archive.
func (a *archive) kind() (string, error) {
	declared, err := a.declaredType()
	if err != nil {
		return "", err
	}
	switch mediaType := strings.TrimSuffix(declared, "-template"); mediaType {
	case typeEPUB, typeODT, typeODS, typeODP:
		return mediaType, nil
	}
	if !a.has(contentTypes) {
		return "", prose.ErrUnsupported
	}
	mediaType, _, err := a.mainPart()
	if err == nil && mediaType == "" {
		err = prose.ErrUnsupported
	}
	return mediaType, err
}

// declaredType returns the media type that an EPUB or OpenDocument file declares, or "". Some
// programs write only the manifest.
func (a *archive) declaredType() (string, error) {
	if a.has("mimetype") {
		declared, err := a.read("mimetype")
		return strings.TrimSpace(string(declared)), err
	}
	manifest, err := a.readIfAny(odfManifest)
	if err != nil {
		return "", err
	}
	declared := ""
	err = visit(manifest, visitor{start: func(e element) bool {
		if e.name == "file-entry" && e.attr("full-path") == "/" {
			declared = e.attr("media-type")
		}
		return true
	}})
	return declared, err
}

// mainPart finds the main part of an Office document. It returns "" if there is none.
func (a *archive) mainPart() (mediaType, part string, err error) {
	types, err := a.partTypes()
	if err != nil {
		return "", "", err
	}
	relations, err := a.relations("")
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

func (a *archive) partTypes() (partTypes, error) {
	types := partTypes{make(map[string]string), make(map[string]string)}
	content, err := a.read(contentTypes)
	if err != nil {
		return types, err
	}
	err = visit(content, visitor{start: func(e element) bool {
		switch e.name {
		case "Override":
			types.byName[strings.ToLower(resolve("", e.attr("PartName")))] = e.attr("ContentType")
		case "Default":
			types.byExtension[strings.ToLower(e.attr("Extension"))] = e.attr("ContentType")
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
