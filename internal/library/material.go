package library

import (
	"context"
	"errors"
	"io"
	"strings"

	"parley"
	"parley/internal/ai"
	"parley/internal/blob"
	"parley/internal/extract/prose"
)

// Material is the text of a session's documents that the model gets for a question.
type Material struct {
	Passages []Passage
	// Omitted reports whether the documents hold more than the passages.
	Omitted bool
}

// Passage is a part of a document. If Whole is set it is one page of a document, and the model gets all of its pages.
type Passage struct {
	parley.Passage
	Whole bool
	// Header is the header row of the sheet that the passage is from, if the passage does
	// not hold it.
	Header string
	// Notes say what of the document could not be read. Its first passage has them.
	Notes []string
}

// WithHeader returns the text below the header row of its sheet, if it has one.
func (p Passage) WithHeader() string {
	if p.Header == "" {
		return p.Text
	}
	return p.Header + "\n" + p.Text
}

// tokens estimates the size of the passage in a prompt, including the lines with its anchor and notes.
func (p Passage) tokens() int {
	tokens := ai.Tokens(p.WithHeader()) + notesTokens(p.Notes)
	if p.Anchor == "" {
		return tokens
	}
	return tokens + ai.Tokens("Place: "+p.Anchor+"\n")
}

func notesTokens(notes []string) int { return ai.Tokens(ai.NotesLine(notes)) }

// Used lists the passages for the reply's details. A whole document is listed once, with
// its first and last anchor and without its text.
func (m Material) Used() []parley.Passage {
	var used []parley.Passage
	var first string
	for i, p := range m.Passages {
		switch {
		case !p.Whole:
			used = append(used, p.Passage)
		case i > 0 && m.Passages[i-1].Whole && m.Passages[i-1].FileID == p.FileID:
			used[len(used)-1].Anchor = strings.Trim(first+" – "+p.Anchor, " –")
		default:
			first, p.Text = p.Anchor, ""
			used = append(used, p.Passage)
		}
	}
	return used
}

// Material returns all documents of a session if they fit the budget of tokens, else the
// passages that fit the question best. A document that can't be read is left out.
func (l *Library) Material(
	ctx context.Context, userID int64, sessionID string, question Question, budget int,
) (Material, error) {
	files, err := l.store.Files(ctx, userID, sessionID)
	if err != nil || len(files) == 0 {
		return Material{}, err
	}
	s := &selection{
		Library:  l,
		userID:   userID,
		files:    files,
		indexes:  l.newIndexes(files),
		failures: failures{log: l.log, failed: make(map[string]bool)},
	}
	m, fits, err := s.wholeDocuments(ctx, budget)
	if err == nil && !fits {
		m, err = s.bestPassages(ctx, question, budget)
	}
	if err == nil {
		err = s.failures.err(files)
	}
	if err != nil {
		return Material{}, err
	}
	m.Omitted = !fits || len(s.failures.failed) > 0
	return m, nil
}

// selection selects the material for one question.
type selection struct {
	*Library
	userID   int64
	files    []parley.File
	indexes  *indexes
	failures failures
}

// wholeDocuments reads the documents in full, and reports whether they fit the budget.
func (s *selection) wholeDocuments(ctx context.Context, budget int) (Material, bool, error) {
	var m Material
	for i, file := range s.files {
		text, err := s.readBlob(ctx, file.FileID+textSuffix, int64(max(1, budget))*maxTokenBytes)
		if errors.Is(err, errTooLong) {
			return m, false, nil
		}
		if err := s.failures.add(ctx, file, err); err != nil {
			return m, false, err
		}
		anchors, err := s.readAnchors(ctx, i)
		if err != nil {
			return m, false, err
		}
		for n, page := range pages(file, string(text), anchors) {
			if n == 0 {
				page.Notes = file.Notes
			}
			if budget -= page.tokens(); budget < 0 {
				return m, false, nil
			}
			m.Passages = append(m.Passages, page)
		}
	}
	return m, true, nil
}

// readAnchors returns the page anchors of a document, or none if they can't be read.
func (s *selection) readAnchors(ctx context.Context, i int) (anchors prose.Anchors, err error) {
	err = s.indexes.use(ctx, i, func(x index) (err error) {
		anchors, err = x.readAnchors()
		return err
	})
	return anchors, s.failures.add(ctx, s.files[i], err)
}

// pages splits the text of a document into one passage per page.
func pages(file parley.File, text string, anchors prose.Anchors) []Passage {
	var all []Passage
	add := func(anchor, text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		page := newPassage(file, strings.ToValidUTF8(text, ""), true)
		page.Anchor = anchor
		all = append(all, page)
	}
	name, start := "", 0
	for _, anchor := range anchors {
		if anchor.Offset < start || anchor.Offset > len(text) { // the index may come from a hostile document
			continue
		}
		add(name, text[start:anchor.Offset])
		name, start = anchor.Name, anchor.Offset
	}
	add(name, text[start:])
	return all
}

// maxTokenBytes is the largest number of bytes in one token.
const maxTokenBytes = 8

var errTooLong = errors.New("the text is too long")

// readBlob reads a whole blob. It returns errTooLong if the blob is larger than limit, and
// nothing if the blob has been deleted.
func (l *Library) readBlob(ctx context.Context, key string, limit int64) ([]byte, error) {
	r, err := l.blobs.Get(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, errTooLong
	}
	content := make([]byte, size)
	if err := readFullAt(r, content, 0); err != nil {
		return nil, err
	}
	return content, nil
}

func newPassage(file parley.File, text string, whole bool) Passage {
	return Passage{Passage: parley.Passage{FileID: file.FileID, Filename: file.Filename, Text: text}, Whole: whole}
}
