package chat

import "context"

// List is a list that is read in batches, since its texts can be too long to be held in memory at once. The first
// batch is read when the list is made. No transaction is held between two batches.
type List[T any] struct {
	// Batch is the current batch, oldest or newest first like the list.
	Batch []T
	// Total is the number of entries on all pages, at the time of the current batch.
	Total int64

	next reader[T] // nil if the current batch is the last
}

// reader reads a batch. following reads the one after it, and is nil if there is none.
type reader[T any] func(ctx context.Context) (batch []T, total int64, following reader[T], err error)

// newList reads the first batch of a list.
func newList[T any](ctx context.Context, first reader[T]) (*List[T], error) {
	l := &List[T]{next: first}
	return l, l.Next(ctx)
}

// More reports whether there is another batch.
func (l *List[T]) More() bool { return l.next != nil }

// Next reads the next batch. It returns an error if the list changed so much that its rest no longer belongs to
// what was read before.
func (l *List[T]) Next(ctx context.Context) (err error) {
	l.Batch, l.Total, l.next, err = l.next(ctx)
	return err
}
