package library

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/blob"
	"parley/internal/extract/prose"
	"parley/internal/id"
)

// A page of a document's text is the text of a page, sheet or slide. If it has more than pageSize and pageSlack bytes,
// or the format has no pages, it is cut every pageSize bytes, at the first end of a paragraph within pageSlack.
const (
	pageSize  = 8 << 10
	pageSlack = 2 << 10
)

// TextQuery selects a page of a document's text.
type TextQuery struct {
	// Page is the number of the page, from 1. It counts only if the others are not set.
	Page int64
	// At is an offset in the text, in bytes, and Find a passage. Find is looked for at At first.
	At   int64
	Find string
}

// Text returns a page of the text of a user's document, as a model gets it. It reads only
// that page and the index.
func (l *Library) Text(ctx context.Context, userID int64, fileID string, query TextQuery) (parley.FileText, error) {
	if !id.Valid(fileID) {
		return parley.FileText{}, parley.ErrNoSuchFile
	}
	file, err := l.store.File(ctx, userID, fileID)
	if err != nil {
		return parley.FileText{}, err
	}
	text, err := l.openText(ctx, file)
	if err != nil {
		return parley.FileText{}, err
	}
	defer text.r.Close() //nolint:errcheck // it was only read
	return text.page(ctx, query)
}

// fileText is the text of a document and where its sections are. It is never read whole.
type fileText struct {
	file     parley.File
	r        io.ReadSeekCloser
	sections []section
	indexes  *indexes // of this document
}

// openText opens the text of a document. The caller must close it.
func (l *Library) openText(ctx context.Context, file parley.File) (*fileText, error) {
	r, err := l.blobs.Get(ctx, file.FileID+textSuffix)
	if errors.Is(err, blob.ErrNotFound) { // deleted since the row was read
		return nil, parley.ErrNoSuchFile
	}
	if err != nil {
		return nil, err
	}
	t := &fileText{file: file, r: r, indexes: l.newIndexes([]parley.File{file})}
	size, err := r.Seek(0, io.SeekEnd)
	var anchors prose.Anchors
	if err == nil {
		err = t.indexes.use(ctx, 0, func(x index) (err error) {
			anchors, err = x.readAnchors()
			return err
		})
	}
	if isDamaged(err) {
		l.log.Error("show a file without its pages", "file", file.FileID, "error", err)
		anchors, err = nil, nil
	}
	if err != nil {
		r.Close() //nolint:errcheck // it was only read
		return nil, err
	}
	t.sections = splitText(anchors, size)
	return t, nil
}

// section is a page, sheet or slide of a document, or all of it.
type section struct {
	name       string
	start, end int64
	first      int64 // the number of its first page, from 0
}

// pages returns in how many pages the section is cut.
func (s section) pages() int64 {
	return max(1, (s.end-s.start-pageSlack+pageSize-1)/pageSize)
}

// splitText returns the sections of a text. The anchors may come from a hostile document.
func splitText(anchors prose.Anchors, size int64) []section {
	all := []section{{end: size}}
	for _, anchor := range anchors {
		last, start := &all[len(all)-1], int64(anchor.Offset)
		if start < last.start || start >= size {
			continue
		}
		if start == last.start {
			last.name = anchor.Name
			continue
		}
		last.end = start
		all = append(all, section{name: anchor.Name, start: start, end: size, first: last.first + last.pages()})
	}
	return all
}

// pages returns how many pages there are.
func (t *fileText) pages() int64 {
	last := t.sections[len(t.sections)-1]
	return last.first + last.pages()
}

// page returns the page that a query selects.
func (t *fileText) page(ctx context.Context, query TextQuery) (parley.FileText, error) {
	number := query.Page - 1
	var found textSpan
	if query.Find != "" {
		var err error
		if found, err = t.find(ctx, query); err != nil {
			return parley.FileText{}, err
		}
		if found.length > 0 {
			query.At = found.start
		}
	}
	if query.Find != "" || query.At > 0 {
		var err error
		if number, err = t.pageAt(query.At); err != nil {
			return parley.FileText{}, err
		}
	}
	if number < 0 || number >= t.pages() {
		return parley.FileText{}, parley.ErrNoSuchPage
	}
	page, err := t.readPage(number)
	if err == nil && found.length > 0 {
		page.Match = found.within(page)
	}
	return page, err
}

// textSpan is a piece of a text, in bytes.
type textSpan struct {
	start, length int64
}

// within returns the part of the span on a page, in code points.
func (s textSpan) within(page parley.FileText) *parley.Match {
	start := min(max(0, s.start-page.Offset), int64(len(page.Text)))
	end := min(start+s.length, int64(len(page.Text)))
	return &parley.Match{
		Start:  int64(utf8.RuneCountInString(page.Text[:start])),
		Length: int64(utf8.RuneCountInString(page.Text[start:end])),
	}
}

// section returns the last section for which after is false.
func (t *fileText) section(after func(section) bool) section {
	i, _ := slices.BinarySearchFunc(t.sections, true, func(s section, _ bool) int {
		if after(s) {
			return 1
		}
		return -1
	})
	return t.sections[max(0, i-1)]
}

// pageAt returns the number of the page, from 0, that an offset belongs to.
func (t *fileText) pageAt(offset int64) (int64, error) {
	s := t.section(func(s section) bool { return s.start > offset })
	n := min(max(0, offset-s.start)/pageSize, s.pages()-1)
	start, err := t.cut(s, n)
	if err == nil && start > offset && n > 0 {
		n--
	}
	return s.first + n, err
}

// readPage returns a page by its number from 0.
func (t *fileText) readPage(number int64) (parley.FileText, error) {
	s := t.section(func(s section) bool { return s.first > number })
	start, err := t.cut(s, number-s.first)
	if err != nil {
		return parley.FileText{}, err
	}
	end, err := t.cut(s, number-s.first+1)
	if err != nil {
		return parley.FileText{}, err
	}
	text, err := t.read(start, end)
	return parley.FileText{
		File: t.file, Pages: t.pages(), Page: number + 1, Anchor: s.name, Offset: start,
		Text: strings.ToValidUTF8(string(text), "\uFFFD"),
	}, err
}

// cut returns where page n of a section begins, or where the section ends.
func (t *fileText) cut(s section, n int64) (int64, error) {
	switch {
	case n <= 0:
		return s.start, nil
	case n >= s.pages():
		return s.end, nil
	}
	start := s.start + n*pageSize
	text, err := t.read(start, start+pageSlack)
	return start + int64(firstBreak(text)), err
}

// firstBreak returns where the first paragraph of a text ends, else its first line or word, else
// its first character.
func firstBreak(text []byte) int {
	for _, end := range []string{"\n\n", "\n", "。", ". ", " "} {
		if i := bytes.Index(text, []byte(end)); i >= 0 {
			return i + len(end)
		}
	}
	for i := range min(len(text), utf8.UTFMax) {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return 0
}

// read returns a piece of the text.
func (t *fileText) read(start, end int64) ([]byte, error) {
	if _, err := t.r.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(t.r, end-start))
}
