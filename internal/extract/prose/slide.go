package prose

import "strings"

// WriteSlideNotes writes the notes of a slide, if there are any.
func WriteSlideNotes(out *Output, notes string) {
	if strings.TrimSpace(notes) == "" {
		return
	}
	out.Paragraph()
	out.Write("Notes:")
	out.Line()
	out.Verbatim(notes)
}
