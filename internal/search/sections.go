package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley/internal/casefold"
	"parley/internal/db"
	"parley/internal/search/grams"
)

// batchSections is how many sections one transaction indexes.
const batchSections = 8

// sectionIndexer indexes the sections of documents. It reads them before the transaction,
// since a document never changes.
type sectionIndexer struct {
	index     *Index
	documents Documents
	after     queuedDocument // the last one that could not be read
}

// queuedDocument is a document with sections in the queue.
type queuedDocument struct {
	user int64
	id   string
	next int64 // the first section in the queue
	size int64 // of the text in bytes; 0 if the document was deleted
}

// update indexes sections of one user's documents and reports whether more may be queued. A
// document that can't be read stays in the queue and is tried again after all others.
func (s *sectionIndexer) update(ctx context.Context, rest func(worked time.Duration)) (more bool, err error) {
	queued, err := s.firstQueued(ctx)
	if err != nil {
		return false, fmt.Errorf("read the queue of documents: %w", err)
	}
	if len(queued) == 0 {
		s.after = queuedDocument{}
		return false, nil
	}
	begun := time.Now()
	b, failed := s.readBatch(ctx, queued)
	if len(b.documents) > 0 {
		err := s.store(ctx, b)
		if errors.Is(err, grams.ErrDamaged) {
			return true, errors.Join(failed, s.index.requeueUser(ctx, b.user))
		}
		if err != nil {
			return false, errors.Join(failed, fmt.Errorf("index documents: %w", err))
		}
	}
	rest(time.Since(begun))
	err = s.index.mergeBlocks(ctx, b.user, rest)
	if errors.Is(err, grams.ErrDamaged) {
		err = s.index.requeueUser(ctx, b.user)
	}
	return true, errors.Join(failed, err)
}

// firstQueued returns the first documents in the queue, at most batchSections of them.
func (s *sectionIndexer) firstQueued(ctx context.Context) ([]queuedDocument, error) {
	return db.ReadList(ctx, s.index.db, func(rows *sql.Rows) (d queuedDocument, err error) {
		var number int64
		err = rows.Scan(&d.user, &d.id, &number, &d.size)
		d.next = numberedSection(number)
		return d, err
	}, `
		SELECT q.user_id, q.session_id, q.number, COALESCE(f.text_size, 0)
		FROM search_queue q LEFT JOIN files f ON f.user_id = q.user_id AND f.id = q.session_id
		WHERE q.number <= -3 AND (q.user_id, q.session_id) > ($1, $2)
		ORDER BY q.user_id, q.session_id LIMIT $3`, s.after.user, s.after.id, batchSections)
}

// sectionBatch is sections of a user's documents that one transaction indexes.
type sectionBatch struct {
	user      int64
	documents []queuedDocument
	ends      []int64 // for each document, the first section left in the queue
	entries   []grams.Entry
	folded    []string
}

// readBatch reads sections of the documents of the first one's user. It returns the error of
// a document that can't be read, after which it reads no more.
func (s *sectionIndexer) readBatch(ctx context.Context, queued []queuedDocument) (b sectionBatch, err error) {
	b.user = queued[0].user
	for _, d := range queued {
		if d.user != b.user || len(b.entries) == batchSections {
			break
		}
		section := d.next
		for ; section < sectionCount(d.size) && len(b.entries) < batchSections; section++ {
			read, err := s.documents.Section(ctx, d.id, section)
			if err != nil {
				s.after = d
				return b, fmt.Errorf("read document %s: %w", d.id, err)
			}
			b.entries = append(b.entries, grams.Entry{Name: grams.Name{Session: d.id, Number: sectionNumber(section)}})
			b.folded = append(b.folded, casefold.Key(read.Text))
		}
		b.documents, b.ends = append(b.documents, d), append(b.ends, section)
	}
	return b, nil
}

// store adds the sections to the index and takes them from the queue. It does nothing if one
// of the documents has left the queue meanwhile.
func (s *sectionIndexer) store(ctx context.Context, b sectionBatch) error {
	pages := grams.Build(b.folded)
	x := s.index
	return x.db.WriteAlone(ctx, func(ctx context.Context, q db.Querier) error {
		locked, err := x.lockUser(ctx, q, b.user, false)
		if err != nil {
			return err
		}
		if !locked {
			return x.dropQueue(ctx, q, b.user)
		}
		var steps []db.Step
		for i, d := range b.documents {
			there, err := db.List(ctx, q, db.ScanOne[int64], `
				SELECT number FROM search_queue WHERE user_id = $1 AND session_id = $2 AND number = $3`+x.db.SkipLocked(),
				d.user, d.id, sectionNumber(d.next))
			if err != nil || len(there) == 0 {
				return err
			}
			steps = append(steps, db.Do(`DELETE FROM search_queue WHERE user_id = $1 AND session_id = $2 AND number = $3`,
				d.user, d.id, sectionNumber(d.next)))
			if b.ends[i] < sectionCount(d.size) {
				steps = append(steps, Enqueue(d.user, d.id, sectionNumber(b.ends[i])))
			}
		}
		if len(b.entries) > 0 {
			heads, err := blockHeads(ctx, q, b.user)
			if err != nil {
				return err
			}
			added := head{block: nextBlock(heads), sections: true}
			steps = append(steps, addBlock(b.user, added, b.entries, pages)...)
		}
		return x.db.RunSteps(ctx, q, steps)
	})
}
