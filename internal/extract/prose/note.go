package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of notes.
const (
	maxNotes = 20
	maxNote  = 200 // characters
)

// Note records what of the file is not in the text, in a few words for people and models.
func (o *Output) Note(text string) { o.Notes = CleanNotes(append(o.Notes, text)) }

// Try reads a part of a document. If the part is broken, try leaves a note instead of
// returning an error.
func (o *Output) Try(part string, read func() error) error {
	before := o.text.Len()
	err := read()
	if !IsBroken(err) {
		return err
	}
	o.Cells = 0
	if o.text.Len() > before {
		o.Note(part + " could be read only in part")
	} else {
		o.Note(part + " could not be read")
	}
	return nil
}

// CleanNotes returns notes as short printable lines, without repetitions, and not too many.
// Package sandbox uses it on notes that come from a child.
func CleanNotes(notes []string) []string {
	var clean []string
	for _, note := range notes {
		note = cleanNote(note)
		if note != "" && !slices.Contains(clean, note) {
			clean = append(clean, note)
		}
		if len(clean) == maxNotes {
			break
		}
	}
	return clean
}

// cleanNote returns the beginning of a note on one line, with printable characters only.
func cleanNote(note string) string {
	var b strings.Builder
	kept := 0
	for _, r := range note {
		if unicode.IsSpace(r) {
			r = ' '
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			continue
		}
		if kept == maxNote {
			return b.String() + "…"
		}
		b.WriteRune(r)
		kept++
	}
	return strings.TrimSpace(b.String())
}
