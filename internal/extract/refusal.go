package extract

import (
	"errors"

	"parley"
)

// The reasons for refusing a document, as users see them.
var (
	errUnsupported = parley.ErrFormatUnsupported.Case(
		"the file format is not supported; plain text, Markdown, CSV, JSON, XML, YAML, source code, " +
			"HTML, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, DOC, XLS, PPT, mail (EML, MSG, MHTML), " +
			"notebooks (IPYNB) and SVG are")
	errNoSight = parley.ErrFormatUnsupported.Case(
		"pictures are of no use here: no model of this server sees them, and the server can't read the text in them")
	errPictureSize   = parley.ErrFileTooLarge.Case("the picture is larger than the limit of 20 MiB")
	errPixels        = unreadable("the picture has more than 50 megapixels")
	errNoPictureText = unreadable("no text was found in the picture, and no model of this server sees pictures")
	errEmpty         = unreadable("it is empty")
	errNoText        = unreadable("its pages have no text")
	errScanned       = unreadable("its pages are scans; to read them, the operator of this server can install Tesseract")
	errScansOff      = unreadable("its pages are scans, and the operator of this server has turned off reading them")
	errBroken        = unreadable("it is broken")
	errEncrypted     = unreadable("it is encrypted or needs a password")
	errTooLong       = unreadable("it holds more text than the limit")
	errBomb          = unreadable("it unpacks to more than the limit")
)

var refusals = []*parley.Error{
	errUnsupported, errEmpty, errNoText, errScanned, errScansOff, errBroken, errEncrypted, errTooLong, errBomb,
	errNoSight, errPictureSize, errPixels, errNoPictureText,
}

// Refusal returns the refusal with the given message, or nil if Read has none. Package
// sandbox uses it to check messages that come from a child.
func Refusal(message string) *parley.Error {
	for _, e := range refusals {
		if e.Message == message {
			return e
		}
	}
	return nil
}

// isBroken reports whether a part of a document is broken, so that the rest can be read
// without it. A password or a bomb refuses the whole document.
func isBroken(err error) bool { return errors.Is(err, errBroken) }

func unreadable(reason string) *parley.Error {
	return parley.ErrFileUnreadable.Case("the file can't be read: " + reason)
}
