package search

import (
	"context"
	"database/sql"
	"slices"

	"golang.org/x/sync/errgroup"

	"parley/internal/casefold"
	"parley/internal/db"
	"parley/internal/search/grams"
)

// Documents reads the texts of documents, which are not in the database. Its functions may be called concurrently.
type Documents struct {
	// Section reads a section of a document's text. It is empty if the document was deleted.
	Section func(ctx context.Context, fileID string, section int64) (Section, error)
	// Anchor returns the place of an offset in a document's text: a page, a sheet, a slide.
	// It is empty if there is none.
	Anchor func(ctx context.Context, fileID string, offset int64) (string, error)
}

// isFile reports whether a text is the name of a file or a section of a document.
func isFile(name grams.Name) bool { return name.Number <= FilenameNumber }

// noSection means that no section of a document is known to contain the key.
const noSection = -1

// file is what is known about a file that may contain the key.
type file struct {
	id        string
	session   string
	readName  bool    // its name must be read to find out
	named     bool    // its name contains the key
	section   int64   // the first section that surely contains it, or noSection
	maybe     []int64 // sections that must be read to find out
	unindexed int64   // the first section that the index lacks, or noSection
	time      int64
}

func (s *searcher) file(id string) *file {
	found := s.files[id]
	if found == nil {
		found = &file{id: id, section: noSection, unindexed: noSection}
		s.files[id] = found
	}
	return found
}

// queue adds a queued text. For sections the queue has only the first one, which stands for all from there on.
func (f *file) queue(number int64) {
	if number == FilenameNumber {
		f.readName = true
		return
	}
	f.unindexed = numberedSection(number)
}

// add adds a text that the index has found.
func (f *file) add(number int64, sure bool) {
	switch section := numberedSection(number); {
	case number == FilenameNumber && sure:
		f.named = true
	case number == FilenameNumber:
		f.readName = true
	case !sure:
		f.maybe = append(f.maybe, section)
	case f.section == noSection || section < f.section:
		f.section = section
	}
}

// findFiles adds the files that match, and lists those with documents that must be read.
func (s *searcher) findFiles(ctx context.Context, q db.Querier) error {
	if len(s.files) == 0 {
		return nil
	}
	ids := make([]string, 0, len(s.files))
	for id := range s.files {
		ids = append(ids, id)
	}
	linked, err := s.readLinks(ctx, q)
	if err != nil {
		return err
	}
	return db.Each(ctx, q, func(rows *sql.Rows) error {
		var id, session, name string
		var created, size int64
		if err := rows.Scan(&id, &session, &name, &created, &size); err != nil {
			return err
		}
		f := s.files[id]
		f.session, f.time = session, created
		if s.query.Session != "" && session != s.query.Session && slices.Contains(linked, id) {
			f.session = s.query.Session
		}
		elsewhere := s.query.Session != "" && f.session != s.query.Session
		if elsewhere || !s.query.covers(created) || s.lines[session].isHidden() {
			return nil
		}
		if f.readName && casefold.Contains(name, s.query.Key) {
			f.named = true
		}
		if f.unindexed != noSection {
			for section := f.unindexed; section < sectionCount(size); section++ {
				f.maybe = append(f.maybe, section)
			}
		}
		switch {
		case f.named:
			s.add(f.session, grams.Entry{Name: grams.Name{Session: id, Number: FilenameNumber}, Time: created})
		case f.section != noSection:
			s.addSection(f)
		case len(f.maybe) > 0:
			s.unread = append(s.unread, f)
		}
		return nil
	}, `
		SELECT f.id, f.session_id, f.name, f.created_at, f.text_size
		FROM (`+s.db.SelectStrings(`$2`)+`) l CROSS JOIN files f WHERE f.user_id = $1 AND f.id = l.value`,
		s.userID, s.db.StringsArg(ids))
}

// readLinks returns the files that are in the session of the query, but belong to another one.
func (s *searcher) readLinks(ctx context.Context, q db.Querier) ([]string, error) {
	if s.query.Session == "" {
		return nil, nil
	}
	return db.List(ctx, q, db.ScanOne[string],
		`SELECT file_id FROM file_links WHERE user_id = $1 AND session_id = $2`, s.userID, s.query.Session)
}

// addSection adds a file by the first section that contains the key.
func (s *searcher) addSection(f *file) {
	s.add(f.session, grams.Entry{Name: grams.Name{Session: f.id, Number: sectionNumber(f.section)}, Time: f.time})
}

// documentsAtOnce is how many documents a search reads at the same time. Most of the time is spent on waiting for an
// object store, or on folding.
const documentsAtOnce = 4

// readDocuments reads the sections that may contain the key, up to the first one of each
// document that does. One section of each document is in memory at a time.
func (s *searcher) readDocuments(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(documentsAtOnce)
	for _, f := range s.unread {
		group.Go(func() error { return s.readDocument(ctx, f) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, f := range s.unread {
		if f.section != noSection {
			s.addSection(f)
		}
	}
	return nil
}

// readDocument finds the first section that contains the key.
func (s *searcher) readDocument(ctx context.Context, f *file) error {
	slices.Sort(f.maybe)
	for _, section := range slices.Compact(f.maybe) {
		if err := ctx.Err(); err != nil {
			return err
		}
		read, err := s.documents.Section(ctx, f.id, section)
		if err != nil {
			return err
		}
		if casefold.Contains(read.Text, s.query.Key) {
			f.section = section
			return nil
		}
	}
	return nil
}

// documentSnippets completes the hits of the page that were found by a section.
func (s *searcher) documentSnippets(ctx context.Context) error {
	for i := range s.out.Hits {
		hit := &s.out.Hits[i]
		f := s.files[hit.FileID]
		if hit.FileID == "" || f.named {
			continue
		}
		section, err := s.documents.Section(ctx, f.id, f.section)
		if err != nil {
			return err
		}
		start, end, found := casefold.Find(section.Text, s.query.Key)
		if !found { // it was deleted
			continue
		}
		hit.Snippet, hit.Match = snippetAt(section.Text, start, end)
		if hit.Anchor, err = s.documents.Anchor(ctx, f.id, section.Start+int64(start)); err != nil {
			return err
		}
	}
	return nil
}
