package extract

import (
	"parley"
)

// The reasons for which a document is not read, as its user is told them.
var (
	errUnsupported = refusal(parley.ErrFormatUnsupported,
		"the file format is not supported; plain text, Markdown, CSV, JSON, XML, YAML, source code, HTML, PDF, DOCX, XLSX, PPTX, ODT, EPUB and RTF are")
	errEmpty     = refusal(parley.ErrFileUnreadable, "the file can't be read: it is empty")
	errNoText    = refusal(parley.ErrFileUnreadable, "the file can't be read: its pages have no text; scanned pages are not read")
	errBroken    = refusal(parley.ErrFileUnreadable, "the file can't be read: it is broken")
	errEncrypted = refusal(parley.ErrFileUnreadable, "the file can't be read: it is encrypted or needs a password")
	errTooLong   = refusal(parley.ErrFileUnreadable, "the file can't be read: it holds more text than the limit")
	errBomb      = refusal(parley.ErrFileUnreadable, "the file can't be read: it unpacks to more than the limit")
)

// Refusal finds the refusal with a message, among all that Read gives; nil where there
// is none. So a message that comes from elsewhere is never passed on unseen.
func Refusal(message string) *parley.Error {
	for _, e := range []*parley.Error{errUnsupported, errEmpty, errNoText, errBroken, errEncrypted, errTooLong, errBomb} {
		if e.Message == message {
			return e
		}
	}
	return nil
}

func refusal(kind *parley.Error, message string) *parley.Error {
	e := *kind
	e.Message = message
	return &e
}
