package search

import (
	"errors"
	"io"

	"parley/internal/casefold"
)

// The text of a document is in the index as sections, each a text of its own. A section repeats the beginning of the
// next one. Every keyword is then whole in one of them: 1,000 characters, which may be composed, have less than 16 KiB.
const (
	sectionStep    = 64 << 10
	sectionOverlap = 16 << 10
	// sectionSlack is how far the first boundary between characters is looked for.
	sectionSlack = 1 << 10
)

// sectionCount returns how many sections a text of a size in bytes has.
func sectionCount(size int64) int64 { return (size + sectionStep - 1) / sectionStep }

// sectionNumber returns the number of a section in the index, which is negative, and
// numberedSection the section with a number.
func sectionNumber(section int64) int64  { return firstSection - section }
func numberedSection(number int64) int64 { return firstSection - number }

// Section is a part of a document's text.
type Section struct {
	Text  string
	Start int64 // its offset in the document's text, in bytes
}

// ReadSection reads a section of a document's text. It is empty past the end. Sections begin
// and end where the parts of the text fold independently.
func ReadSection(text io.ReadSeeker, section int64) (Section, error) {
	from := section * sectionStep
	if _, err := text.Seek(from, io.SeekStart); err != nil {
		return Section{}, err
	}
	data := make([]byte, sectionStep+sectionOverlap+sectionSlack)
	n, err := io.ReadFull(text, data)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Section{}, err
	}
	read := string(data[:n])
	start := 0
	if section > 0 {
		start = cut(read, 0)
	}
	end := max(start, cut(read, sectionStep+sectionOverlap))
	return Section{Text: read[start:end], Start: from + int64(start)}, nil
}

// cut returns the first boundary of a text at or after an offset.
func cut(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	return casefold.Boundary(text[:min(len(text), at+sectionSlack)], at)
}
