package prose

import (
	"errors"

	"parley"
)

// The reasons for refusing a document, as users see them.
var (
	ErrUnsupported = parley.ErrFormatUnsupported.Case(
		"the file format is not supported; plain text, Markdown, CSV, JSON, XML, YAML, source code, " +
			"HTML, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, DOC, XLS, PPT, mail (EML, MSG, MHTML), " +
			"notebooks (IPYNB) and SVG are")
	ErrNoSight = parley.ErrFormatUnsupported.Case(
		"pictures are of no use here: no model of this server sees them, and the server can't read the text in them")
	ErrPictureSize   = parley.ErrFileTooLarge.Case("the picture is larger than the limit of 20 MiB")
	ErrPixels        = unreadable("the picture has more than 50 megapixels")
	ErrNoPictureText = unreadable("no text was found in the picture, and no model of this server sees pictures")
	ErrEmpty         = unreadable("it is empty")
	ErrNoText        = unreadable("its pages have no text")
	ErrScanned       = unreadable("its pages are scans; to read them, the operator of this server can install Tesseract")
	ErrScansOff      = unreadable("its pages are scans, and the operator of this server has turned off reading them")
	ErrBroken        = unreadable("it is broken")
	ErrEncrypted     = unreadable("it is encrypted or needs a password")
	ErrTooLong       = unreadable("it holds more text than the limit")
	ErrBomb          = unreadable("it unpacks to more than the limit")
)

var refusals = []*parley.Error{
	ErrUnsupported, ErrEmpty, ErrNoText, ErrScanned, ErrScansOff, ErrBroken, ErrEncrypted, ErrTooLong, ErrBomb,
	ErrNoSight, ErrPictureSize, ErrPixels, ErrNoPictureText,
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

// IsBroken reports whether only a part of a document is broken. Then the rest can be read without it. A password or a
// bomb refuses the whole document.
func IsBroken(err error) bool { return errors.Is(err, ErrBroken) }

func unreadable(reason string) *parley.Error {
	return parley.ErrFileUnreadable.Case("the file can't be read: " + reason)
}
