package extract

import (
	"bytes"
	"strings"
)

// mainParts maps the type of an Office document's main part to the document's type.
var mainParts = map[string]string{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   typeDOCX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         typeXLSX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": typePPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":    typePPTX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   typeDOCX,
	"application/vnd.ms-word.document.macroEnabled.main+xml":                             typeDOCX,
	"application/vnd.ms-excel.sheet.macroEnabled.main+xml":                               typeXLSX,
	"application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml":                   typePPTX,
}

const contentTypes = "[Content_Types].xml"

// kind returns the media type of a document that is a zip archive.
func (a *archive) kind() (string, error) {
	if a.has("mimetype") {
		declared, err := a.read("mimetype")
		if err != nil {
			return "", err
		}
		switch mediaType := strings.TrimSpace(string(declared)); mediaType {
		case typeEPUB, typeODT:
			return mediaType, nil
		}
	}
	if !a.has(contentTypes) {
		return "", errUnsupported
	}
	mediaType, _, err := a.mainPart()
	if err == nil && mediaType == "" {
		err = errUnsupported
	}
	return mediaType, err
}

// mainPart finds the main part of an Office document. It returns "" if there is none.
func (a *archive) mainPart() (mediaType, part string, err error) {
	content, err := a.read(contentTypes)
	if err != nil {
		return "", "", err
	}
	err = visit(content, visitor{start: func(e element) bool {
		if t := mainParts[e.attr("ContentType")]; t != "" && e.name == "Override" && part == "" {
			mediaType, part = t, resolve("", e.attr("PartName"))
		}
		return true
	}})
	return mediaType, part, err
}

// encryptedOr returns errEncrypted if file is an Office document with a password, which
// is wrapped in a file of the old format, and err otherwise.
func encryptedOr(file []byte, err error) error {
	const compound = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	const stream = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
	if bytes.HasPrefix(file, []byte(compound)) && bytes.Contains(file, []byte(stream)) {
		return errEncrypted
	}
	return err
}
