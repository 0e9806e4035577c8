// Package export writes conversations out: a session as a Markdown document or an HTML page, and all that a user owns
// as a zip archive.
package export

import (
	"fmt"
	"strings"

	"parley"
	"parley/internal/extract"
)

// Document is a session as a text: its beginning, each message, and its end.
type Document struct {
	Name       string // of the file
	Type       string // its media type
	Begin, End string
	// Message returns a message as a section of the text.
	Message func(m parley.Message) string
}

// fileName returns the name of a session's document with an extension, such as ".md".
func fileName(title, extension string) string {
	title = strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(title)
	return extract.SafeName(extract.SafeName(title) + extension)
}

// notIncluded says that a document lacks the pictures that went with a question.
func notIncluded(pictures int) string {
	if pictures == 1 {
		return "1 picture, not included"
	}
	return fmt.Sprintf("%d pictures, not included", pictures)
}

// oneLine returns a text with single spaces in place of white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
