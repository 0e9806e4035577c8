package extract

import (
	"strings"

	"parley/internal/extract/odf"
	"parley/internal/extract/ooxml"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// packedType returns the media type of a zip archive.
func packedType(a *zipxml.Archive) (string, error) {
	declared, err := declaredType(a)
	if err != nil {
		return "", err
	}
	switch mediaType := strings.TrimSuffix(declared, "-template"); mediaType {
	case typeEPUB, odf.ODT, odf.ODS, odf.ODP:
		return mediaType, nil
	}
	if !a.Has(ooxml.ContentTypes) {
		return "", prose.ErrUnsupported
	}
	mediaType, _, err := ooxml.MainPart(a)
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
	manifest, err := a.ReadIfAny(odf.Manifest)
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
