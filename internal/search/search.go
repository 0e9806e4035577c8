// Package search finds titles, messages and files by a keyword, and the sessions of titles
// and messages.
//
// The search index holds each user's texts, which are messages, titles, names of files and
// sections of documents, in blocks of grams (see package grams). A text is indexed shortly
// after it is stored. Until then its name is in the queue, and a search reads the text
// itself, so results are always exact. The queue takes precedence over the blocks, so a
// transaction that stores, changes or removes a text only has to queue its name. Only the
// indexer changes blocks.
package search

import (
	"parley/internal/db"
)

// Index is the search index in a database. It is safe for concurrent use.
type Index struct {
	db     *db.DB
	queued chan struct{} // wakes the indexer
}

// New returns the search index in a database.
func New(database *db.DB) *Index {
	return &Index{db: database, queued: make(chan struct{}, 1)}
}

// Wake makes the indexer look at the queue. It is called after a transaction that has
// queued texts.
func (x *Index) Wake() {
	select {
	case x.queued <- struct{}{}:
	default:
	}
}
